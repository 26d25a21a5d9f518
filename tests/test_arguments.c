/*
 * The arguments of every public call: NULL and values out of range are refused with a message, and
 * structs of other versions are read and filled as far as both sides have their fields.
 * tests/docs/test_header.py checks that this file names every function of the headers.
 */
#include "testing.h"

#include "results.h"
#include "text_buffer.h"

#define NAME "one"
#define TEXT "The quick brown fox jumps over the lazy dog and away."

/* A call must be refused; if it takes an error, it must set a message. */
#define assert_refused(call)                                                                       \
    do {                                                                                           \
        twinset_error error = {""};                                                                \
        assert_int_equal(call, TWINSET_USAGE);                                                     \
        assert_true(strlen(error.message) > 10);                                                   \
    } while (0)
#define assert_usage(call) assert_int_equal(call, TWINSET_USAGE)

static int take_nothing(void *context, const char *name, const char *text, size_t length)
{
    (void)context, (void)name, (void)text, (void)length;
    return 0;
}

static twinset_collection *two_texts(void)
{
    twinset_collection *collection = NULL;
    assert_int_equal(twinset_collection_new(NULL, &collection, NULL), TWINSET_OK);
    assert_int_equal(
        twinset_collection_add_text(collection, "one", LITERAL(TEXT), TWINSET_ROLE_NEW, NULL),
        TWINSET_OK);
    assert_int_equal(
        twinset_collection_borrow_text(collection, "two", LITERAL(TEXT), TWINSET_ROLE_NEW, NULL),
        TWINSET_OK);
    assert_int_equal(
        twinset_collection_add_text(collection, "none", NULL, 0, TWINSET_ROLE_NEW, NULL),
        TWINSET_OK);
    return collection;
}

/* ---- version, options */

