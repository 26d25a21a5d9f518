/*
 * The block of a program holds sizes, then the files, the tokens, a hash of each token as it is
 * written, a hash of each word, and the normal forms. That is some 32 bytes a token.
 */
#include "program.h"

#include <string.h>

#include "shingle_id.h"
#include "text_digest.h"
#include "window.h"

/* How far apart the occurrences of a shingle begin that count. Figures: docs/accuracy.md. */
enum { REPEAT_TOKENS = 32 };

typedef struct sizes {
    uint64_t files, tokens, wording, normal;
} sizes;

/* ---- writing */

/* Reserves the memory of a block, and writes its sizes. */
static int begin_block(tw_bytes *block, const sizes *head)
{
    size_t bytes = sizeof *head + head->files * sizeof(tw_program_file) +
                   head->tokens * (sizeof(tw_token) + sizeof(uint64_t)) +
                   head->wording * sizeof(uint64_t) + head->normal + TW_SLACK;
    block->length = 0;
    int status = tw_bytes_reserve(block, bytes);
    return status == TWINSET_OK ? tw_bytes_append(block, head, sizeof *head) : status;
}

static int append_number(tw_bytes *block, uint64_t number)
{
    return tw_bytes_append(block, &number, sizeof number);
}

static bool is_string(const tw_token *token, const char *word)
{
    return token->kind == TW_TOKEN_LITERAL && !tw_is_digit(*word) && *word != '.';
}

/* Hashes the first bytes of a name or a number in one spelling for all languages: `max_value` as
 * `maxValue`, and 1.5 as 1.5f. */
static uint64_t hash_any_spelling(const char *word, size_t length)
{
    enum { MOST_BYTES = 64 };
    char folded[MOST_BYTES];
    size_t size = 0;
    bool is_decimal = tw_is_digit(*word) && !(length > 1 && (word[1] | 32) == 'x');
    while (is_decimal && length > 1 && tw_is_letter(word[length - 1]))
        length--;
    for (size_t i = 0; i < length && size < MOST_BYTES; i++)
        if (word[i] != '_')
            folded[size++] = tw_to_lower(word[i]);
    return tw_shingle_id(folded, size);
}

uint64_t tw_token_hash(const tw_token *token, const char *text, bool is_across)
{
    const char *word = text + token->start;
    size_t length = token->end - token->start;
    bool is_spelt = token->kind <= TW_TOKEN_LITERAL && !is_string(token, word);
    return is_across && is_spelt ? hash_any_spelling(word, length) : tw_shingle_id(word, length);
}

static int append_words(const tw_code *code, const char *text, tw_bytes *block)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < code->count && status == TWINSET_OK; i++)
        status = append_number(block, tw_token_hash(&code->tokens[i], text, code->is_across));
    return status;
}

/* ---- wording */

