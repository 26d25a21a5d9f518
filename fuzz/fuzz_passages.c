/*
 * Two texts of any bytes, whose bytes are the tokens: their passages are found, located and shown.
 * Promises: runs are equal in both documents and do not overlap, and no line is too wide.
 */
#include "digest.h"
#include "fuzz.h"
#include "passages.h"
#include "passages_text.h"

enum { K = 4, MOST = 2000 };

typedef struct document {
    uint64_t ids[MOST], forms[MOST], words[MOST];
    uint8_t names[MOST];
    tw_token_location locations[MOST];
    tw_token_sequence side;
    tw_tokenised_file file;
} document;

/* Makes a document. The low bits of a byte are its form; some shingles are excluded. */
static void make_document(document *d, const uint8_t *data, size_t size)
{
    uint32_t line = 1;
    size = size < MOST ? size : MOST;
    for (size_t i = 0; i < size; i++) {
        line += i > 0 && data[i - 1] == '\n';
        d->locations[i] = (tw_token_location){(uint32_t)i, (uint32_t)i + 1, line};
        d->forms[i] = data[i] % 32;
        d->words[i] = data[i];
        d->names[i] = data[i] % 32 == 1;
    }
    for (size_t i = 0; i < size; i++) {
        uint64_t id = 1;
        for (size_t t = i; t < i + K && t < size; t++)
            id = tw_mix64(id + d->forms[t]);
        d->ids[i] = i + K <= size && id % 16 ? id : 0;
    }
    d->side = (tw_token_sequence){
        .ids = d->ids, .forms = d->forms, .words = d->words, .names = d->names, .count = size};
    d->file = (tw_tokenised_file){NULL, (const char *)data, size};
}

static void check_passages(const tw_passage_finder *found, const document *a, const document *b)
{
    static uint8_t in_a[MOST], in_b[MOST];
    memset(in_a, 0, sizeof in_a);
    memset(in_b, 0, sizeof in_b);
    for (size_t r = 0; r < found->runs.count; r++) {
        const tw_token_run *run = &found->runs.data[r];
        REQUIRE(run->a + run->count <= a->side.count);
        REQUIRE(run->b + run->count <= b->side.count);
        for (uint32_t t = 0; t < run->count; t++) {
            REQUIRE(a->forms[run->a + t] == b->forms[run->b + t]);
            REQUIRE(!in_a[run->a + t]++ && !in_b[run->b + t]++);
        }
    }
}

/* Collects the written bytes. */
static int collect(void *context, const char *bytes, size_t count)
{
    tw_bytes *page = context;
    return tw_bytes_append(page, bytes, count) == TWINSET_OK ? 0 : 1;
}

static void write_passages(const twinset_passages *passages, unsigned width)
{
    static tw_sink sink;
    tw_bytes page = {0};
    twinset_style style = {.width = width};
    tw_sink_init(&sink, collect, &page);
    REQUIRE(tw_write_passages(&sink, passages, &style) == TWINSET_OK);
    REQUIRE(tw_sink_end(&sink, NULL) == TWINSET_OK);
    for (size_t i = 0, start = 0; i < page.length; i++) {
        if (page.data[i] != '\n')
            continue;
        REQUIRE(tw_columns(page.data + start, i - start) <= width);
        start = i + 1;
    }
    tw_bytes_free(&page);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static document a, b;
    unsigned width = 50 + take_byte(&data, &size);
    bool prose = take_byte(&data, &size) & 1;
    make_document(&a, data, size / 2);
    make_document(&b, data + size / 2, size - size / 2);
    tw_passage_finder found = {0};
    tw_passage_finder_rules rules = {.k = K, .least = K};
    REQUIRE(tw_passage_finder_search(&found, &a.side, &b.side, &rules) == TWINSET_OK);
    check_passages(&found, &a, &b);
    tw_tokenised_document sides[2] = {{"a", &a.side, a.locations, &a.file},
                                      {"b", &b.side, b.locations, &b.file}};
    twinset_passages *passages;
    REQUIRE(tw_passages_locate(&found, sides, prose ? "word" : "token", 0, &passages) ==
            TWINSET_OK);
    write_passages(passages, width);
    twinset_passages_free(passages);
    tw_passage_finder_free(&found);
    return 0;
}
