/* The blocks of a result's page: removed documents, properties of documents, and the removal of
 * names. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "containing.h"
#include "reading.h"

#define STORY                                                                                      \
    "The lighthouse keeper counted ships every evening and wrote their names into a long ledger "  \
    "that nobody else on the island was ever allowed to read or to touch. "

/* ---- blocks of a page */

/* The page of a result; NULL in a build without npm, which has no page. */
static char *page_of(const twinset_result *result, int anonymise)
{
    twinset_page page = {.size = sizeof page, .anonymise = anonymise};
    text_buffer out = {0};
    twinset_error error;
    int status = twinset_result_write_page(result, &page, text_buffer_write, &out, &error);
    if (status == TWINSET_USAGE && strstr(error.message, "without")) {
        text_buffer_free(&out);
        return NULL;
    }
    assert_ok(status, &error);
    return out.text;
}

/* A block by its id. The caller frees it. */
static char *block_of(const char *page, const char *id)
{
    char start[64];
    snprintf(start, sizeof start, "id=\"%s\">", id);
    const char *from = strstr(page, start);
    assert_non_null(from);
    from += strlen(start);
    const char *to = strstr(from, "</script>");
    assert_non_null(to);
    char *block = calloc((size_t)(to - from) + 1, 1);
    memcpy(block, from, (size_t)(to - from));
    return block;
}

/* The sum of every `step`-th number of a JSON list, from the number `first` on. */
static unsigned long sum_of(const char *block, const char *key, size_t first, size_t step)
{
    const char *next = strstr(block, key);
    unsigned long sum = 0;
    assert_non_null(next);
    next += strlen(key);
    next += strcspn(next, "[");
    for (size_t depth = 0, number = 0; *next; next++) {
        depth += *next == '[';
        if (*next == ']' && --depth == 0)
            break;
        if (*next < '0' || *next > '9')
            continue;
        char *end;
        unsigned long value = strtoul(next, &end, 10);
        sum += number++ % step == first ? value : 0;
        next = end - 1;
    }
    return sum;
}

/* ---- cleaning */

static twinset_result *clean(const char *const *paths, size_t count, const char *settings)
{
    twinset_options options = options_with(settings);
    twinset_collection *collection = collect_paths(paths, count, &options);
    twinset_result *result;
    twinset_error error;
    assert_ok(twinset_collection_dedup(collection, NULL, &result, &error), &error);
    twinset_collection_free(collection);
    return result;
}

/* Writes records of sixty words that differ only in the last, and a copy of the first. */
static void write_records(const char *path, const char *ids)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (const char *id = ids; *id; id++) {
        fprintf(file, "{\"id\":\"%c\",\"text\":\"", *id);
        for (int word = 0; word < 60; word++)
            fprintf(file, "word%d ", word);
        fprintf(file, "%c\"}\n", *id == 'y' ? 'a' : *id);
    }
    assert_int_equal(fclose(file), 0);
}

static void a_cleaning_shows_what_it_removed(void **state)
{
    (void)state;
    static const char *const paths[] = {"one.jsonl", "two.jsonl"};
    write_records(paths[0], "abc");
    write_records(paths[1], "xy");
    twinset_result *result = clean(paths, 2, "threshold=0.7");
    char *page = page_of(result, 0);
    if (page) {
        char *removals = block_of(page, "removals"), *collection = block_of(page, "collection");
        /* Removals are in the order of reading; documents are numbered in the order of names. */
        char line[256];
        for (size_t i = 0; i < 4; i++) {
            twinset_removal removal;
            assert_int_equal(twinset_result_removal(result, i, &removal, sizeof removal),
                             TWINSET_OK);
            assert_string_equal(removal.kept, "a");
            snprintf(line, sizeof line, "{\"document\":%zu,\"kept\":0,\"similarity\":%s", i + 1,
                     i == 3 ? "1.0,\"cluster\":1}" : "0.9");
            assert_contains(removals, line);
        }
        assert_contains(collection, "\"clusters\":1");
        assert_contains(collection, "{\"id\":1,\"size\":5,\"min_similarity\":0.9");
        assert_contains(collection,
                        "{\"removed\":\"one.jsonl\",\"kept\":\"one.jsonl\",\"count\":2}");
        assert_contains(collection,
                        "{\"removed\":\"two.jsonl\",\"kept\":\"one.jsonl\",\"count\":2}");
        assert_int_equal(sum_of(collection, "\"similarities\"", 0, 1), 4);
        assert_int_equal(sum_of(collection, "\"growth\"", 0, 2), 5);
        assert_int_equal(sum_of(collection, "\"growth\"", 1, 2), 4);
        free(removals);
        free(collection);
        free(page);
    }
    twinset_result_free(result);
}