/* Whether a byte belongs to a word: letters, digits, underscores, and everything beyond ASCII. */
static bool is_word_byte(char c)
{
    return tw_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t word_length(const char *text, size_t length)
{
    size_t end = 0;
    while (end < length && is_word_byte(text[end]))
        end++;
    return end;
}

static int append_word(tw_bytes *block, uint64_t hash, uint64_t *count)
{
    ++*count;
    return append_number(block, hash);
}

static int append_words_of_string(tw_bytes *block, const char *text, size_t length, uint64_t *count)
{
    int status = TWINSET_OK;
    for (size_t at = 0, word; at < length && status == TWINSET_OK; at += word + !word) {
        word = word_length(text + at, length - at);
        if (word)
            status = append_word(block, tw_shingle_id(text + at, word), count);
    }
    return status;
}

/* A string counts as a whole and, if it has several words, each of them counts as well. */
static int append_string(tw_bytes *block, const char *text, size_t length, uint64_t *count)
{
    uint64_t before = *count;
    int status = append_word(block, tw_shingle_id(text, length), count);
    if (status == TWINSET_OK)
        status = append_words_of_string(block, text, length, count);
    if (*count == before + 2) { /* a string of one word counts once */
        block->length -= sizeof(uint64_t);
        --*count;
    }
    return status;
}

static bool is_punctuation(const char *text, size_t length)
{
    return length == 1 && strchr(";(){},[].", *text);
}

static int append_wording(const tw_code *code, const char *text, tw_bytes *block, uint64_t *count)
{
    int status = TWINSET_OK;
    for (size_t i = 0; i < code->count && status == TWINSET_OK; i++) {
        const tw_token *token = &code->tokens[i];
        const char *word = text + token->start;
        size_t length = token->end - token->start;
        if (code->is_across && token->kind == TW_TOKEN_OTHER)
            continue;
        if (is_string(token, word) && code->is_across) /* languages differ in quotes */
            status = append_words_of_string(block, word, length, count);
        else if (is_string(token, word))
            status = append_string(block, word, length, count);
        else if (!is_punctuation(word, length))
            status = append_word(block, tw_token_hash(token, text, code->is_across), count);
    }
    return status;
}

/* ---- blocks */

/* Adds the bytes after the normal forms that kernels may read. */
static int end_block(tw_bytes *block)
{
    static const char slack[TW_SLACK];
    return tw_bytes_append(block, slack, sizeof slack);
}

int tw_program_write(const tw_code *code, const char *text, uint32_t source, tw_bytes *block)
{
    sizes head = {.files = 1, .tokens = code->count, .normal = code->normal.length};
    tw_program_file file = {
        .source = source,
        .tokens = (uint32_t)code->count,
        .normal = (uint32_t)code->normal.length,
    };
    int status = begin_block(block, &head);
    if (status == TWINSET_OK)
        status = tw_bytes_append(block, &file, sizeof file);
    if (status == TWINSET_OK)
        status = tw_bytes_append(block, code->tokens, code->count * sizeof *code->tokens);
    if (status == TWINSET_OK)
        status = append_words(code, text, block);
    if (status == TWINSET_OK)
        status = append_wording(code, text, block, &head.wording);
    if (status == TWINSET_OK)
        status = tw_bytes_append(block, code->normal.data, code->normal.length);
    if (status != TWINSET_OK)
        return status;
    /* The number of words is known only now. */
    file.wording = (uint32_t)head.wording;
    memcpy(block->data, &head, sizeof head);
    memcpy(block->data + sizeof head, &file, sizeof file);
    return end_block(block);
}

static int append_files(const tw_program *programs, size_t count, tw_bytes *block)
{
    uint32_t tokens = 0, normal = 0, wording = 0;
    int status = TWINSET_OK;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < programs[i].file_count && status == TWINSET_OK; j++) {
            tw_program_file file = programs[i].files[j];
            file.tokens += tokens;
            file.normal += normal;
            file.wording += wording;
            status = tw_bytes_append(block, &file, sizeof file);
        }
        tokens += (uint32_t)programs[i].count;
        normal += (uint32_t)programs[i].normal_length;
        wording += (uint32_t)programs[i].wording_count;
    }
    return status;
}

int tw_program_join(const tw_program *programs, size_t count, tw_bytes *block)
{
    sizes head = {0};
    for (size_t i = 0; i < count; i++) {
        head.files += programs[i].file_count;
        head.tokens += programs[i].count;
        head.wording += programs[i].wording_count;
        head.normal += programs[i].normal_length;
    }
    if (head.tokens > UINT32_MAX || head.wording > UINT32_MAX || head.normal > UINT32_MAX)
        return TWINSET_NOMEM;
    int status = begin_block(block, &head);
    if (status == TWINSET_OK)
        status = append_files(programs, count, block);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = tw_bytes_append(block, programs[i].tokens,
                                 programs[i].count * sizeof *programs->tokens);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status =
            tw_bytes_append(block, programs[i].words, programs[i].count * sizeof *programs->words);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = tw_bytes_append(block, programs[i].wording,
                                 programs[i].wording_count * sizeof *programs->wording);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = tw_bytes_append(block, programs[i].normal, programs[i].normal_length);
    return status == TWINSET_OK ? end_block(block) : status;
}

