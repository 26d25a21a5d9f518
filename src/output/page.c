/* Fills the page of the report with the data of a result. */
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

tw_json tw_report_begin_block(tw_report *report, tw_sink *escaped, const char *id)
{
    tw_put_text(report->sink, "<script type=\"application/json\" id=\"");
    tw_put_text(report->sink, id);
    tw_put_text(report->sink, "\">");
    tw_sink_init(escaped, write_escaped, report->sink);
    return tw_json_new(escaped);
}

void tw_report_end_block(tw_report *report, tw_sink *escaped)
{
    if (tw_sink_end(escaped, NULL) == TWINSET_OK) /* the sink below remembers what failed */
        tw_put_text(report->sink, "</script>\n");
}

/* ---- the documents that are shown */

static int by_document(const void *left, const void *right)
{
    const tw_shown_document *x = left, *y = right;
    return x->document < y->document ? -1 : x->document > y->document;
}

size_t tw_report_index(const tw_report *report, uint32_t document)
{
    tw_shown_document key = {.document = document};
    const tw_shown_document *found =
        bsearch(&key, report->shown, report->shown_count, sizeof key, by_document);
    return (size_t)(found - report->shown);
}

static size_t count_members(const twinset_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->clusters.count; i++)
        count += result->clusters.data[i].count;
    return count;
}

/* Lists the documents of pairs and clusters, or of the removals that are listed, each once. */
static int list_documents(tw_report *report)
{
    const twinset_result *result = report->result;
    size_t count = 0, members = result->decisions.removed ? 0 : count_members(result);
    tw_shown_document *shown =
        tw_calloc(2 * (result->run.pairs + report->removal_count) + members + 1, sizeof *shown);
    if (!shown)
        return TWINSET_NOMEM;
    report->shown = shown;
    for (size_t i = 0; i < result->run.pairs; i++) {
        uint32_t documents[2];
        tw_result_pair_documents(result, i, documents);
        shown[count++].document = documents[0];
        shown[count++].document = documents[1];
    }
    for (size_t i = 0; i < members; i++)
        shown[count++].document = result->clusters.members[i];
    for (size_t i = 0; i < report->removal_count; i++) {
        const tw_removal *removal = &result->decisions.removed[report->removals[i]];
        shown[count++].document = removal->document;
        shown[count++].document = removal->kept;
    }
    if (count)
        qsort(shown, count, sizeof *shown, by_document);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || shown[i].document != shown[i - 1].document)
            shown[report->shown_count++] = shown[i];
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

/* Finds the pair of two names, and leaves the report's copy of the result with this pair alone. */
static int choose_case(twinset_result *own, const twinset_page *page, twinset_error *error)
{
    for (size_t i = 0; i < own->run.pairs; i++) {
        twinset_pair pair = tw_result_pair_at(own, i);
        bool is_found = (is_named(pair.a, page->a) && is_named(pair.b, page->b)) ||
                        (is_named(pair.a, page->b) && is_named(pair.b, page->a));
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
                   page->a, page->b);
}

/* ---- the page */

uint64_t tw_report_most_bytes(const tw_report *report)
{
    enum { MEMORY_SHARE = 8 };
    uint64_t given = report->page->most_bytes, most = given ? given : TW_REPORT_BYTES;
    uint64_t share = tw_memory_share(&report->result->options, MEMORY_SHARE);
    return share < most ? share : most;
}

/* Leaves the report's copy of the result with the first pairs, whose rows take half of the page at
 * most. Each takes up to so many bytes there, with its documents. */
static void limit_pairs(tw_report *report, twinset_result *own)
{
    enum { PAIR_BYTES = 512, LEAST_PAIRS = 1000 };
    size_t most = (size_t)(tw_report_most_bytes(report) / 2 / PAIR_BYTES);
    most = most > LEAST_PAIRS ? most : LEAST_PAIRS;
    report->all_pairs = own->run.pairs;
    own->run.pairs = own->run.pairs < most ? own->run.pairs : most;
}

