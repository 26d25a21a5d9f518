/* The passages of the page's pairs, as JSON and as what the tables need of each: how long it is,
 * how many documents have it, and whether it is a quotation or part of a list of sources. */
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a sketch of a passage, by which it is found again in other pairs */

enum { SKETCH_HASHES = 8, SKETCH_WORDS = 3 };

typedef struct sketch {
    uint64_t least[SKETCH_HASHES]; /* ascending */
    size_t count;
} sketch;

static void add_hash(sketch *made, uint64_t hash)
{
    size_t at = made->count;
    while (at > 0 && made->least[at - 1] > hash)
        at--;
    if (at == SKETCH_HASHES || (at > 0 && made->least[at - 1] == hash))
        return;
    made->count += made->count < SKETCH_HASHES;
    memmove(&made->least[at + 1], &made->least[at], (made->count - at - 1) * sizeof *made->least);
    made->least[at] = hash;
}

static bool is_of_word(unsigned char c)
{
    return c >= 128 || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Adds every three words in a row of a text, whatever stands between them. */
static void add_text(sketch *made, const char *text, size_t length)
{
    uint64_t last[SKETCH_WORDS] = {0};
    size_t words = 0;
    for (size_t from = 0, to; from < length; from = to) {
        for (to = from; to < length && is_of_word((unsigned char)text[to]);)
            to++;
        if (to == from) {
            to++;
            continue;
        }
        last[words++ % SKETCH_WORDS] = tw_hash_bytes(text + from, to - from);
        if (words >= SKETCH_WORDS)
            add_hash(made, last[words % SKETCH_WORDS] + 3 * last[(words + 1) % SKETCH_WORDS] +
                               5 * last[(words + 2) % SKETCH_WORDS]);
    }
}

static void write_sketch(tw_json *json, const twinset_passages *passages,
                         const tw_located_passage *passage)
{
    sketch made = {0};
    char text[17];
    for (unsigned side = 0; side < 2; side++) {
        const twinset_span *span = tw_span_of(passage, side);
        const tw_located_file *file = &passages->sides[side].files[span->file_index];
        add_text(&made, file->text + span->start, span->end - span->start);
    }
    tw_json_list(json, "sketch", TW_JSON_INLINE);
    for (size_t i = 0; i < made.count; i++) {
        snprintf(text, sizeof text, "%016llx", (unsigned long long)made.least[i]);
        tw_json_string(json, NULL, text);
    }
    tw_json_close(json);
}

/* ---- what a passage stands in */

/* The quotations and the lists of sources of the first document, file by file; prose has one. */
typedef struct contexts {
    tw_spans quotations, bibliography;
} contexts;

static int find_contexts(const twinset_passages *passages, contexts *found)
{
    twinset_options options = {.quotations = TWINSET_QUOTATIONS_DROP};
    const tw_located_file *file = &passages->sides[0].files[0];
    if (!passages->prose)
        return TWINSET_OK;
    int status = tw_omissions_find(&options, file->text, file->length, &found->quotations);
    options = (twinset_options){.bibliography = TWINSET_BIBLIOGRAPHY_DROP};
    return status == TWINSET_OK
               ? tw_omissions_find(&options, file->text, file->length, &found->bibliography)
               : status;
}

/* Whether most of a passage lies in the spans. */
static bool is_inside(const tw_spans *spans, const twinset_span *passage)
{
    size_t inside = 0;
    for (size_t i = 0; i < spans->count; i++) {
        size_t from = spans->data[i].start > passage->start ? spans->data[i].start : passage->start;
        size_t to = spans->data[i].end < passage->end ? spans->data[i].end : passage->end;
        inside += to > from ? to - from : 0;
    }
    return 10 * inside >= 8 * (passage->end - passage->start);
}

static unsigned contexts_of(const contexts *found, const tw_located_passage *passage)
{
    return (is_inside(&found->quotations, &passage->a) ? TW_IN_QUOTATION : 0u) |
           (is_inside(&found->bibliography, &passage->a) ? TW_IN_BIBLIOGRAPHY : 0u);
}

/* ---- the passages of a pair */

/* Whether nothing but spaces and tabs stands between two offsets. */
static bool is_blank(const char *text, size_t from, size_t to)
{
    while (from < to && (text[from] == ' ' || text[from] == '\t'))
        from++;
    return from >= to;
}

static void write_span(tw_json *json, size_t before, size_t length)
{
    tw_json_whole(json, NULL, before);
    tw_json_whole(json, NULL, length);
}

/* Whether a span goes on in the next one: both are equal text, with blanks alone between them. */
static bool goes_on(const twinset_passages *passages, const tw_located_passage *passage,
                    const twinset_aligned_span *span, const twinset_aligned_span *next)
{
    const char *a = passages->sides[0].files[passage->a.file_index].text,
               *b = passages->sides[1].files[passage->b.file_index].text;
    return !next->differs && is_blank(a, span->a.end, next->a.start) &&
           is_blank(b, span->b.end, next->b.start);
}

/* Writes what is equal: four numbers for each span, what lies before it in a, its length there, and
 * the same of b. Small numbers pack to a third of what offsets take. */
static void write_spans(tw_json *json, const twinset_passages *passages,
                        const tw_located_passage *passage)
{
    size_t a_end = passage->a.start, b_end = passage->b.start;
    tw_json_list(json, "spans", TW_JSON_INLINE);
    for (size_t i = 0; i < passage->span_count; i++) {
        twinset_aligned_span span = passage->spans[i];
        if (span.differs)
            continue;
        while (i + 1 < passage->span_count &&
               goes_on(passages, passage, &span, &passage->spans[i + 1])) {
            i++;
            span.a.end = passage->spans[i].a.end;
            span.b.end = passage->spans[i].b.end;
        }
        write_span(json, span.a.start - a_end, span.a.end - span.a.start);
        write_span(json, span.b.start - b_end, span.b.end - span.b.start);
        a_end = span.a.end;
        b_end = span.b.end;
    }
    tw_json_close(json);
}

static void write_excluded(tw_json *json, const twinset_passages *passages)
{
    tw_json_list(json, "excluded", TW_JSON_INLINE);
    for (unsigned side = 0; side < 2; side++) {
        const tw_located_document *document = &passages->sides[side];
        tw_json_list(json, NULL, TW_JSON_INLINE);
        for (size_t i = 0; i < document->excluded_count; i++) {
            tw_json_list(json, NULL, TW_JSON_INLINE);
            tw_json_whole(json, NULL, document->excluded[i].file_index);
            tw_json_whole(json, NULL, document->excluded[i].start);
            tw_json_whole(json, NULL, document->excluded[i].end);
            tw_json_close(json);
        }
        tw_json_close(json);
    }
    tw_json_close(json);
}

/* What the tables of the page need of a passage. */
static tw_shown_passage summarise(const contexts *found, const tw_located_passage *passage)
{
    tw_shown_passage shown = {
        .tokens = passage->tokens,
        .documents = passage->documents,
        .contexts = contexts_of(found, passage),
    };
    for (unsigned side = 0; side < 2; side++) {
        const twinset_span *span = tw_span_of(passage, side);
        shown.file[side] = span->file_index;
        shown.from[side] = span->start;
        shown.to[side] = span->end;
    }
    return shown;
}

/* Writes the passages of a pair as JSON, and what the tables need of each, to the block. */
static int write_passages(const twinset_passages *passages, tw_pair_block *block)
{
    tw_sink sink;
    contexts found = {0};
    int status = find_contexts(passages, &found);
    if (status == TWINSET_OK)
        status = TW_GROW(block->list, block->capacity, passages->count);
    tw_sink_init_bytes(&sink, &block->text);
    tw_json json = tw_json_new(&sink);
    json.is_compact = true;
    tw_json_object(&json, NULL, TW_JSON_INLINE);
    tw_json_list(&json, "list", TW_JSON_INLINE);
    for (size_t i = 0; i < passages->count && status == TWINSET_OK; i++) {
        const tw_located_passage *passage = &passages->list[i];
        block->list[block->count++] = summarise(&found, passage);
        tw_json_object(&json, NULL, TW_JSON_INLINE);
        tw_json_passage_members(&json, passage, passages->among);
        write_sketch(&json, passages, passage);
        write_spans(&json, passages, passage);
        tw_json_close(&json);
    }
    tw_json_close(&json);
    write_excluded(&json, passages);
    tw_json_close(&json);
    tw_spans_free(&found.quotations);
    tw_spans_free(&found.bibliography);
    int ended = tw_sink_end_bytes(&sink);
    return status == TWINSET_OK ? ended : status;
}

/* Blacks out the names of files, and names in the programs that became others. */
static void mask_passages(const tw_page *page, twinset_passages *passages)
{
    tw_page_mask(page, passages->names.data, passages->names.length);
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < passages->sides[side].file_count; i++) {
            char *name = passages->sides[side].files[i].name;
            tw_page_mask(page, name, name ? strlen(name) : 0);
        }
}