/* ---- reading */

tw_program tw_program_read(const tw_bytes *block)
{
    sizes head;
    memcpy(&head, block->data, sizeof head);
    const char *at = block->data + sizeof head;
    tw_program program = {
        .files = (const tw_program_file *)(const void *)at,
        .file_count = (size_t)head.files,
        .count = (size_t)head.tokens,
        .wording_count = (size_t)head.wording,
        .normal_length = (size_t)head.normal,
    };
    at += head.files * sizeof *program.files;
    program.tokens = (const tw_token *)(const void *)at;
    at += head.tokens * sizeof *program.tokens;
    program.words = (const uint64_t *)(const void *)at;
    program.wording = program.words + head.tokens;
    program.normal = (const char *)(const void *)(program.wording + head.wording);
    return program;
}

/* ---- shingles */

int tw_program_file_tokens(const tw_program *program, size_t index, tw_offsets *starts,
                           tw_file_tokens *tokens)
{
    static const tw_program_file none;
    const tw_program_file *file = &program->files[index], *before = index ? file - 1 : &none;
    *tokens = (tw_file_tokens){
        .first = before->tokens,
        .count = file->tokens - before->tokens,
        .normal = program->normal + before->normal,
    };
    int status = TW_GROW(starts->data, starts->capacity, tokens->count + 1 + TW_SLACK);
    if (status != TWINSET_OK)
        return status;
    size_t *start = tokens->start = starts->data;
    const char *at = tokens->normal, *stop = program->normal + file->normal;
    for (*start = 0; (at = memchr(at, ' ', (size_t)(stop - at)));)
        *++start = (size_t)(++at - tokens->normal);
    return TWINSET_OK;
}

/* Where the shingles of a program go. */
typedef struct shingle_target {
    tw_shingles_fn sink;
    void *context;
} shingle_target;

/* Hashes that take the place of tokens. */
typedef struct hash_list {
    const uint64_t *data;
    size_t count, k; /* hashes in all, and in a shingle */
    uint8_t kind;    /* TW_SHINGLE_* */
} hash_list;

/* Sends the shingles of every k hashes in a row. */
static int shingle_hashes(hash_list hashes, tw_offsets *starts, const shingle_target *target)
{
    int status = TW_GROW(starts->data, starts->capacity, hashes.count + 1 + TW_SLACK);
    if (status != TWINSET_OK)
        return status;
    for (size_t i = 0; i <= hashes.count; i++)
        starts->data[i] = i * sizeof *hashes.data;
    tw_shingles batch = {
        .count = hashes.count - hashes.k + 1,
        .text = (const char *)(const void *)hashes.data,
        .start = starts->data,
        .k = hashes.k,
        .kind = hashes.kind,
    };
    return target->sink(target->context, &batch);
}

/* The hash of the nth occurrence of a word or a shingle. */
static uint64_t hash_occurrence(uint64_t hash, size_t n)
{
    return tw_mix64(hash + n * UINT64_C(0x9E3779B97F4A7C15));
}

/* The file in work. */
typedef struct file_work {
    tw_file_tokens tokens;
    const uint64_t *words; /* a hash of each of its tokens as it is written */
    int view;              /* TWINSET_VIEW_* */
    size_t k;              /* tokens of a shingle, no more than the file has */
    tw_program_scratch *scratch;
} file_work;

static int shingle_normal(const file_work *file, const shingle_target *target)
{
    tw_shingles batch = {
        .count = file->tokens.count - file->k + 1,
        .text = file->tokens.normal,
        .start = file->tokens.start,
        .k = file->k,
        .gap = 1,
        .kind = TW_SHINGLE_TOKENS,
    };
    return target->sink(target->context, &batch);
}

