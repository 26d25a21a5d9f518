#include "text_store.h"

#include <stdlib.h>
#include <string.h>

/* A text, by its span in the memory or the temporary file. */
typedef struct kept_text {
    const char *name; /* of its file */
    uint64_t offset, length;
} kept_text;

typedef struct kept_document {
    uint32_t document;
    uint32_t copies;
    const char *name;
    uint64_t block, block_length; /* the span of a program's tokens */
    size_t first_text, text_count;
} kept_document;

struct tw_text_store {
    twinset_options options;
    tw_bytes memory;          /* all bytes, while they are few */
    tw_spill *spill;          /* all bytes, if there are more; or NULL */
    kept_document *documents; /* ascending */
    size_t count, capacity;
    kept_text *texts;
    size_t text_count, text_capacity;
    tw_u64s excluded;
    tw_shingle_counts counts;
    uint64_t counted_documents; /* the number of documents in `counts`; 0: there are no counts */
};

int tw_text_store_new(const twinset_options *options, tw_u64s *excluded, tw_text_store **kept)
{
    *kept = tw_calloc(1, sizeof **kept);
    if (!*kept)
        return TWINSET_NOMEM;
    (*kept)->options = *options;
    (*kept)->excluded = *excluded;
    *excluded = (tw_u64s){0};
    return TWINSET_OK;
}

void tw_text_store_free(tw_text_store *kept)
{
    if (!kept)
        return;
    tw_bytes_free(&kept->memory);
    tw_spill_free(kept->spill);
    tw_free(kept->documents);
    tw_free(kept->texts);
    tw_free(kept->excluded.data);
    tw_shingle_counts_free(&kept->counts);
    tw_free(kept);
}

void tw_text_store_set_counts(tw_text_store *kept, tw_shingle_counts *counts, size_t documents)
{
    kept->counts = *counts;
    kept->counted_documents = documents;
    *counts = (tw_shingle_counts){0};
}

/* ---- bytes, in memory while they are few, otherwise in a temporary file */

enum { MOST_IN_MEMORY = 1 << 20 };

/* Moves the bytes from memory to a temporary file, where they have the same offsets. */
static int spill_memory(tw_text_store *kept, twinset_error *error)
{
    uint64_t start;
    int status = tw_spill_new(kept->options.tmp, &kept->spill, error);
    if (status == TWINSET_OK)
        status =
            tw_spill_append(kept->spill, kept->memory.data, kept->memory.length, &start, error);
    tw_bytes_free(&kept->memory);
    return status;
}

static int append_bytes(tw_text_store *kept, const char *bytes, size_t length, uint64_t *offset,
                        twinset_error *error)
{
    int status = TWINSET_OK;
    if (!kept->spill && length > MOST_IN_MEMORY - kept->memory.length)
        status = spill_memory(kept, error);
    if (status != TWINSET_OK || kept->spill)
        return status == TWINSET_OK ? tw_spill_append(kept->spill, bytes, length, offset, error)
                                    : status;
    *offset = kept->memory.length;
    return tw_bytes_append(&kept->memory, bytes, length);
}

static int read_bytes(const tw_text_store *kept, uint64_t offset, char *bytes, size_t length,
                      twinset_error *error)
{
    if (kept->spill)
        return tw_spill_read(kept->spill, offset, bytes, length, error);
    if (length)
        memcpy(bytes, kept->memory.data + offset, length);
    return TWINSET_OK;
}

/* ---- adding */

int tw_text_store_add(tw_text_store *kept, uint32_t document, const char *name,
                      const tw_bytes *block, uint32_t copies, twinset_error *error)
{
    kept_document added = {
        .document = document,
        .copies = copies,
        .name = name,
        .block_length = block ? block->length : 0,
        .first_text = kept->text_count,
    };
    int status = TW_GROW(kept->documents, kept->capacity, kept->count + 1);
    if (status == TWINSET_OK && block)
        status = append_bytes(kept, block->data, block->length, &added.block, error);
    if (status == TWINSET_OK)
        kept->documents[kept->count++] = added;
    return status;
}

