/* Fills the template of the page with the data of a result. */
#include "page.h"

#include <stdlib.h>
#include <string.h>

tw_write_fn tw_write_html;

/* ---- blocks of data */

/* Passes bytes on, each < as an escape: no name or text can end the block that it is in. In JSON a
 * < is always inside a string. */
static int write_escaped(void *context, const char *bytes, size_t count)
{
    tw_sink *sink = context;
    for (const char *end = bytes + count; bytes < end;) {
        const char *next = memchr(bytes, '<', (size_t)(end - bytes));
        tw_put(sink, bytes, (size_t)((next ? next : end) - bytes));
        if (next)
            tw_put_text(sink, "\\u003c");
        bytes = next ? next + 1 : end;
    }
    return sink->failure;
}

tw_json tw_page_begin_block(tw_page *page, tw_sink *escaped, const char *id)
{
    tw_put_text(page->sink, "<script type=\"application/json\" id=\"");
    tw_put_text(page->sink, id);
    tw_put_text(page->sink, "\">");
    tw_sink_init(escaped, write_escaped, page->sink);
    tw_json json = tw_json_new(escaped);
    json.is_compact = true;
    return json;
}

void tw_page_end_block(tw_page *page, tw_sink *escaped)
{
    if (tw_sink_end(escaped, NULL) == TWINSET_OK) /* the sink below remembers what failed */
        tw_put_text(page->sink, "</script>\n");
}

/* ---- the documents that are shown */

static int by_document(const void *left, const void *right)
{
    const tw_shown_document *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

size_t tw_page_index(const tw_page *page, uint32_t document)
{
    tw_shown_document key = {.document = document};
    const tw_shown_document *found =
        bsearch(&key, page->shown, page->shown_count, sizeof key, by_document);
    return (size_t)(found - page->shown);
}

static size_t count_members(const twinset_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->clusters.count; i++)
        count += result->clusters.data[i].count;
    return count;
}

/* Lists the documents of pairs and clusters, or of the removals that are listed, each once. */
static int list_documents(tw_page *page)
{
    const twinset_result *result = page->result;
    size_t count = 0, members = result->decisions.removed ? 0 : count_members(result);
    tw_shown_document *shown =
        tw_calloc(2 * (result->run.pairs + page->removal_count) + members + 1, sizeof *shown);
    if (!shown)
        return TWINSET_NOMEM;
    page->shown = shown;
    for (size_t i = 0; i < result->run.pairs; i++) {
        uint32_t documents[2];
        tw_result_pair_documents(result, i, documents);
        shown[count++].document = documents[0];
        shown[count++].document = documents[1];
    }
    for (size_t i = 0; i < members; i++)
        shown[count++].document = result->clusters.members[i];
    for (size_t i = 0; i < page->removal_count; i++) {
        const tw_removal *removal = &result->decisions.removed[page->removals[i]];
        shown[count++].document = removal->document;
        shown[count++].document = removal->kept;
    }
    if (count)
        qsort(shown, count, sizeof *shown, by_document);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || shown[i].document != shown[i - 1].document)
            shown[page->shown_count++] = shown[i];
    return TWINSET_OK;
}

/* Computes the digest of a document. */
static int digest_document(const twinset_result *result, tw_shown_document *shown,
                           twinset_error *error)
{
    tw_bytes text = {0};
    const char *name = result->names[shown->document];
    size_t count = tw_text_store_count(result->kept, shown->document);
    int status = TWINSET_OK;
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = tw_text_store_read(result->kept, shown->document, i, &name, &text, error);
    if (count)
        tw_sha1(text.data, text.length, shown->digest);
    else
        tw_sha1(name, strlen(name), shown->digest);
    tw_bytes_free(&text);
    return status;
}