static int shingle_tokens(const file_work *file, const shingle_target *target)
{
    if (file->view != TWINSET_VIEW_RAW)
        return shingle_normal(file, target);
    return shingle_hashes((hash_list){file->words, file->tokens.count, file->k, TW_SHINGLE_TOKENS},
                          &file->scratch->starts, target);
}

/* ---- repeated shingles */

/* The slot of a shingle in the table, which is free if the file had none of this id yet. */
static tw_seen_shingle *find_seen(const tw_program_scratch *scratch, uint64_t id)
{
    const uint64_t *ids = scratch->words.data;
    size_t at = id >> 1 & scratch->seen_mask; /* the last bit is the kind */
    while (scratch->seen[at].times && ids[scratch->seen[at].last] != id)
        at = (at + 1) & scratch->seen_mask;
    return &scratch->seen[at];
}

static int clear_seen(tw_program_scratch *scratch, size_t shingles)
{
    size_t slots = 16;
    while (slots < shingles + shingles / 2)
        slots *= 2;
    int status = TW_GROW(scratch->seen, scratch->seen_capacity, slots);
    if (status != TWINSET_OK)
        return status;
    memset(scratch->seen, 0, slots * sizeof *scratch->seen);
    scratch->seen_mask = slots - 1;
    return TWINSET_OK;
}

static bool is_power_of_two(uint32_t number)
{
    return (number & (number - 1)) == 0;
}

/* Collects a hash of the second, fourth, eighth... occurrence of each shingle. An occurrence that
 * begins within REPEAT_TOKENS of the one before does not count, so that a table of constants
 * repeats nothing, however long it is. */
static void number_repeats(tw_program_scratch *scratch)
{
    const tw_u64s *ids = &scratch->words;
    tw_u64s *repeats = &scratch->sorted;
    repeats->count = 0;
    for (uint32_t i = 0; i < ids->count; i++) {
        tw_seen_shingle *seen = find_seen(scratch, ids->data[i]);
        bool counts = !seen->times || i - seen->last >= REPEAT_TOKENS;
        seen->last = i;
        seen->times += counts;
        if (counts && seen->times > 1 && is_power_of_two(seen->times))
            repeats->data[repeats->count++] = hash_occurrence(ids->data[i], seen->times);
    }
}

/* Sends what the shingles of a file repeat. */
static int shingle_repeats(const file_work *file, const shingle_target *target)
{
    tw_program_scratch *scratch = file->scratch;
    tw_u64s *repeats = &scratch->sorted;
    scratch->words.count = 0;
    int status = shingle_tokens(file, &(shingle_target){tw_append_ids, &scratch->words});
    if (status == TWINSET_OK)
        status = clear_seen(scratch, scratch->words.count);
    if (status == TWINSET_OK)
        status = TW_GROW(repeats->data, repeats->capacity, scratch->words.count + TW_SLACK);
    if (status != TWINSET_OK)
        return status;
    number_repeats(scratch);
    if (!repeats->count)
        return TWINSET_OK;
    return shingle_hashes((hash_list){repeats->data, repeats->count, 1, TW_SHINGLE_REPEAT},
                          &scratch->starts, target);
}

static int shingle_file(const tw_program *program, size_t index, const twinset_options *options,
                        tw_program_scratch *scratch, const shingle_target *target)
{
    file_work file = {.view = options->view, .scratch = scratch};
    int status = tw_program_file_tokens(program, index, &scratch->starts, &file.tokens);
    size_t tokens = file.tokens.count;
    if (status != TWINSET_OK || !tokens)
        return status;
    file.words = program->words + file.tokens.first;
    file.k = tokens < options->k ? tokens : options->k;
    status = shingle_tokens(&file, target);
    if (status != TWINSET_OK || options->bag || tokens - file.k < REPEAT_TOKENS)
        return status; /* a bag has all repetitions */
    return shingle_repeats(&file, target);
}