int tw_text_store_add_text(tw_text_store *kept, const char *name, const char *text, size_t length,
                           twinset_error *error)
{
    kept_text added = {.name = name, .length = length};
    int status = TW_GROW(kept->texts, kept->text_capacity, kept->text_count + 1);
    if (status == TWINSET_OK)
        status = append_bytes(kept, text, length, &added.offset, error);
    if (status != TWINSET_OK)
        return status;
    kept->texts[kept->text_count++] = added;
    kept->documents[kept->count - 1].text_count++;
    return TWINSET_OK;
}

/* ---- reading, and finding passages */

static int by_document(const void *left, const void *right)
{
    const kept_document *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

static const kept_document *find_document(const tw_text_store *kept, uint32_t document)
{
    kept_document key = {.document = document};
    if (!kept || !kept->count)
        return NULL;
    return bsearch(&key, kept->documents, kept->count, sizeof key, by_document);
}

size_t tw_text_store_count(const tw_text_store *kept, uint32_t document)
{
    const kept_document *found = find_document(kept, document);
    return found ? found->text_count : 0;
}

int tw_text_store_read(const tw_text_store *kept, uint32_t document, size_t index,
                       const char **name, tw_bytes *bytes, twinset_error *error)
{
    const kept_document *found = find_document(kept, document);
    const kept_text *text = &kept->texts[found->first_text + index];
    size_t before = bytes->length;
    *name = found->text_count > 1 ? text->name : NULL;
    if (tw_bytes_reserve(bytes, text->length) != TWINSET_OK)
        return tw_nomem(error);
    bytes->length = before + text->length;
    return read_bytes(kept, text->offset, bytes->data + before, text->length, error);
}

/* One of two documents, read back and split into tokens. */
typedef struct document_side {
    const kept_document *document;
    tw_bytes block;
    tw_tokenised_file *files;
    char **texts; /* of the files */
    tw_program program;
    tw_prose_words words; /* of prose; of a program its sequence alone */
    tw_token_location *locations;
} document_side;

static void free_side(document_side *side)
{
    for (size_t i = 0; side->texts && i < side->document->text_count; i++)
        tw_free(side->texts[i]);
    tw_free(side->texts);
    tw_free(side->files);
    tw_free(side->locations);
    tw_bytes_free(&side->block);
    tw_prose_words_free(&side->words);
}

static int read_texts(const tw_text_store *kept, document_side *side, twinset_error *error)
{
    const kept_document *document = side->document;
    size_t count = document->text_count;
    int status = TWINSET_OK;
    side->texts = tw_calloc(count, sizeof *side->texts);
    side->files = tw_calloc(count, sizeof *side->files);
    if (!side->texts || !side->files)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        const kept_text *text = &kept->texts[document->first_text + i];
        side->texts[i] = tw_array(text->length + 1, 1);
        if (!side->texts[i])
            return TWINSET_NOMEM;
        status = read_bytes(kept, text->offset, side->texts[i], text->length, error);
        side->files[i] =
            (tw_tokenised_file){count > 1 ? text->name : NULL, side->texts[i], text->length};
    }
    return status;
}

/* Splits prose into words again. */
static int find_words(const tw_text_store *kept, document_side *side)
{
    tw_coder *coder = NULL;
    tw_spans omitted = {0};
    tw_code code = {0};
    const tw_tokenised_file *file = &side->files[0];
    int status = tw_coder_new(&coder);
    if (status == TWINSET_OK)
        status = tw_find_words(coder, &kept->options, file->text, file->length, &omitted, &code);
    if (status == TWINSET_OK)
        status = tw_program_write(&code, file->text, 0, &side->block);
    tw_coder_free(coder);
    tw_code_free(&code);
    tw_spans_free(&omitted);
    return status;
}

static int read_block(const tw_text_store *kept, document_side *side, twinset_error *error)
{
    size_t length = (size_t)side->document->block_length;
    if (tw_bytes_reserve(&side->block, length) != TWINSET_OK)
        return TWINSET_NOMEM;
    side->block.length = length;
    return read_bytes(kept, side->document->block, side->block.data, length, error);
}

