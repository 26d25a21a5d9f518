/* Web crawls in WARC files: the pages that they have, their names, and what is damaged. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "reading.h"

#define RESPONSE "WARC-Type: response\r\nContent-Type: application/http;msgtype=response\r\n"
#define RESOURCE "WARC-Type: resource\r\nContent-Type: text/plain\r\n"

/* A crawl that is written record by record. */
typedef struct crawl {
    FILE *file;
} crawl;

static crawl begin_crawl(const char *path)
{
    crawl made = {fopen(path, "w")};
    assert_non_null(made.file);
    return made;
}

static void add_record(crawl *to, const char *headers, const char *block)
{
    fprintf(to->file, "WARC/1.0\r\n%sContent-Length: %zu\r\n\r\n%s\r\n\r\n", headers, strlen(block),
            block);
}

static void end_crawl(crawl *made)
{
    assert_int_equal(fclose(made->file), 0);
}

/* Writes a crawl with one record that is whole, and these bytes after it. */
static void write_crawl(const char *path, const char *rest)
{
    crawl made = begin_crawl(path);
    add_record(&made, RESOURCE "WARC-Target-URI: http://a\r\n", "the first page");
    fputs(rest, made.file);
    end_crawl(&made);
}

/* ---- pages */

/* The chunks of a body are joined; a body that only claims to have chunks is unchanged. */
static void chunks_are_joined(void **state)
{
    (void)state;
    static const struct {
        const char *body, *text;
    } cases[] = {
        {"5;x=1\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"},
        {"A\r\n0123456789\r\n3\nabc\n00\r\n", "0123456789abc"},
        {"plain words, no chunks", "plain words, no chunks"},
        {"5\r\nhello\r\nzz\r\n", "5 hello zz"},            /* no size */
        {"5\r\nhello\r\nff\r\nshort", "5 hello ff short"}, /* more than there is */
        {"fffffffff\r\nhello", "fffffffff hello"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char block[512], expected[512];
        snprintf(
            block, sizeof block,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain  \r\nTransfer-Encoding: Chunked \t\r\n"
            "\r\n%s",
            cases[i].body);
        snprintf(expected, sizeof expected, "crawl.warc!/http://a/x.txt: %s\n", cases[i].text);
        crawl made = begin_crawl("crawl.warc");
        add_record(&made, RESPONSE "WARC-Target-URI: http://a/x.txt\r\n", block);
        end_crawl(&made);
        assert_reads("crawl.warc", "by=char", expected);
    }
}

/* A page is named by its address. Without one, or if an earlier page has it, the page is named by
 * the id of its record, if it has one. */
static void pages_have_names_of_their_own(void **state)
{
    (void)state;
    crawl made = begin_crawl("names.warc");
    add_record(&made, RESOURCE "WARC-Target-URI: http://a\r\n", "one");
    add_record(&made, RESOURCE "WARC-Target-URI: http://a\r\nWARC-Record-ID: <urn:2>\r\n", "two");
    add_record(&made, RESOURCE "WARC-Target-URI:\r\nWARC-Record-ID:  <urn:3>\r\n", "three");
    add_record(&made, RESOURCE "WARC-Target-URI: http://b\x1b[1m\r\n", "four");
    add_record(&made, RESOURCE, "five");
    add_record(&made, "WARC-Type: metadata\r\nWARC-Target-URI: http://a\r\n", "no page");
    end_crawl(&made);
    assert_reads("names.warc", "by=char",
                 "names.warc!/http://a: one\n"
                 "names.warc!/http://b?[1m: four\n"
                 "names.warc!/record without a name: five\n"
                 "names.warc!/urn:2: two\n"
                 "names.warc!/urn:3: three\n");
}

/* Every repeated address is recognised, however many addresses there are. */
static void repeated_addresses_are_recognised(void **state)
{
    (void)state;
    enum { PAGES = 700 };
    crawl made = begin_crawl("many.warc");
    twinset_options options = options_with("by=char");
    const char *path = "many.warc";
    for (size_t turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < PAGES; i++) {
            char headers[256], text[32];
            snprintf(headers, sizeof headers,
                     RESOURCE "WARC-Target-URI: http://%zu\r\nWARC-Record-ID: <again %zu>\r\n", i,
                     i);
            snprintf(text, sizeof text, "page %zu", i);
            add_record(&made, headers, text);
        }
    end_crawl(&made);
    char *found = read_paths(&path, 1, &options);
    size_t again = 0, addresses = 0;
    for (const char *at = found; (at = strstr(at, "!/")); at++) {
        again += strncmp(at, "!/again", 7) == 0;
        addresses += strncmp(at, "!/http", 6) == 0;
    }
    assert_int_equal(again, PAGES);
    assert_int_equal(addresses, PAGES);
    free(found);
}

/* ---- damage */

/* Pages before the damage are read, and the file is named with a reason. */
static void damage_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *reason;
    } cases[] = {
        {"WARC/1.0\r\n" RESOURCE "\r\ntext", "damaged: a record without a length"},
        {"WARC/1.0\r\n" RESOURCE "Content-Length: 1x\r\n\r\ntext",
         "damaged: a record without a length"},
        {"WARC/1.0\r\n" RESOURCE "Content-Length: 1234567890123456789\r\n\r\n",
         "damaged: a record without a length"},
        {"\r\n\r\nno record\r\n\r\n", "no WARC file, or damaged: a record does not start so"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char expected[256];
        snprintf(expected, sizeof expected,
                 "damaged.warc!/http://a: the first page\ndamaged.warc! %s\n", cases[i].reason);
        write_crawl("damaged.warc", cases[i].rest);
        assert_reads("damaged.warc", "by=char", expected);
    }
    char *endless = malloc(100001);
    memset(endless, 'x', 100000);
    memcpy(endless, "WARC/1.0\r\n", 10);
    endless[100000] = '\0';
    write_crawl("damaged.warc", endless);
    free(endless);
    assert_reads("damaged.warc", "by=char",
                 "damaged.warc!/http://a: the first page\n"
                 "damaged.warc! no WARC file, or damaged: headers without an end\n");
}

static void what_is_no_crawl_is_refused(void **state)
{
    (void)state;
    assert_true(write_file("text.txt", "WARC is a format\n"));
    assert_reads("text.txt", "input=warc", "text.txt! no WARC file\n");
    write_crawl("large.warc", "");
    twinset_options options = options_with("by=char");
    options.max_size = 64;
    assert_reads_by("large.warc", &options, "large.warc! too large\n");
    crawl made = begin_crawl("larger.warc");
    char *page = calloc(100001, 1);
    memset(page, 'x', 100000);
    add_record(&made, RESOURCE "WARC-Target-URI: http://a\r\n", "the first page");
    add_record(&made, RESOURCE "WARC-Target-URI: http://b\r\n", page);
    end_crawl(&made);
    free(page);
    options.max_size = 70000;
    options.max_skipped = 1;
    assert_reads_by("larger.warc", &options,
                    "larger.warc!/http://a: the first page\n"
                    "larger.warc! too large: more than 70,000 bytes in all\n"
                    "larger.warc!/http://b! too large: more than 70,000 bytes in all\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_joined),
        cmocka_unit_test(pages_have_names_of_their_own),
        cmocka_unit_test(repeated_addresses_are_recognised),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(what_is_no_crawl_is_refused),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