/* ---- words */

uint64_t tw_program_word_id(uint64_t word)
{
    uint64_t hash = hash_occurrence(word, 1);
    return tw_id_with_kind(tw_shingle_id((const char *)&hash, sizeof hash), TW_SHINGLE_WORD);
}

/* Replaces the words of one file by its shingles, and returns how many these are. The first,
 * second, fourth, eighth... occurrence of a word each are a shingle of their own; the others are
 * none. */
static size_t number_words(uint64_t *words, size_t count, uint64_t *scratch)
{
    size_t kept = 0;
    tw_sort_u64(words, count, scratch);
    for (size_t i = 0, end; i < count; i = end) {
        uint64_t word = words[i];
        for (end = i; end < count && words[end] == word;)
            end++;
        for (size_t n = 1; n <= end - i; n *= 2) /* writes never get ahead of reads */
            words[kept++] = hash_occurrence(word, n);
    }
    return kept;
}

/* Collects the word shingles file by file, as occurrences are counted within a file. */
static int collect_words(const tw_program *program, tw_program_scratch *scratch)
{
    tw_u64s *words = &scratch->words;
    size_t all = program->wording_count, from = 0;
    int status = TW_GROW(words->data, words->capacity, all + TW_SLACK);
    if (status == TWINSET_OK)
        status = TW_GROW(scratch->sorted.data, scratch->sorted.capacity, all);
    words->count = 0;
    for (size_t i = 0; i < program->file_count && status == TWINSET_OK; i++) {
        size_t count = program->files[i].wording - from;
        uint64_t *added = words->data + words->count;
        memcpy(added, program->wording + from, count * sizeof *added);
        words->count += number_words(added, count, scratch->sorted.data);
        from += count;
    }
    return status;
}

static int shingle_words(const tw_program *program, tw_program_scratch *scratch,
                         const shingle_target *target)
{
    int status = collect_words(program, scratch);
    const tw_u64s *words = &scratch->words;
    if (status != TWINSET_OK || !words->count)
        return status;
    return shingle_hashes((hash_list){words->data, words->count, 1, TW_SHINGLE_WORD},
                          &scratch->starts, target);
}

/* ---- the shingles of a view */

/* Computes a digest that no other program has. */
static void digest_program(const tw_program *program, uint64_t digest[2])
{
    tw_text_digest state;
    tw_text_digest_begin(&state);
    for (size_t i = 0; i + 1 < program->file_count;
         i++) /* where one file ends and another begins */
        tw_text_digest_add(&state, (const char *)&program->files[i].tokens,
                           sizeof program->files[i].tokens);
    tw_text_digest_add(&state, program->normal, program->normal_length);
    tw_text_digest_add(&state, (const char *)(const void *)program->wording,
                       program->wording_count * sizeof *program->wording);
    tw_text_digest_end(&state, digest);
}

int tw_program_shingle(const tw_program *program, const twinset_options *options,
                       tw_program_scratch *scratch, tw_shingles_fn sink, void *context,
                       tw_text_summary *summary)
{
    const shingle_target target = {sink, context};
    int status = TWINSET_OK;
    *summary = (tw_text_summary){.tokens = program->count};
    digest_program(program, summary->digest);
    if (!sink)
        return TWINSET_OK;
    for (size_t i = 0; i < program->file_count && status == TWINSET_OK; i++)
        status = shingle_file(program, i, options, scratch, &target);
    bool has_wording = options->view == TWINSET_VIEW_BOTH || options->view == TWINSET_VIEW_ACROSS;
    if (status == TWINSET_OK && has_wording)
        status = shingle_words(program, scratch, &target);
    return status;
}

void tw_program_scratch_free(tw_program_scratch *scratch)
{
    tw_free(scratch->starts.data);
    tw_free(scratch->words.data);
    tw_free(scratch->sorted.data);
    tw_free(scratch->seen);
}