/* A page without names has no sources either. */
static void a_cleaning_without_names_has_no_paths(void **state)
{
    (void)state;
    static const char *const paths[] = {"one.jsonl", "two.jsonl"};
    write_records(paths[0], "abc");
    write_records(paths[1], "xy");
    twinset_result *result = clean(paths, 2, "threshold=0.7");
    char *page = page_of(result, 1);
    if (page) {
        char *collection = block_of(page, "collection");
        assert_lacks(collection, "jsonl");
        assert_contains(collection, "\"similarities\"");
        free(collection);
        free(page);
    }
    twinset_result_free(result);
}

/* ---- properties of documents */

static twinset_result *scan_listed(twinset_collection **collection)
{
    twinset_options options = options_with("threshold=0.1 top=2 exclude=*.bak");
    twinset_result *result;
    twinset_error error;
    assert_ok(twinset_collection_new(&options, collection, &error), &error);
    assert_ok(twinset_collection_add_path(*collection, "@list.csv", TWINSET_ROLE_NEW, &error),
              &error);
    assert_ok(twinset_collection_add_path(*collection, "folder", TWINSET_ROLE_OLD, &error), &error);
    assert_ok(twinset_collection_scan(*collection, &result, &error), &error);
    return result;
}

static void write_listed(void)
{
    mkdir("folder", 0700);
    assert_true(write_file("ada.txt", "Author: Grace B. Hopper, Navy\n" STORY STORY STORY "ada\n"));
    assert_true(write_file("bob.txt", STORY STORY STORY "as Grace said \xff\n"));
    assert_true(write_file("folder/old.txt", STORY STORY STORY "old </script> end\n"));
    assert_true(write_file("folder/old.bak", STORY));
    assert_true(write_file("list.csv", "path,label,author,time\nada.txt,staff,Ada L.,2026-01-02\n"
                                       "bob.txt,,Bob,\nmissing-ada.txt,,Ada L.,\n"));
}

static void documents_have_the_properties_of_a_list(void **state)
{
    (void)state;
    twinset_collection *collection;
    write_listed();
    twinset_result *result = scan_listed(&collection);
    assert_int_equal(twinset_result_notes(result), 2);
    assert_string_equal(twinset_result_note(result, 1),
                        "the 2 most similar of 3 pairs are listed; without `top` all are");
    assert_string_equal(twinset_result_note(result, 0),
                        "1 file or folder was left out by `include` or `exclude`");
    char *page = page_of(result, 0);
    if (page) {
        char *documents = block_of(page, "documents"), *run = block_of(page, "run");
        assert_contains(documents,
                        "\"author\":\"Ada L.\",\"label\":\"staff\",\"time\":\"2026-01-02\"");
        assert_contains(documents, "\"author\":\"Bob\"");
        assert_contains(documents, "\"old\":true");
        assert_contains(run, "missing-ada.txt");
        free(documents);
        free(run);
        free(page);
    }
    twinset_result_free(result);
    twinset_collection_free(collection);
}

static void names_are_removed_everywhere(void **state)
{
    (void)state;
    twinset_collection *collection;
    write_listed();
    twinset_result *result = scan_listed(&collection);
    char *page = page_of(result, 1);
    if (page) {
        static const char *const names[] = {"ada", "Ada", "bob", "Bob", "Grace", "Hopper", "staff"};
        char *documents = block_of(page, "documents"), *run = block_of(page, "run");
        for (size_t i = 0; i < COUNT(names); i++) {
            assert_lacks(documents, names[i]);
            assert_lacks(run, names[i]);
        }
        assert_contains(documents, "\"name\":\"Document 3\"");
        assert_contains(documents, "\"author\":1");
        assert_contains(documents, "\"author\":2");
        assert_contains(run, "\"missing-xxx.txt\""); /* a document that could not be read */
        free(documents);
        free(run);
        free(page);
    }
    twinset_result_free(result);
    twinset_collection_free(collection);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cleaning_shows_what_it_removed),
        cmocka_unit_test(a_cleaning_without_names_has_no_paths),
        cmocka_unit_test(documents_have_the_properties_of_a_list),
        cmocka_unit_test(names_are_removed_everywhere),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