static void the_version_is_also_a_number(void **state)
{
    int major, minor, patch;
    (void)state;
    assert_string_equal(twinset_version(), TWINSET_VERSION);
    assert_int_equal(sscanf(TWINSET_VERSION, "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(TWINSET_VERSION_NUMBER, major * 10000 + minor * 100 + patch);
    assert_int_equal(twinset_version_number(), TWINSET_VERSION_NUMBER);
}

static void options_need_their_size(void **state)
{
    twinset_options options, zero = {0};
    twinset_collection *collection;
    twinset_pair pair;
    (void)state;
    twinset_options_init(NULL, sizeof options);
    twinset_options_init(&options, sizeof options);
    assert_int_equal(options.size, sizeof options);
    assert_refused(twinset_options_set(NULL, "k", "9", &error));
    assert_refused(twinset_options_set(&options, NULL, "9", &error));
    assert_refused(twinset_options_set(&options, "k", NULL, &error));
    assert_refused(twinset_options_set(&zero, "k", "9", &error));
    assert_refused(twinset_collection_new(&zero, &collection, &error));
    assert_null(collection);
    assert_refused(
        twinset_compare(LITERAL(TEXT), LITERAL(TEXT), &zero, &pair, sizeof pair, &error));
    twinset_sketcher *sketcher;
    twinset_comparer *comparer;
    assert_refused(twinset_sketcher_new(&zero, &sketcher, &error));
    assert_refused(twinset_comparer_new(&zero, &comparer, &error));
    assert_true(!sketcher && !comparer);
}

/* A program of an earlier version has fewer fields, and a program of a later version has more. */
static void options_of_other_versions_work(void **state)
{
    struct {
        twinset_options known;
        uint64_t later[4];
    } later;
    twinset_options earlier;
    twinset_tuning tuning;
    (void)state;
    memset(&later, 0xff, sizeof later);
    twinset_options_init(&later.known, sizeof later);
    assert_int_equal(later.known.size, sizeof later);
    for (size_t i = 0; i < COUNT(later.later); i++)
        assert_true(later.later[i] == 0);
    later.known.hashes = 64;
    assert_int_equal(twinset_tune(&later.known, &tuning, sizeof tuning, NULL), TWINSET_OK);
    assert_int_equal(tuning.hashes, 64);

    memset(&earlier, 0xff, sizeof earlier);
    twinset_options_init(&earlier, offsetof(twinset_options, hashes));
    assert_int_equal(earlier.hashes, UINT32_MAX); /* nothing is written past its size */
    earlier.threshold = 0.7;
    assert_int_equal(twinset_tune(&earlier, &tuning, sizeof tuning, NULL), TWINSET_OK);
    assert_true(tuning.threshold == 0.7);
    assert_int_equal(tuning.hashes, 130); /* nor read past it */
    assert_int_equal(twinset_options_set(&earlier, "threshold", "0.6", NULL), TWINSET_OK);
    assert_refused(twinset_options_set(&earlier, "hashes", "16", &error));
}

static void the_table_of_options_ends(void **state)
{
    twinset_option_info info;
    (void)state;
    twinset_format_info format;
    assert_usage(twinset_format_at(twinset_format_count(), &format, sizeof format));
    assert_usage(twinset_format_at(0, NULL, sizeof format));
    assert_int_equal(twinset_format_at(0, &format, sizeof format), TWINSET_OK);
    assert_string_equal(format.name, "table");
    assert_usage(twinset_option_at(twinset_option_count(), &info, sizeof info));
    assert_usage(twinset_option_at(0, NULL, sizeof info));
    assert_int_equal(twinset_option_at(0, &info, sizeof info), TWINSET_OK);
    char text[] = "`k`";
    assert_string_equal(twinset_spell_options(text), "-k");
}

static void the_table_of_rules_ends(void **state)
{
    twinset_rule_info rule;
    (void)state;
    assert_usage(twinset_rule(twinset_rules(), &rule, sizeof rule));
    assert_usage(twinset_rule(0, NULL, sizeof rule));
    assert_int_equal(twinset_rule(0, &rule, sizeof rule), TWINSET_OK);
    assert_string_equal(twinset_rule_value(rule.name), rule.value);
    assert_null(twinset_rule_value("no such rule"));
    assert_null(twinset_rule_value(NULL));
}

/* ---- collections */

static void texts_to_compare_are_checked(void **state)
{
    twinset_pair pair;
    (void)state;
    assert_refused(twinset_compare(LITERAL(TEXT), LITERAL(TEXT), NULL, NULL, 0, &error));
    assert_int_equal(twinset_compare(NULL, 0, LITERAL(TEXT), NULL, &pair, sizeof pair, NULL),
                     TWINSET_EMPTY);
    assert_int_equal(twinset_compare(NULL, 5, NULL, 5, NULL, &pair, sizeof pair, NULL),
                     TWINSET_EMPTY);
}

static void inputs_are_checked(void **state)
{
    const twinset_role role = TWINSET_ROLE_NEW, no_role = (twinset_role)7;
    twinset_skip skip;
    (void)state;
    assert_refused(twinset_collection_new(NULL, NULL, &error));
    assert_refused(twinset_collection_add_text(NULL, NAME, LITERAL(TEXT), role, &error));
    assert_refused(twinset_collection_borrow_text(NULL, NAME, LITERAL(TEXT), role, &error));
    assert_refused(twinset_collection_add_path(NULL, "nowhere", role, &error));
    assert_int_equal(twinset_collection_inputs(NULL) + twinset_collection_skips(NULL), 0);
    assert_null(twinset_collection_input(NULL, 0));
    assert_int_equal(twinset_collection_reads(NULL, "nowhere"), 0);
    assert_refused(twinset_collection_check_outputs(NULL, NULL, 0, &error));
    assert_refused(twinset_collection_protect(NULL, "file", &error));
    assert_usage(twinset_collection_skip(NULL, 0, &skip, sizeof skip));

    twinset_collection *collection = two_texts();
    assert_refused(twinset_collection_add_text(collection, NULL, LITERAL(TEXT), role, &error));
    assert_refused(twinset_collection_borrow_text(collection, NULL, LITERAL(TEXT), role, &error));
    assert_refused(twinset_collection_add_text(collection, NAME, LITERAL(TEXT), no_role, &error));
    assert_refused(twinset_collection_add_path(collection, NULL, role, &error));
    assert_refused(twinset_collection_add_path(collection, "nowhere", no_role, &error));
    assert_int_equal(twinset_collection_reads(collection, NULL), 0);
    assert_refused(twinset_collection_check_outputs(collection, NULL, 1, &error));
    assert_refused(twinset_collection_protect(collection, NULL, &error));
    assert_refused(twinset_collection_check_outputs(collection, (const char *[]){NULL}, 1, &error));
    assert_int_equal(twinset_collection_check_outputs(collection, NULL, 0, NULL), TWINSET_OK);
    size_t inputs = twinset_collection_inputs(collection);
    assert_string_equal(twinset_collection_input(collection, 0), "one");
    assert_null(twinset_collection_input(collection, inputs));
    assert_null(twinset_collection_input(collection, SIZE_MAX));
    assert_int_equal(twinset_collection_add_path(collection, "nowhere", role, NULL), TWINSET_OK);
    size_t skips = twinset_collection_skips(collection);
    assert_int_equal(skips, 1);
    assert_usage(twinset_collection_skip(collection, skips, &skip, sizeof skip));
    assert_usage(twinset_collection_skip(collection, 0, NULL, sizeof skip));
    assert_string_equal(collection_skip_at(collection, 0).path, "nowhere");
    twinset_collection_free(collection);
    twinset_collection_cancel(NULL);
    twinset_collection_free(NULL);
}

static void runs_are_checked(void **state)
{
    twinset_result *result = (twinset_result *)&result;
    size_t count;
    (void)state;
    assert_refused(twinset_collection_scan(NULL, &result, &error));
    assert_null(result);
    assert_refused(twinset_collection_dedup(NULL, NULL, &result, &error));
    assert_refused(twinset_collection_compare(NULL, &result, &error));
    assert_refused(twinset_collection_texts(NULL, take_nothing, NULL, &error));
    assert_refused(
        twinset_collection_sketch(NULL, TWINSET_FORMAT_JSONL, text_buffer_write, NULL, &error));
    assert_refused(twinset_collection_outputs(NULL, 0, 0, &count, &error));
    assert_null(twinset_collection_output(NULL, 0));

    twinset_collection *collection = two_texts();
    assert_refused(twinset_collection_scan(collection, NULL, &error));
    assert_refused(twinset_collection_dedup(collection, "first", NULL, &error));
    assert_refused(twinset_collection_compare(collection, NULL, &error));
    assert_refused(twinset_collection_texts(collection, NULL, NULL, &error));
    assert_refused(twinset_collection_sketch(collection, TWINSET_FORMAT_JSONL, NULL, NULL, &error));
    assert_refused(
        twinset_collection_sketch(collection, (twinset_format)77, text_buffer_write, NULL, &error));
    assert_refused(twinset_collection_outputs(collection, 0, 0, NULL, &error));
    assert_null(twinset_collection_output(collection, SIZE_MAX));
    assert_int_equal(twinset_collection_scan(collection, &result, NULL), TWINSET_OK);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- results */

/* A getter of a list refuses a NULL result, an index past the end, and a NULL struct. */
#define assert_list(result, count, get, element)                                                   \
    do {                                                                                           \
        assert_int_equal(count(NULL), 0);                                                          \
        assert_usage(get(NULL, 0, &(element), sizeof(element)));                                   \
        assert_usage(get(result, count(result), &(element), sizeof(element)));                     \
        assert_usage(get(result, SIZE_MAX, &(element), sizeof(element)));                          \
        assert_usage(get(result, 0, NULL, sizeof(element)));                                       \
        for (size_t each = 0; each < count(result); each++)                                        \
            assert_int_equal(get(result, each, &(element), sizeof(element)), TWINSET_OK);          \
    } while (0)

static void indexes_past_the_end_of_a_list_are_refused(void **state)
{
    twinset_collection *collection = two_texts();
    twinset_result *result;
    twinset_run run;
    twinset_pair pair;
    twinset_cluster cluster;
    twinset_skip skip;
    twinset_flagged_document flagged;
    twinset_removal removal;
    twinset_stage stage;
    (void)state;
    assert_int_equal(twinset_collection_add_text(collection, "bad", LITERAL("bad \xff byte"),
                                                 TWINSET_ROLE_NEW, NULL),
                     TWINSET_OK);
    for (int dedup = 0; dedup < 2; dedup++) {
        assert_int_equal(dedup ? twinset_collection_dedup(collection, NULL, &result, NULL)
                               : twinset_collection_scan(collection, &result, NULL),
                         TWINSET_OK);
        assert_usage(twinset_result_run(NULL, &run, sizeof run));
        assert_usage(twinset_result_run(result, NULL, sizeof run));
        run = run_of(result);
        assert_list(result, twinset_result_pairs, twinset_result_pair, pair);
        assert_list(result, twinset_result_clusters, twinset_result_cluster, cluster);
        assert_list(result, twinset_result_skips, twinset_result_skip, skip);
        assert_list(result, twinset_result_flagged_documents, twinset_result_flagged_document,
                    flagged);
        assert_list(result, twinset_result_removals, twinset_result_removal, removal);
        assert_list(result, twinset_result_stages, twinset_result_stage, stage);
        assert_int_equal(twinset_result_notes(NULL), 0);
        assert_int_equal(twinset_result_notes(result), run.notes);
        assert_null(twinset_result_note(NULL, 0));
        assert_null(twinset_result_note(result, run.notes));
        assert_int_equal(twinset_result_pairs(result), dedup ? 0 : 1);
        assert_int_equal(twinset_result_clusters(result), 1);
        assert_int_equal(twinset_result_skips(result), 1);
        assert_int_equal(twinset_result_flagged_documents(result), 1);
        assert_int_equal(twinset_result_removals(result), dedup);
        assert_true(twinset_result_stages(result) > 0);
        twinset_result_free(result);
    }
    twinset_result_free(NULL);
    twinset_collection_free(collection);
    assert_true(twinset_peak_memory() > 0);
}

static void structs_of_other_versions_are_filled(void **state)
{
    struct {
        twinset_pair known;
        uint64_t later[4];
    } later;
    twinset_pair earlier;
    twinset_collection *collection = two_texts();
    twinset_result *result;
    (void)state;
    assert_int_equal(twinset_collection_scan(collection, &result, NULL), TWINSET_OK);
    memset(&later, 0xff, sizeof later);
    assert_int_equal(twinset_result_pair(result, 0, &later.known, sizeof later), TWINSET_OK);
    assert_true(later.known.similarity == 1);
    for (size_t i = 0; i < COUNT(later.later); i++)
        assert_true(later.later[i] == 0);
    memset(&earlier, 0xff, sizeof earlier);
    size_t size = offsetof(twinset_pair, shared);
    assert_int_equal(twinset_result_pair(result, 0, &earlier, size), TWINSET_OK);
    assert_memory_equal(&earlier, &later, size);
    assert_true(earlier.shared == UINT64_MAX);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void writing_is_checked(void **state)
{
    static const twinset_style no_size = {.width = 60};
    twinset_collection *collection = two_texts();
    twinset_result *result;
    twinset_passages *passages;
    (void)state;
    assert_int_equal(twinset_collection_scan(collection, &result, NULL), TWINSET_OK);
    const twinset_format csv = TWINSET_FORMAT_CSV;
    assert_refused(twinset_result_write(NULL, csv, NULL, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write(result, csv, NULL, NULL, NULL, &error));
    assert_refused(twinset_result_write(result, csv, &no_size, text_buffer_write, NULL, &error));
    assert_refused(
        twinset_result_write(result, (twinset_format)77, NULL, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write_removed(NULL, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write_removed(result, NULL, NULL, &error));
    assert_refused(twinset_result_write_report(NULL, NULL, 0, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write_report(result, NULL, 0, NULL, NULL, &error));
    twinset_page page = {.size = sizeof page}, half = {.size = sizeof half, .a = "a"};
    assert_refused(twinset_result_write_page(NULL, &page, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write_page(result, NULL, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write_page(result, &page, NULL, NULL, &error));
    assert_refused(twinset_result_write_page(result, &half, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write_page_key(NULL, &page, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write_page_key(result, NULL, text_buffer_write, NULL, &error));
    assert_refused(twinset_result_write_page_key(result, &page, NULL, NULL, &error));
    twinset_pair pair = {.a = "a"};
    assert_refused(twinset_pair_write(&pair, sizeof pair, csv, text_buffer_write, NULL, &error));
    assert_refused(twinset_pair_write(NULL, 0, csv, NULL, NULL, &error));
    assert_refused(twinset_result_passages(NULL, 0, &passages, &error));
    assert_refused(twinset_result_passages(result, 0, NULL, &error));
    assert_refused(twinset_result_passages(result, 1, &passages, &error));
    assert_null(passages);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void cleaning_is_checked(void **state)
{
    twinset_collection *collection = two_texts();
    twinset_result *scanned, *cleaned;
    twinset_clean_counts counts;
    (void)state;
    assert_int_equal(twinset_collection_scan(collection, &scanned, NULL), TWINSET_OK);
    assert_refused(
        twinset_result_clean(scanned, 0, NULL, 0, text_buffer_write, NULL, &counts, 8, &error));
    twinset_result_free(scanned);
    assert_int_equal(twinset_collection_dedup(collection, NULL, &cleaned, NULL), TWINSET_OK);
    assert_refused(
        twinset_result_clean(NULL, 0, NULL, 0, text_buffer_write, NULL, NULL, 0, &error));
    assert_refused(twinset_result_clean(cleaned, 0, NULL, 0, NULL, NULL, NULL, 0, &error));
    assert_refused(
        twinset_result_clean(cleaned, SIZE_MAX, NULL, 0, text_buffer_write, NULL, NULL, 0, &error));
    text_buffer out = {0};
    assert_int_equal(twinset_result_clean(cleaned, 0, NULL, 0, text_buffer_write, &out, &counts,
                                          sizeof counts, NULL),
                     TWINSET_OK);
    assert_int_equal(counts.kept, 1);
    text_buffer_free(&out);
    uint32_t decision;
    assert_refused(twinset_result_records(NULL, 0, 0, 1, &decision, NULL, &error));
    assert_refused(twinset_result_records(cleaned, 0, 0, 1, NULL, NULL, &error));
    assert_refused(twinset_result_records(cleaned, SIZE_MAX, 0, 1, &decision, NULL, &error));
    assert_refused(twinset_result_records(cleaned, 0, 0, 1, &decision, NULL, &error));
    twinset_result_free(cleaned);
    twinset_collection_free(collection);
}

/* ---- passages */

static void null_passages_are_empty(void **state)
{
    twinset_passage passage;
    twinset_span span;
    twinset_rename rename;
    twinset_aligned_span aligned;
    size_t length;
    (void)state;
    assert_int_equal(twinset_passages_count(NULL), 0);
    assert_usage(twinset_passages_at(NULL, 0, &passage, sizeof passage));
    assert_usage(twinset_passages_span(NULL, 0, 0, &span, sizeof span));
    assert_int_equal(twinset_passages_renames(NULL, 0), 0);
    assert_usage(twinset_passages_rename(NULL, 0, 0, &rename, sizeof rename));
    assert_int_equal(twinset_passages_aligned_spans(NULL, 0), 0);
    assert_usage(twinset_passages_aligned_span(NULL, 0, 0, &aligned, sizeof aligned));
    assert_int_equal(twinset_passages_excluded_spans(NULL, 0), 0);
    assert_usage(twinset_passages_excluded_span(NULL, 0, 0, &span, sizeof span));
    assert_int_equal(twinset_passages_texts(NULL, 0), 0);
    assert_null(twinset_passages_text(NULL, 0, 0, &length));
    twinset_passages_free(NULL);
}

static void indexes_past_the_last_passage_are_refused(void **state)
{
    twinset_collection *collection = two_texts();
    twinset_result *result;
    twinset_passages *passages;
    twinset_passage passage;
    twinset_span span;
    twinset_aligned_span aligned;
    (void)state;
    assert_int_equal(twinset_collection_scan(collection, &result, NULL), TWINSET_OK);
    assert_int_equal(twinset_result_passages(result, 0, &passages, NULL), TWINSET_OK);
    assert_int_equal(twinset_passages_count(passages), 1);
    assert_int_equal(twinset_passages_at(passages, 0, &passage, sizeof passage), TWINSET_OK);
    assert_int_equal(passage.tokens, 11);
    assert_usage(twinset_passages_at(passages, 1, &passage, sizeof passage));
    assert_usage(twinset_passages_at(passages, 0, NULL, sizeof passage));
    assert_int_equal(twinset_passages_span(passages, 0, 1, &span, sizeof span), TWINSET_OK);
    assert_int_equal(span.end, strlen(TEXT) - 1);
    assert_usage(twinset_passages_span(passages, 0, 2, &span, sizeof span));
    assert_usage(twinset_passages_span(passages, 0, -1, &span, sizeof span));
    assert_usage(twinset_passages_span(passages, 1, 0, &span, sizeof span));
    assert_int_equal(twinset_passages_aligned_spans(passages, 0), 1);
    assert_int_equal(twinset_passages_aligned_span(passages, 0, 0, &aligned, sizeof aligned),
                     TWINSET_OK);
    assert_int_equal(aligned.a.end, span.end);
    assert_usage(twinset_passages_aligned_span(passages, 0, 1, &aligned, sizeof aligned));
    assert_int_equal(twinset_passages_renames(passages, 0), 0);
    assert_int_equal(twinset_passages_excluded_spans(passages, 1), 0);
    assert_int_equal(twinset_passages_excluded_spans(passages, 2), 0);
    assert_int_equal(twinset_passages_texts(passages, 0), 1);
    assert_string_equal(twinset_passages_text(passages, 0, 0, NULL), TEXT);
    assert_null(twinset_passages_text(passages, 2, 0, NULL));
    assert_null(twinset_passages_text(passages, 0, 1, NULL));
    twinset_passages_free(passages);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

/* ---- the advanced calls */

static void sketchers_are_checked(void **state)
{
    enum { HASHES = 256 };
    static uint32_t slots[HASHES];
    static uint64_t numbers[HASHES];
    const char *const items[] = {TEXT};
    const size_t lengths[] = {strlen(TEXT)};
    twinset_document document;
    twinset_sketcher *sketcher;
    (void)state;
    assert_refused(twinset_sketcher_new(NULL, NULL, &error));
    assert_refused(twinset_sketcher_set_functions(NULL, numbers, numbers, 7, &error));
    assert_refused(twinset_sketcher_functions(NULL, numbers, numbers, &error));
    assert_refused(twinset_sketcher_text(NULL, LITERAL(TEXT), slots, &error));
    assert_refused(twinset_sketcher_values(NULL, numbers, 1, slots, &error));
    assert_refused(twinset_sketcher_items(NULL, items, lengths, 1, slots, &error));
    assert_refused(twinset_sketcher_document(NULL, LITERAL(TEXT), 1, 1, numbers, &document,
                                             sizeof document, &error));

    assert_int_equal(twinset_sketcher_hashes(NULL), 0);
    assert_int_equal(twinset_sketcher_new(NULL, &sketcher, NULL), TWINSET_OK);
    assert_int_equal(twinset_sketcher_hashes(sketcher), HASHES);
    assert_refused(twinset_sketcher_set_functions(sketcher, NULL, numbers, 7, &error));
    assert_refused(twinset_sketcher_set_functions(sketcher, numbers, NULL, 7, &error));
    assert_refused(twinset_sketcher_functions(sketcher, NULL, numbers, &error));
    assert_refused(twinset_sketcher_text(sketcher, NULL, 1, slots, &error));
    assert_refused(twinset_sketcher_text(sketcher, LITERAL(TEXT), NULL, &error));
    assert_refused(twinset_sketcher_values(sketcher, NULL, 1, slots, &error));
    assert_refused(twinset_sketcher_values(sketcher, numbers, 1, NULL, &error));
    assert_refused(twinset_sketcher_items(sketcher, NULL, lengths, 1, slots, &error));
    assert_refused(twinset_sketcher_items(sketcher, items, NULL, 1, slots, &error));
    assert_refused(twinset_sketcher_items(sketcher, items, lengths, 1, NULL, &error));
    assert_refused(twinset_sketcher_document(sketcher, LITERAL(TEXT), 1, 1, NULL, &document,
                                             sizeof document, &error));
    assert_refused(
        twinset_sketcher_document(sketcher, LITERAL(TEXT), 1, 1, numbers, NULL, 0, &error));
    assert_int_equal(twinset_sketcher_text(sketcher, NULL, 0, slots, NULL), TWINSET_OK);
    assert_int_equal(slots[0], UINT32_MAX);
    assert_int_equal(twinset_sketcher_values(sketcher, NULL, 0, slots, NULL), TWINSET_OK);
    assert_int_equal(twinset_sketcher_items(sketcher, NULL, NULL, 0, slots, NULL), TWINSET_OK);
    twinset_sketcher_free(sketcher);
    twinset_sketcher_free(NULL);
}

static void signatures_and_texts_are_checked(void **state)
{
    uint32_t slots[2] = {3, 4};
    char *normal;
    uint64_t *hashes;
    size_t count;
    (void)state;
    twinset_signature_merge(NULL, slots, 2);
    twinset_signature_merge(slots, NULL, 2);
    assert_int_equal(slots[0], 3);
    assert_true(twinset_signature_estimate(NULL, slots, 2) == 0);
    assert_true(twinset_signature_estimate(slots, NULL, 2) == 0);
    assert_true(twinset_signature_estimate(slots, slots, 2) == 1);
    assert_refused(twinset_normalise(NULL, 1, NULL, &normal, &count, &error));
    assert_refused(twinset_normalise(LITERAL(TEXT), NULL, NULL, &count, &error));
    assert_refused(twinset_normalise(LITERAL(TEXT), NULL, &normal, NULL, &error));
    assert_refused(twinset_shingles(NULL, 1, NULL, &hashes, &count, &error));
    assert_refused(twinset_shingles(LITERAL(TEXT), NULL, NULL, &count, &error));
    assert_refused(twinset_shingles(LITERAL(TEXT), NULL, &hashes, NULL, &error));
    assert_int_equal(twinset_normalise(NULL, 0, NULL, &normal, &count, NULL), TWINSET_OK);
    assert_string_equal(normal, "");
    twinset_free(normal);
    twinset_free(NULL);
}

static void sets_of_signatures_are_checked(void **state)
{
    uint32_t signature = 5, number;
    const uint32_t *found;
    size_t count;
    twinset_lsh *lsh;
    (void)state;
    assert_refused(twinset_lsh_new(1, 4, NULL, &error));
    assert_refused(twinset_lsh_new(0, 4, &lsh, &error));
    assert_refused(twinset_lsh_add(NULL, &signature, &number, &error));
    assert_refused(twinset_lsh_remove(NULL, 0, &error));
    assert_refused(twinset_lsh_query(NULL, &signature, 0, &found, &count, &error));
    assert_null(twinset_lsh_signature(NULL, 0));
    assert_int_equal(twinset_lsh_count(NULL), 0);
    assert_int_equal(twinset_lsh_new(1, sizeof signature, &lsh, NULL), TWINSET_OK);
    assert_refused(twinset_lsh_add(lsh, NULL, &number, &error));
    assert_refused(twinset_lsh_add(lsh, &signature, NULL, &error));
    assert_refused(twinset_lsh_query(lsh, NULL, 0, &found, &count, &error));
    assert_refused(twinset_lsh_query(lsh, &signature, 0, NULL, &count, &error));
    assert_refused(twinset_lsh_query(lsh, &signature, 0, &found, NULL, &error));
    assert_refused(twinset_lsh_remove(lsh, 0, &error));
    assert_refused(twinset_lsh_remove(lsh, UINT32_MAX, &error));
    assert_null(twinset_lsh_signature(lsh, 0));
    assert_int_equal(twinset_lsh_add(lsh, &signature, &number, NULL), TWINSET_OK);
    assert_memory_equal(twinset_lsh_signature(lsh, number), &signature, sizeof signature);
    assert_int_equal(twinset_lsh_remove(lsh, number, NULL), TWINSET_OK);
    assert_refused(twinset_lsh_remove(lsh, number, &error)); /* no number is freed twice */
    assert_null(twinset_lsh_signature(lsh, number));
    assert_int_equal(twinset_lsh_count(lsh), 0);
    twinset_lsh_free(lsh);
    twinset_lsh_free(NULL);
}

static void tuning_is_checked(void **state)
{
    twinset_tuning tuning;
    (void)state;
    assert_refused(twinset_tune(NULL, NULL, 0, &error));
    assert_int_equal(twinset_tune(NULL, &tuning, sizeof tuning, NULL), TWINSET_OK);
    assert_usage(twinset_tune_choice(NULL, 0, NULL, sizeof tuning));
    assert_usage(twinset_tune_choice(NULL, twinset_tune_choices(NULL), &tuning, sizeof tuning));
    assert_usage(twinset_tune_choice(NULL, SIZE_MAX, &tuning, sizeof tuning));
    assert_true(twinset_candidate_probability(1, 1, 0.5) == 0.5);
}

static void comparers_are_checked(void **state)
{
    twinset_comparer *comparer;
    twinset_pair pair;
    (void)state;
    assert_refused(twinset_comparer_new(NULL, NULL, &error));
    assert_refused(
        twinset_comparer_texts(NULL, LITERAL(TEXT), LITERAL(TEXT), &pair, sizeof pair, &error));
    assert_int_equal(twinset_comparer_new(NULL, &comparer, NULL), TWINSET_OK);
    assert_refused(twinset_comparer_texts(comparer, LITERAL(TEXT), LITERAL(TEXT), NULL, 0, &error));
    assert_refused(
        twinset_comparer_texts(comparer, NULL, 1, LITERAL(TEXT), &pair, sizeof pair, &error));
    assert_refused(
        twinset_comparer_texts(comparer, LITERAL(TEXT), NULL, 1, &pair, sizeof pair, &error));
    twinset_comparer_free(comparer);
    twinset_comparer_free(NULL);
}

/* Excerpts come from other machines: what is damaged is refused. */
static void excerpts_are_checked(twinset_span_finder *finder, const void *bytes, size_t length)
{
    const twinset_repeated_span *spans;
    size_t count;
    uint64_t covered;
    char damaged[200];
    assert_in_range(length, 1, sizeof damaged);
    for (size_t i = 0; i < length; i++) {
        const twinset_excerpt part = {0, bytes, i};
        assert_refused(twinset_span_finder_verify(finder, NULL, 0, &part, 1, &spans, &count,
                                                  &covered, &error));
        memcpy(damaged, bytes, length);
        damaged[i] = (char)~damaged[i];
        const twinset_excerpt other = {0, damaged, length};
        const twinset_copied_runs runs = {0, 1, 0, 0};
        int status =
            twinset_span_finder_verify(finder, &runs, 1, &other, 1, &spans, &count, &covered, NULL);
        assert_true(status == TWINSET_OK || status == TWINSET_USAGE);
    }
}

static void span_finders_are_checked(void **state)
{
    static const char text[] = "one two three four five";
    twinset_options options;
    twinset_span_finder *finder;
    const uint64_t *fingerprints;
    const twinset_word_run *runs;
    const twinset_repeated_span *spans;
    const void *bytes;
    size_t count, length;
    uint64_t words, covered;
    char *cut;
    (void)state;
    twinset_options_init(&options, sizeof options);
    assert_refused(twinset_span_finder_new(NULL, NULL, &error));
    assert_refused(twinset_span_finder_new(&options, &finder, &error));
    options.min_passage = 5;
    assert_int_equal(twinset_span_finder_new(&options, &finder, NULL), TWINSET_OK);
    assert_refused(
        twinset_span_finder_fingerprints(NULL, LITERAL(text), &fingerprints, &count, &error));
    assert_refused(
        twinset_span_finder_fingerprints(finder, NULL, 1, &fingerprints, &count, &error));
    assert_refused(twinset_span_finder_fingerprints(finder, LITERAL(text), NULL, &count, &error));
    assert_refused(twinset_span_finder_runs(finder, LITERAL(text), NULL, 1, &runs, &count, &error));
    assert_refused(twinset_span_finder_load(finder, LITERAL(text), NULL, &error));
    assert_int_equal(twinset_span_finder_load(finder, LITERAL(text), &words, NULL), TWINSET_OK);
    assert_int_equal(words, 5);
    assert_refused(twinset_span_finder_excerpt(finder, 0, 5, NULL, &length, &error));
    assert_int_equal(twinset_span_finder_excerpt(finder, 9, 9, &bytes, &length, NULL), TWINSET_OK);
    assert_int_equal(twinset_span_finder_excerpt(finder, 0, 9, &bytes, &length, NULL), TWINSET_OK);
    excerpts_are_checked(finder, bytes, length);
    assert_refused(
        twinset_span_finder_verify(finder, NULL, 1, NULL, 0, &spans, &count, &covered, &error));
    assert_refused(
        twinset_span_finder_verify(finder, NULL, 0, NULL, 1, &spans, &count, &covered, &error));
    assert_refused(
        twinset_span_finder_verify(finder, NULL, 0, NULL, 0, &spans, &count, NULL, &error));
    assert_refused(twinset_cut_spans(LITERAL(text), NULL, NULL, 1, &cut, &length, &error));
    assert_refused(twinset_cut_spans(LITERAL(text), NULL, NULL, 0, NULL, &length, &error));
    twinset_span_finder_free(finder);
    twinset_span_finder_free(NULL);
}

static void cuts_end(void **state)
{
    twinset_collection *collection = two_texts();
    twinset_result *result;
    twinset_repeated_span *spans;
    const char *name;
    size_t count;
    (void)state;
    assert_int_equal(twinset_collection_dedup(collection, NULL, &result, NULL), TWINSET_OK);
    assert_int_equal(twinset_result_cuts(NULL) + twinset_result_cuts(result), 0);
    assert_refused(twinset_result_cut(NULL, 0, &name, &spans, &count, &error));
    assert_refused(twinset_result_cut(result, 0, &name, &spans, &count, &error));
    assert_refused(twinset_result_cut(result, 0, NULL, &spans, &count, &error));
    assert_refused(twinset_result_cut(result, 0, &name, NULL, &count, &error));
    assert_refused(twinset_result_cut(result, 0, &name, &spans, NULL, &error));
    assert_null(twinset_result_cut_source(NULL, 0));
    assert_null(twinset_result_cut_source(result, UINT64_MAX));
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void writers_of_json_are_checked(void **state)
{
    twinset_json *json = NULL;
    (void)state;
    assert_refused(twinset_json_new(NULL, NULL, &json, &error));
    assert_null(json);
    assert_refused(twinset_json_new(text_buffer_write, NULL, NULL, &error));
    assert_refused(twinset_json_end(NULL, &error));
    twinset_json_object(NULL, NULL);
    twinset_json_list(NULL, NULL);
    twinset_json_close(NULL);
    twinset_json_string(NULL, NULL, NAME, 3);
    twinset_json_whole(NULL, NULL, 1);
    twinset_json_real(NULL, NULL, 1);
    twinset_json_bool(NULL, NULL, 1);
    twinset_json_raw(NULL, NULL, NAME, 3);
    twinset_json_passages(NULL, NULL, NULL);
    twinset_json_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_also_a_number),
        cmocka_unit_test(options_need_their_size),
        cmocka_unit_test(options_of_other_versions_work),
        cmocka_unit_test(the_table_of_options_ends),
        cmocka_unit_test(the_table_of_rules_ends),
        cmocka_unit_test(texts_to_compare_are_checked),
        cmocka_unit_test(inputs_are_checked),
        cmocka_unit_test(runs_are_checked),
        cmocka_unit_test(indexes_past_the_end_of_a_list_are_refused),
        cmocka_unit_test(structs_of_other_versions_are_filled),
        cmocka_unit_test(writing_is_checked),
        cmocka_unit_test(cleaning_is_checked),
        cmocka_unit_test(null_passages_are_empty),
        cmocka_unit_test(indexes_past_the_last_passage_are_refused),
        cmocka_unit_test(sketchers_are_checked),
        cmocka_unit_test(signatures_and_texts_are_checked),
        cmocka_unit_test(sets_of_signatures_are_checked),
        cmocka_unit_test(tuning_is_checked),
        cmocka_unit_test(comparers_are_checked),
        cmocka_unit_test(span_finders_are_checked),
        cmocka_unit_test(cuts_end),
        cmocka_unit_test(writers_of_json_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