int tw_page_find_passages(tw_page *page, size_t index, tw_open_texts *open, twinset_error *error)
{
    twinset_passages *found = NULL;
    uint32_t documents[2];
    tw_result_pair_documents(page->result, index, documents);
    int status =
        open ? tw_open_texts_passages(open, documents[0], documents[1], &found, error) : TWINSET_OK;
    if (status == TWINSET_OK && found) {
        mask_passages(page, found);
        status = write_passages(found, &page->blocks[index]);
    }
    twinset_passages_free(found);
    return status;
}

/* ---- who else has a passage */

/* A passage as one of its documents has it. */
typedef struct occurrence {
    size_t document, other; /* indices of shown documents */
    uint32_t file;
    uint64_t from, to;
} occurrence;

typedef struct occurrences {
    occurrence *data; /* ascending by document */
    size_t count;
    size_t *seen; /* by shown document: the last passage that it was counted for */
} occurrences;

static int by_document(const void *left, const void *right)
{
    const occurrence *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

/* Lists each passage twice, once for each of its documents. */
static int list_occurrences(const tw_page *page, occurrences *all)
{
    size_t passages = 0;
    for (size_t i = 0; i < page->pair_count; i++)
        passages += page->blocks[i].count;
    all->data = tw_array(2 * passages + 1, sizeof *all->data);
    all->seen = tw_calloc(page->shown_count + 1, sizeof *all->seen);
    if (!all->data || !all->seen)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < page->pair_count; i++) {
        uint32_t documents[2];
        tw_result_pair_documents(page->result, i, documents);
        size_t shown[2] = {tw_page_index(page, documents[0]), tw_page_index(page, documents[1])};
        for (size_t p = 0; p < page->blocks[i].count; p++)
            for (unsigned side = 0; side < 2; side++) {
                const tw_shown_passage *one = &page->blocks[i].list[p];
                all->data[all->count++] = (occurrence){shown[side], shown[!side], one->file[side],
                                                       one->from[side], one->to[side]};
            }
    }
    if (all->count)
        qsort(all->data, all->count, sizeof *all->data, by_document);
    return TWINSET_OK;
}