void tw_json_digest(tw_json *json, const char *key, const uint8_t digest[20])
{
    char text[41];
    for (size_t i = 0; i < 20; i++) {
        text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    text[40] = '\0';
    tw_json_string(json, key, text);
}

/* ---- one case alone */

/* Whether `given` names a document: in full, or without some of the folders before it. */
static bool is_named(const char *name, const char *given)
{
    size_t length = strlen(name), end = strlen(given);
    return end && end <= length && strcmp(name + length - end, given) == 0 &&
           (end == length || name[length - end - 1] == '/');
}

/* Finds the pair of two names, and leaves the page's copy of the result with this pair alone. */
static int choose_case(twinset_result *own, const twinset_page *options, twinset_error *error)
{
    for (size_t i = 0; i < own->run.pairs; i++) {
        twinset_pair pair = tw_result_pair_at(own, i);
        bool is_found = (is_named(pair.a, options->a) && is_named(pair.b, options->b)) ||
                        (is_named(pair.a, options->b) && is_named(pair.b, options->a));
        if (!is_found)
            continue;
        own->pairs.data += own->comparison.is_one ? 0 : i;
        own->run.pairs = 1;
        own->clusters.count = own->run.clusters = own->run.removed = 0;
        own->run.skipped = own->run.flagged = 0;
        return TWINSET_OK;
    }
    return tw_fail(error, TWINSET_USAGE,
                   "no pair of %s and %s is in the result; name both as the list of pairs does",
                   options->a, options->b);
}

/* ---- the page */

uint64_t tw_page_most_bytes(const tw_page *page)
{
    enum { MEMORY_SHARE = 8 };
    uint64_t given = page->options->most_bytes, most = given ? given : TW_PAGE_BYTES;
    uint64_t share = tw_memory_share(&page->result->options, MEMORY_SHARE);
    return share < most ? share : most;
}

/* Leaves the page's copy of the result with the first pairs, whose rows take half of the page at
 * most. Each takes up to so many bytes there, with its documents. */
static void limit_pairs(tw_page *page, twinset_result *own)
{
    enum { PAIR_BYTES = 512, LEAST_PAIRS = 1000 };
    size_t most = (size_t)(tw_page_most_bytes(page) / 2 / PAIR_BYTES);
    most = most > LEAST_PAIRS ? most : LEAST_PAIRS;
    page->all_pairs = own->run.pairs;
    own->run.pairs = own->run.pairs < most ? own->run.pairs : most;
}

/* Lists what is shown, and takes the names out if that is asked for. */
static int prepare(tw_page *page, twinset_result *own, twinset_error *error)
{
    int status = page->options->a ? choose_case(own, page->options, error) : TWINSET_OK;
    if (status == TWINSET_OK)
        limit_pairs(page, own);
    if (status == TWINSET_OK)
        status = tw_page_choose_removals(page);
    if (status == TWINSET_OK)
        status = list_documents(page);
    for (size_t i = 0; i < page->shown_count && status == TWINSET_OK; i++)
        status = digest_document(own, &page->shown[i], error);
    if (status == TWINSET_OK && page->options->anonymise)
        status = tw_page_anonymise(page, own);
    return status;
}

static void free_shown(tw_shown_document *shown)
{
    for (size_t i = 0; i < shown->text_count; i++)
        tw_bytes_free(&shown->texts[i]);
    tw_free(shown->texts);
}

static void free_page(tw_page *page)
{
    for (size_t i = 0; i < page->block_count && page->blocks; i++) {
        tw_bytes_free(&page->blocks[i].text);
        tw_free(page->blocks[i].list);
    }
    for (size_t i = 0; i < tw_page_groups(page->block_count) && page->groups; i++)
        tw_bytes_free(&page->groups[i]);
    for (size_t i = 0; i < page->shown_count; i++)
        free_shown(&page->shown[i]);
    tw_free(page->shown);
    tw_free(page->blocks);
    tw_free(page->groups);
    tw_free(page->removals);
    tw_free(page->words.data);
    tw_arena_release(page->arena);
}

/* Writes the page up to a gap, and returns what comes after it. */
static const char *put_up_to(tw_sink *sink, const char *text, const char *gap)
{
    const char *at = strstr(text, gap);
    tw_put(sink, text, (size_t)(at - text));
    return at + strlen(gap);
}

static int fill_page(tw_page *page, twinset_error *error)
{
    const char *rest = put_up_to(page->sink, (const char *)tw_page_template, "<!--data-->");
    int status = tw_page_run(page, error);
    if (status != TWINSET_OK)
        return status;
    rest = put_up_to(page->sink, rest, "<!--texts-->");
    tw_page_texts(page);
    tw_put_text(page->sink, rest);
    return TWINSET_OK;
}

static int write_page(tw_sink *sink, const twinset_result *result, const twinset_page *options,
                      twinset_error *error)
{
    twinset_result own = *result;
    tw_page page = {.sink = sink, .result = &own, .options = options};
    if (tw_page_template_bytes == 0)
        return tw_fail(error, TWINSET_USAGE,
                       "this build has no page for reports; build again with TWINSET_REPORT=ON, "
                       "and with npm where web/ was changed");
    int status = prepare(&page, &own, error);
    if (status == TWINSET_OK)
        status = tw_page_collect(&page, error);
    if (status == TWINSET_OK)
        status = fill_page(&page, error);
    if (options->pairs_with_texts)
        *options->pairs_with_texts = page.pair_count;
    if (options->pairs_listed)
        *options->pairs_listed = own.run.pairs;
    free_page(&page);
    return status;
}

int tw_write_html(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                  twinset_error *error)
{
    (void)style;
    twinset_page options = {.size = sizeof options};
    return write_page(sink, result, &options, error);
}

/* ---- the public calls */

static int copy_options(const twinset_page *given, twinset_page *own, twinset_error *error)
{
    if (!given || given->size < sizeof given->size)
        return tw_fail(error, TWINSET_USAGE, "the page has no size: set page.size to sizeof page");
    tw_copy_struct(own, sizeof *own, given, given->size);
    return !own->a == !own->b ? TWINSET_OK : tw_missing(error, own->a ? "page->b" : "page->a");
}

/* Refuses what is not a review. */
static int check_review(const char *review, twinset_error *error)
{
    tw_jsonl *parser;
    tw_bytes text = {0};
    tw_record record = {0};
    size_t length = strlen(review);
    int status = tw_jsonl_new("format", "version", &parser);
    if (status == TWINSET_OK)
        status = tw_bytes_append(&text, review, length);
    if (status == TWINSET_OK)
        status = tw_bytes_reserve(&text, TW_JSON_PADDING);
    if (status == TWINSET_OK)
        status = tw_jsonl_record(parser, text.data, length, &record);
    static const char format[] = "twinset review";
    bool is_review = status == TWINSET_OK && !record.reason &&
                     record.text_length == sizeof format - 1 &&
                     memcmp(record.text, format, sizeof format - 1) == 0;
    tw_jsonl_free(parser);
    tw_bytes_free(&text);
    if (status != TWINSET_OK)
        return tw_nomem(error);
    return is_review ? TWINSET_OK
                     : tw_fail(error, TWINSET_USAGE,
                               "this is not a review: save one in a report, on its page Review");
}

int twinset_result_write_page(const twinset_result *result, const twinset_page *given,
                              twinset_write_fn write, void *context, twinset_error *error)
{
    twinset_page options = {0};
    tw_sink sink;
    tw_error_clear(error);
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    int status = copy_options(given, &options, error);
    if (status == TWINSET_OK && options.review)
        status = check_review(options.review, error);
    if (status != TWINSET_OK)
        return status;
    tw_sink_init(&sink, write, context);
    status = write_page(&sink, result, &options, error);
    return tw_end_writing(&sink, status, error);
}

int twinset_result_write_page_key(const twinset_result *result, const twinset_page *given,
                                  twinset_write_fn write, void *context, twinset_error *error)
{
    twinset_page options = {0};
    tw_sink sink;
    tw_error_clear(error);
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    int status = copy_options(given, &options, error);
    if (status != TWINSET_OK)
        return status;
    twinset_result own = *result;
    tw_page page = {.sink = &sink, .result = &own, .options = &options};
    options.anonymise = 0; /* the key has the names */
    tw_sink_init(&sink, write, context);
    status = prepare(&page, &own, error);
    if (status == TWINSET_OK)
        status = tw_page_write_key(&page);
    free_page(&page);
    return tw_end_writing(&sink, status, error);
}