/* Lists what is shown, and takes the names out if that is asked for. */
static int prepare(tw_report *report, twinset_result *own, twinset_error *error)
{
    int status = report->page->a ? choose_case(own, report->page, error) : TWINSET_OK;
    if (status == TWINSET_OK)
        limit_pairs(report, own);
    if (status == TWINSET_OK)
        status = tw_report_choose_removals(report);
    if (status == TWINSET_OK)
        status = list_documents(report);
    for (size_t i = 0; i < report->shown_count && status == TWINSET_OK; i++)
        status = digest_document(own, &report->shown[i], error);
    if (status == TWINSET_OK && report->page->anonymise)
        status = tw_report_anonymise(report, own);
    return status;
}

static void free_shown(tw_shown_document *shown)
{
    for (size_t i = 0; i < shown->text_count; i++)
        tw_bytes_free(&shown->texts[i]);
    tw_free(shown->texts);
}

static void free_report(tw_report *report)
{
    for (size_t i = 0; i < report->block_count && report->blocks; i++) {
        tw_bytes_free(&report->blocks[i].packed);
        tw_free(report->blocks[i].list);
    }
    for (size_t i = 0; i < report->shown_count; i++)
        free_shown(&report->shown[i]);
    tw_free(report->shown);
    tw_free(report->blocks);
    tw_free(report->removals);
    tw_free(report->words.data);
    tw_arena_release(report->arena);
}

/* Writes the page up to a gap, and returns what comes after it. */
static const char *put_up_to(tw_sink *sink, const char *page, const char *gap)
{
    const char *at = strstr(page, gap);
    tw_put(sink, page, (size_t)(at - page));
    return at + strlen(gap);
}

static int fill_page(tw_report *report, twinset_error *error)
{
    const char *rest = put_up_to(report->sink, (const char *)tw_report_page, "<!--data-->");
    int status = tw_report_run(report, error);
    if (status != TWINSET_OK)
        return status;
    rest = put_up_to(report->sink, rest, "<!--texts-->");
    tw_report_texts(report);
    tw_put_text(report->sink, rest);
    return TWINSET_OK;
}

static int write_page(tw_sink *sink, const twinset_result *result, const twinset_page *page,
                      twinset_error *error)
{
    twinset_result own = *result;
    tw_report report = {.sink = sink, .result = &own, .page = page};
    if (tw_report_page_bytes == 0)
        return tw_fail(error, TWINSET_USAGE,
                       "this build has no page for reports; build again with TWINSET_REPORT=ON, "
                       "and with npm where web/ was changed");
    int status = prepare(&report, &own, error);
    if (status == TWINSET_OK)
        status = tw_report_collect(&report, error);
    if (status == TWINSET_OK)
        status = fill_page(&report, error);
    if (page->pairs_with_texts)
        *page->pairs_with_texts = report.pair_count;
    if (page->pairs_listed)
        *page->pairs_listed = own.run.pairs;
    free_report(&report);
    return status;
}

int tw_write_html(tw_sink *sink, const twinset_result *result, const twinset_style *style,
                  twinset_error *error)
{
    (void)style;
    twinset_page page = {.size = sizeof page};
    return write_page(sink, result, &page, error);
}

/* ---- the public calls */

static int copy_page(const twinset_page *given, twinset_page *own, twinset_error *error)
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
    twinset_page page = {0};
    tw_sink sink;
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    int status = copy_page(given, &page, error);
    if (status == TWINSET_OK && page.review)
        status = check_review(page.review, error);
    if (status != TWINSET_OK)
        return status;
    tw_sink_init(&sink, write, context);
    status = write_page(&sink, result, &page, error);
    if (status == TWINSET_OK)
        return tw_sink_end(&sink, error);
    return status == TWINSET_NOMEM ? tw_nomem(error) : status;
}

int twinset_result_write_page_key(const twinset_result *result, const twinset_page *given,
                                  twinset_write_fn write, void *context, twinset_error *error)
{
    twinset_page page = {0};
    tw_sink sink;
    if (!result || !write)
        return tw_missing(error, result ? "write" : "result");
    int status = copy_page(given, &page, error);
    if (status != TWINSET_OK)
        return status;
    twinset_result own = *result;
    tw_report report = {.sink = &sink, .result = &own, .page = &page};
    page.anonymise = 0; /* the key has the names */
    tw_sink_init(&sink, write, context);
    status = prepare(&report, &own, error);
    if (status == TWINSET_OK)
        status = tw_report_write_key(&report);
    free_report(&report);
    if (status == TWINSET_OK)
        return tw_sink_end(&sink, error);
    return status == TWINSET_NOMEM ? tw_nomem(error) : status;
}