static int locate_tokens(document_side *side)
{
    const tw_program *program = &side->program;
    side->locations = tw_array(program->count, sizeof *side->locations);
    if (!side->locations)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < program->count; i++) {
        const tw_token *token = &program->tokens[i];
        side->locations[i] = (tw_token_location){token->start, token->end, token->line};
    }
    return TWINSET_OK;
}

static int open_side(const tw_text_store *kept, const tw_sequence_rules *rules, tw_stemmer *stemmer,
                     document_side *side, twinset_error *error)
{
    tw_offsets scratch = {0};
    int status = read_texts(kept, side, error);
    if (status == TWINSET_OK)
        status =
            side->document->block_length ? read_block(kept, side, error) : find_words(kept, side);
    if (status != TWINSET_OK)
        return status;
    side->program = tw_program_read(&side->block);
    status = locate_tokens(side);
    if (status == TWINSET_OK && rules->is_program)
        status = tw_sequence_fill(&side->words.sequence, &side->program, rules, &scratch);
    else if (status == TWINSET_OK)
        status = tw_prose_words_fill(&side->words, &side->program, side->files[0].text, rules,
                                     stemmer, &scratch);
    tw_free(scratch.data);
    return status;
}

/* The context of count_documents(). A shingle that is not in the counts is in no other text, but in
 * the copies of the first document; 0 copies: in this document only. */
typedef struct shingle_frequency {
    const tw_text_store *kept;
    uint32_t copies;
} shingle_frequency;

/* Fewer documents say little about how rare a word is. */
enum { LEAST_DOCUMENTS = 10 };

/* Returns how many documents have a shingle of the first document. */
static uint32_t count_documents(void *context, uint64_t id)
{
    const shingle_frequency *frequency = context;
    const tw_shingle_counts *counts = &frequency->kept->counts;
    size_t index = tw_lower_bound((tw_set){counts->ids, counts->count}, id);
    return index < counts->count && counts->ids[index] == id ? counts->counts[index]
                                                             : frequency->copies;
}

/* Finds words that no other document has, where enough are counted. */
static int find_rare_words(const tw_text_store *kept, const document_side *const sides[2],
                           const tw_passage_finder_rules *rules, twinset_passages *passages)
{
    const tw_worded_program programs[2] = {{&sides[0]->program, passages->sides[0].files},
                                           {&sides[1]->program, passages->sides[1].files}};
    if (kept->counted_documents < LEAST_DOCUMENTS)
        return TWINSET_OK;
    return tw_find_rare_words(programs, rules, &passages->rare);
}

static int find_passages(const tw_text_store *kept, const tw_sequence_rules *rules,
                         const document_side *const sides[2], twinset_passages **passages)
{
    tw_passage_finder found = {0};
    tw_passage_finder_rules shared = tw_passage_rules(rules);
    uint32_t copies = sides[0]->document->copies;
    shingle_frequency frequency = {kept, copies > 1 ? copies : 0};
    tw_tokenised_document evidence[2];
    unsigned least = kept->options.min_passage;
    const tw_prose_rules prose = {.least = least == TWINSET_OFF ? 0 : least};
    for (size_t i = 0; i < 2; i++)
        evidence[i] =
            (tw_tokenised_document){sides[i]->document->name, &sides[i]->words.sequence.side,
                                    sides[i]->locations, sides[i]->files};
    if (kept->counted_documents) {
        shared.documents = count_documents;
        shared.context = &frequency;
    }
    int status =
        rules->is_program
            ? tw_passage_finder_search(&found, evidence[0].tokens, evidence[1].tokens, &shared)
            : tw_prose_search(&found, &sides[0]->words, &sides[1]->words, &prose);
    if (status == TWINSET_OK)
        status = tw_passages_locate(&found, evidence, rules->is_program ? "token" : "word",
                                    kept->counted_documents, passages);
    if (status == TWINSET_OK && rules->is_program)
        status = find_rare_words(kept, sides, &shared, *passages);
    if (status == TWINSET_OK)
        (*passages)->extent =
            tw_measure_passages(&found, evidence[0].tokens->count, evidence[1].tokens->count);
    tw_passage_finder_free(&found);
    if (status == TWINSET_OK)
        return status;
    twinset_passages_free(*passages);
    *passages = NULL;
    return status;
}

