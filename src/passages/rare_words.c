/*
 * Words that two programs share and no third document has: names, numbers and strings as they are
 * written. A misspelt name or an odd constant says more about where a program comes from than a
 * page of loops. Linear in the tokens of both, but for sorting them.
 */
#include <stdlib.h>
#include <string.h>

#include "locate.h"

enum {
    LEAST_LENGTH = 3,  /* bytes: `i` and `42` are nobody's own */
    MOST_LENGTH = 200, /* longer strings are in passages */
    MOST_WORDS = 10,   /* that a reader looks at */
};

/* A word of a program, and the first token that it is. */
typedef struct own_word {
    uint64_t id;
    uint32_t token;
} own_word;

static int by_id(const void *left, const void *right)
{
    const own_word *x = left, *y = right;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->token < y->token ? -1 : x->token > y->token;
}

/* Lists the words of a program, ascending by id, each once; returns how many there are. */
static size_t list_words(const tw_program *program, own_word *words)
{
    size_t count = 0, kept = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        const tw_token *token = &program->tokens[i];
        uint32_t length = token->end - token->start;
        if (token->kind <= TW_TOKEN_LITERAL && length >= LEAST_LENGTH && length <= MOST_LENGTH)
            words[count++] = (own_word){tw_program_word_id(program->words[i]), i};
    }
    qsort(words, count, sizeof *words, by_id);
    for (size_t i = 0; i < count; i++)
        if (!kept || words[kept - 1].id != words[i].id)
            words[kept++] = words[i];
    return kept;
}

static twinset_span locate_token(const tw_worded_program *side, uint32_t index)
{
    const tw_token *token = &side->program->tokens[index];
    size_t file = 0;
    while (side->program->files[file].tokens <= index)
        file++;
    return (twinset_span){
        .file = side->files[file].name,
        .file_index = file,
        .start = token->start,
        .end = token->end,
        .first_line = token->line,
        .last_line = token->line,
    };
}

static int by_length(const void *left, const void *right)
{
    const tw_rare_word *x = left, *y = right;
    size_t x_length = x->a.end - x->a.start, y_length = y->a.end - y->a.start;
    if (x_length != y_length)
        return x_length > y_length ? -1 : 1;
    if (x->a.file_index != y->a.file_index)
        return x->a.file_index < y->a.file_index ? -1 : 1;
    return x->a.start < y->a.start ? -1 : x->a.start > y->a.start;
}

/* Adds the words that are in both lists and in no third document. */
static void add_shared(const tw_worded_program sides[2], own_word *const words[2],
                       const size_t counts[2], const tw_passage_finder_rules *rules,
                       tw_rare_words *found)
{
    for (size_t i = 0, j = 0; i < counts[0] && j < counts[1];) {
        uint64_t x = words[0][i].id, y = words[1][j].id;
        if (x == y && rules->documents(rules->context, x) == 2)
            found->list[found->count++] = (tw_rare_word){
                .a = locate_token(&sides[0], words[0][i].token),
                .b = locate_token(&sides[1], words[1][j].token),
                .is_name = sides[0].program->tokens[words[0][i].token].kind == TW_TOKEN_NAME,
            };
        i += x <= y;
        j += y <= x;
    }
    qsort(found->list, found->count, sizeof *found->list, by_length);
    found->count = found->count < MOST_WORDS ? found->count : MOST_WORDS;
}

/* Copies the words from the text of the first document. */
static int copy_words(const tw_located_file *files, tw_rare_words *found)
{
    for (size_t i = 0; i < found->count; i++) {
        tw_rare_word *rare = &found->list[i];
        size_t length = rare->a.end - rare->a.start;
        rare->word = tw_calloc(length + 1, 1);
        if (!rare->word)
            return TWINSET_NOMEM;
        memcpy(rare->word, files[rare->a.file_index].text + rare->a.start, length);
    }
    return TWINSET_OK;
}

int tw_find_rare_words(const tw_worded_program sides[2], const tw_passage_finder_rules *rules,
                       tw_rare_words *found)
{
    own_word *words[2] = {tw_array(sides[0].program->count, sizeof **words),
                          tw_array(sides[1].program->count, sizeof **words)};
    found->list = tw_array(sides[0].program->count, sizeof *found->list);
    bool is_enough = words[0] && words[1] && found->list;
    if (is_enough) {
        size_t counts[2] = {list_words(sides[0].program, words[0]),
                            list_words(sides[1].program, words[1])};
        add_shared(sides, words, counts, rules, found);
    }
    tw_free(words[0]);
    tw_free(words[1]);
    return is_enough ? copy_words(sides[0].files, found) : TWINSET_NOMEM;
}
