/*
 * A page without names. Documents are numbered in the order of their digests, which says nothing
 * of their names. The words that name them, such as those of "class/ada_lovelace/", and their
 * authors, in a manifest or in a line such as "@author Ada", are blacked out wherever else they
 * stand: in texts, paths and notes. A letter becomes an x for each of its bytes, so that offsets
 * stay what they are.
 */
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORTEST_WORD = 3 };

/* ---- words */

static bool is_letter(char c)
{
    return (unsigned char)c >= 128 || tw_is_letter(c);
}

/* Finds the next word from *from on, and returns its hash, whatever the case of its letters. The
 * word is between *from and *to; both are the length at the end. */
static uint64_t next_word(const char *text, size_t length, size_t *from, size_t *to)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    while (*from < length && !is_letter(text[*from]))
        ++*from;
    for (*to = *from; *to < length && is_letter(text[*to]); ++*to)
        hash = (hash ^ (unsigned char)tw_to_lower(text[*to])) * UINT64_C(0x100000001b3);
    return hash;
}

static int by_hash(const void *left, const void *right)
{
    uint64_t x = *(const uint64_t *)left, y = *(const uint64_t *)right;
    return x < y ? -1 : x > y;
}

static int add_word(tw_u64s *words, uint64_t hash)
{
    if (TW_GROW(words->data, words->capacity, words->count + 1) != TWINSET_OK)
        return TWINSET_NOMEM;
    words->data[words->count++] = hash;
    return TWINSET_OK;
}

/* Appends the first `most` words of a name. */
static int add_words(tw_u64s *words, const char *name, size_t length, size_t most)
{
    int status = TWINSET_OK;
    for (size_t from = 0, to = 0; from < length && most && status == TWINSET_OK; from = to) {
        uint64_t hash = next_word(name, length, &from, &to);
        if (to - from < SHORTEST_WORD)
            continue;
        status = add_word(words, hash);
        most--;
    }
    return status;
}

/* Sorts the words from the first on, and leaves each once. */
static void leave_distinct(tw_u64s *words, size_t first)
{
    size_t kept = first;
    if (words->count > first)
        qsort(words->data + first, words->count - first, sizeof *words->data, by_hash);
    for (size_t i = first; i < words->count; i++)
        if (i == first || words->data[i] != words->data[i - 1])
            words->data[kept++] = words->data[i];
    words->count = kept;
}

/* Whether a line says who wrote it, as "@author Ada" or "Author: Ada" do; *from is set to what
 * comes after. */
static bool names_author(const char *line, size_t length, size_t *from)
{
    static const char *const titles[] = {"author", "authors", "student", "students"};
    size_t start = 0, end;
    next_word(line, length, &start, &end);
    bool is_title = false;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        is_title = is_title || (strlen(titles[i]) == end - start &&
                                tw_bytes_equal_ignoring_case(titles[i], line + start, end - start));
    *from = end;
    return is_title && ((start && line[start - 1] == '@') || (end < length && line[end] == ':'));
}

/* Appends the first words after each title of an author in a text. */
static int add_authors(tw_u64s *words, const char *text, size_t length)
{
    enum { MOST_WORDS = 4 };
    int status = TWINSET_OK;
    for (size_t line = 0, end; line < length && status == TWINSET_OK; line = end + 1) {
        const char *newline = memchr(text + line, '\n', length - line);
        size_t from;
        end = newline ? (size_t)(newline - text) : length;
        if (names_author(text + line, end - line, &from))
            status = add_words(words, text + line + from, end - line - from, MOST_WORDS);
    }
    return status;
}

/* Appends, each once, the words of a document's name, of its author in a manifest, and of those
 * that its texts name as authors. */
static int add_document(const twinset_result *result, uint32_t document, tw_u64s *words)
{
    const tw_origin *origin = tw_result_origin(result, document);
    const char *name = result->names[document], *author = origin ? origin->author : NULL;
    size_t first = words->count, count = tw_text_store_count(result->kept, document);
    int status = add_words(words, name, strlen(name), SIZE_MAX);
    if (status == TWINSET_OK && author)
        status = add_words(words, author, strlen(author), SIZE_MAX);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++) {
        tw_bytes text = {0};
        status = tw_text_store_read(result->kept, document, i, &name, &text, NULL);
        if (status == TWINSET_OK)
            status = add_authors(words, text.data, text.length);
        tw_bytes_free(&text);
    }
    leave_distinct(words, first);
    return status;
}

/* Lists the words of all names, ascending, but for those that name more than two documents and more
 * than a quarter of all: these are words such as "essay" and "java". */
static int list_words(const twinset_result *result, tw_u64s *words)
{
    int status = TWINSET_OK;
    size_t documents = result->run.documents, kept = 0;
    for (size_t i = 0; i < documents && status == TWINSET_OK; i++)
        status = add_document(result, (uint32_t)i, words);
    if (status != TWINSET_OK || !words->count)
        return status;
    qsort(words->data, words->count, sizeof *words->data, by_hash);
    for (size_t from = 0, to; from < words->count; from = to) {
        for (to = from + 1; to < words->count && words->data[to] == words->data[from];)
            to++;
        if (to - from <= 2 || 4 * (to - from) <= documents)
            words->data[kept++] = words->data[from];
    }
    words->count = kept;
    return TWINSET_OK;
}