static const occurrence *first_of(const occurrences *all, size_t document)
{
    size_t from = 0, to = all->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (all->data[middle].document < document)
            from = middle + 1;
        else
            to = middle;
    }
    return all->data + from;
}

/* Whether an occurrence covers at least half of a passage. */
static bool covers_half(const occurrence *one, const tw_shown_passage *passage, unsigned side)
{
    uint64_t from = one->from > passage->from[side] ? one->from : passage->from[side];
    uint64_t to = one->to < passage->to[side] ? one->to : passage->to[side];
    return one->file == passage->file[side] && to > from &&
           2 * (to - from) >= passage->to[side] - passage->from[side];
}

/* Counts the documents that share at least half of a passage, by the listed pairs; `turn` is
 * different for each passage. */
static uint32_t count_sharing(const occurrences *all, const size_t documents[2],
                              const tw_shown_passage *passage, size_t turn)
{
    uint32_t count = 2;
    all->seen[documents[0]] = all->seen[documents[1]] = turn;
    for (unsigned side = 0; side < 2; side++) {
        const occurrence *end = all->data + all->count;
        for (const occurrence *one = first_of(all, documents[side]);
             one < end && one->document == documents[side] && count < TW_MOST_SHARING; one++)
            if (all->seen[one->other] != turn && covers_half(one, passage, side)) {
                all->seen[one->other] = turn;
                count++;
            }
    }
    return count;
}

int tw_page_count_sharing(tw_page *page)
{
    occurrences all = {0};
    size_t turn = 0;
    int status = list_occurrences(page, &all);
    for (size_t i = 0; i < page->pair_count && status == TWINSET_OK; i++) {
        uint32_t documents[2];
        tw_result_pair_documents(page->result, i, documents);
        size_t shown[2] = {tw_page_index(page, documents[0]), tw_page_index(page, documents[1])};
        for (size_t p = 0; p < page->blocks[i].count; p++) {
            tw_shown_passage *passage = &page->blocks[i].list[p];
            passage->listed = count_sharing(&all, shown, passage, ++turn);
        }
    }
    tw_free(all.data);
    tw_free(all.seen);
    return status;
}