/* ---- documents that stay open */

struct tw_open_texts {
    tw_text_store *kept;
    uint64_t most_bytes, bytes;
    tw_sequence_rules rules;
    tw_stemmer *stemmer;
    document_side *sides; /* in the order of kept->documents; those without a document are closed */
};

/* About the bytes that a document takes while it is open. */
static uint64_t size_of_side(const document_side *side)
{
    enum { TOKEN_BYTES = 96 };
    uint64_t bytes = side->block.length + TOKEN_BYTES * side->program.count;
    for (size_t i = 0; i < side->document->text_count; i++)
        bytes += side->files[i].length;
    return bytes;
}

static void close_all(tw_open_texts *open)
{
    for (size_t i = 0; i < open->kept->count && open->sides; i++)
        if (open->sides[i].document)
            free_side(&open->sides[i]);
    if (open->sides)
        memset(open->sides, 0, open->kept->count * sizeof *open->sides);
    open->bytes = 0;
}

void tw_open_texts_free(tw_open_texts *open)
{
    if (!open)
        return;
    close_all(open);
    tw_stemmer_free(open->stemmer);
    tw_free(open->sides);
    tw_free(open);
}

int tw_open_texts_new(tw_text_store *kept, uint64_t most_bytes, tw_open_texts **made)
{
    tw_open_texts *open = *made = tw_calloc(1, sizeof *open);
    if (!open)
        return TWINSET_NOMEM;
    open->kept = kept;
    open->most_bytes = most_bytes;
    open->rules =
        tw_sequence_rules_of(&kept->options, (tw_set){kept->excluded.data, kept->excluded.count});
    open->sides = tw_calloc(kept->count + 1, sizeof *open->sides);
    int status = open->sides ? tw_stemmer_new(&open->stemmer) : TWINSET_NOMEM;
    if (status == TWINSET_OK)
        return TWINSET_OK;
    tw_open_texts_free(open);
    *made = NULL;
    return status;
}

static int get_side(tw_open_texts *open, const kept_document *document, const document_side **side,
                    twinset_error *error)
{
    document_side *own = &open->sides[document - open->kept->documents];
    *side = own;
    if (own->document)
        return TWINSET_OK;
    own->document = document;
    int status = open_side(open->kept, &open->rules, open->stemmer, own, error);
    if (status == TWINSET_OK)
        open->bytes += size_of_side(own);
    return status;
}

int tw_open_texts_passages(tw_open_texts *open, uint32_t a, uint32_t b, twinset_passages **passages,
                           twinset_error *error)
{
    const kept_document *documents[2] = {find_document(open->kept, a),
                                         find_document(open->kept, b)};
    const document_side *sides[2];
    *passages = NULL;
    if (!documents[0] || !documents[1])
        return TWINSET_OK;
    if (open->bytes > open->most_bytes)
        close_all(open);
    int status = TWINSET_OK;
    for (size_t i = 0; i < 2 && status == TWINSET_OK; i++)
        status = get_side(open, documents[i], &sides[i], error);
    if (status == TWINSET_OK)
        status = find_passages(open->kept, &open->rules, sides, passages);
    else
        close_all(open);
    return status == TWINSET_NOMEM ? tw_nomem(error) : status;
}

int tw_text_store_passages(tw_text_store *kept, uint32_t a, uint32_t b, twinset_passages **passages,
                           twinset_error *error)
{
    tw_open_texts *open;
    *passages = NULL;
    if (!kept)
        return TWINSET_OK;
    int status = tw_open_texts_new(kept, 0, &open);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    status = tw_open_texts_passages(open, a, b, passages, error);
    tw_open_texts_free(open);
    return status;
}