void tw_page_mask(const tw_page *page, char *text, size_t length)
{
    const tw_u64s *words = &page->words;
    for (size_t from = 0, to = 0; words->count && from < length; from = to) {
        uint64_t hash = next_word(text, length, &from, &to);
        if (to > from && bsearch(&hash, words->data, words->count, sizeof hash, by_hash))
            memset(text + from, 'x', to - from);
    }
}

/* ---- numbers in place of names */

static int by_digest(const void *left, const void *right)
{
    const tw_shown_document *x = left, *y = right;
    int order = memcmp(x->digest, y->digest, sizeof x->digest);
    return order ? order : x->document < y->document ? -1 : x->document > y->document;
}

/* Returns the shown documents in the order of their digests, with their numbers, to be freed by
 * tw_free(); NULL: out of memory. */
static tw_shown_document *order_by_digest(const tw_page *page)
{
    tw_shown_document *ordered = tw_array(page->shown_count + 1, sizeof *ordered);
    if (!ordered)
        return NULL;
    if (page->shown_count) {
        memcpy(ordered, page->shown, page->shown_count * sizeof *ordered);
        qsort(ordered, page->shown_count, sizeof *ordered, by_digest);
    }
    return ordered;
}

/* Returns a copy in which words are blacked out, in the page's arena; NULL: out of memory. */
static char *copy_masked(const tw_page *page, const char *text)
{
    size_t length = strlen(text);
    char *copy = tw_arena_alloc(page->arena, length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length + 1);
    tw_page_mask(page, copy, length);
    return copy;
}

static int number_documents(tw_page *page, const char **names)
{
    tw_shown_document *ordered = order_by_digest(page);
    int status = ordered ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t i = 0; i < page->shown_count && status == TWINSET_OK; i++) {
        char name[40];
        snprintf(name, sizeof name, "Document %zu", i + 1);
        status = tw_arena_strdup(page->arena, name, &names[ordered[i].document]);
    }
    tw_free(ordered);
    return status;
}

/* Replaces the lists of the page's own copy of the result by lists without names. */
static int mask_lists(tw_page *page, twinset_result *own)
{
    bool is_complete = true;
    twinset_skip *skips = tw_arena_alloc(page->arena, (own->run.skipped + 1) * sizeof *skips);
    twinset_flagged_document *flagged =
        tw_arena_alloc(page->arena, (own->run.flagged + 1) * sizeof *flagged);
    char **notes = tw_arena_alloc(page->arena, (own->run.notes + 1) * sizeof *notes);
    if (!skips || !flagged || !notes)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < own->run.skipped; i++) {
        skips[i] = own->skips[i];
        skips[i].path = copy_masked(page, own->skips[i].path);
        skips[i].reason = copy_masked(page, own->skips[i].reason);
        is_complete = is_complete && skips[i].path && skips[i].reason;
    }
    for (size_t i = 0; i < own->run.flagged; i++) {
        flagged[i] = own->flagged[i];
        flagged[i].path = copy_masked(page, own->flagged[i].path);
        is_complete = is_complete && flagged[i].path;
    }
    for (size_t i = 0; i < own->run.notes; i++) {
        notes[i] = copy_masked(page, own->notes[i]);
        is_complete = is_complete && notes[i];
    }
    own->skips = skips;
    own->flagged = flagged;
    own->notes = notes;
    return is_complete ? TWINSET_OK : TWINSET_NOMEM;
}

int tw_page_anonymise(tw_page *page, twinset_result *own)
{
    page->arena = tw_arena_new(NULL);
    const char **names =
        page->arena ? tw_arena_alloc(page->arena, (own->run.documents + 1) * sizeof *names) : NULL;
    if (!names)
        return TWINSET_NOMEM;
    memset(names, 0, (own->run.documents + 1) * sizeof *names);
    int status = list_words(own, &page->words);
    if (status == TWINSET_OK)
        status = number_documents(page, names);
    if (status == TWINSET_OK)
        status = mask_lists(page, own);
    own->names = names;
    return status;
}

/* ---- the key */

int tw_page_write_key(const tw_page *page)
{
    tw_shown_document *ordered = order_by_digest(page);
    if (!ordered)
        return TWINSET_NOMEM;
    tw_json json = tw_json_new(page->sink);
    tw_json_object(&json, NULL, TW_JSON_LINES);
    tw_json_string(&json, "format", "twinset key");
    tw_json_whole(&json, "version", 1);
    tw_json_list(&json, "documents", TW_JSON_LINES);
    for (size_t i = 0; i < page->shown_count; i++) {
        char name[40];
        snprintf(name, sizeof name, "Document %zu", i + 1);
        tw_json_object(&json, NULL, TW_JSON_INLINE);
        tw_json_string(&json, "name", name);
        tw_json_string(&json, "real", page->result->names[ordered[i].document]);
        tw_json_digest(&json, "digest", ordered[i].digest);
        tw_json_close(&json);
    }
    tw_json_close(&json);
    tw_json_close(&json);
    tw_json_end_line(&json);
    tw_free(ordered);
    return TWINSET_OK;
}
