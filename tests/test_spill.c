/* Temporary files: chunks are read as written; a full disk and a missing folder are errors. */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "spill.h"
#include "threads.h"

static char folder[] = "/tmp/twinset-spill-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

/* Fails if a test left files in the folder. */
static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static size_t files_in_folder(void)
{
    size_t count = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    while (readdir(open))
        count++;
    closedir(open);
    return count - 2; /* . and .. */
}

/* ---- chunks are read as written */

enum { CHUNKS = 300, LONGEST = 5000 };

typedef struct chunks {
    tw_spill *spill;
    uint64_t offset[CHUNKS];
} chunks;

static size_t fill_chunk(size_t number, uint8_t bytes[LONGEST])
{
    uint64_t random = number;
    size_t length = random_below(&random, LONGEST);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(number + i * i);
    return length;
}

static int append_chunk(void *context, unsigned worker, size_t number)
{
    chunks *all = context;
    uint8_t bytes[LONGEST];
    size_t length = fill_chunk(number, bytes);
    (void)worker;
    return tw_spill_append(all->spill, bytes, length, &all->offset[number], NULL);
}

static int check_chunk(void *context, unsigned worker, size_t number)
{
    chunks *all = context;
    uint8_t bytes[LONGEST], expected[LONGEST];
    size_t length = fill_chunk(number, expected);
    (void)worker;
    int status = tw_spill_read(all->spill, all->offset[number], bytes, length, NULL);
    return status != TWINSET_OK ? status : memcmp(bytes, expected, length) != 0;
}

static void threads_write_and_read(void **state)
{
    chunks all;
    twinset_error error;
    tw_loop loop = {.threads = 4, .stage = "spilling"};
    uint8_t bytes[LONGEST];
    uint64_t total = 0;
    (void)state;
    assert_ok(tw_spill_new(folder, &all.spill, &error), &error);
    assert_int_equal(tw_spill_bytes(all.spill), 0);
    assert_int_equal(files_in_folder(), 0);
    assert_int_equal(tw_parallel(&loop, CHUNKS, append_chunk, &all), TWINSET_OK);
    assert_int_equal(tw_parallel(&loop, CHUNKS, check_chunk, &all), TWINSET_OK);
    for (size_t i = 0; i < CHUNKS; i++)
        total += fill_chunk(i, bytes);
    assert_int_equal(tw_spill_bytes(all.spill), total);
    /* Past the end there is nothing. */
    assert_int_equal(tw_spill_read(all.spill, total - 1, bytes, 2, &error), TWINSET_IO);
    assert_non_null(strstr(error.message, folder));
    assert_ok(tw_spill_read(all.spill, total, NULL, 0, &error), &error);
    tw_spill_free(all.spill);
    tw_spill_free(NULL);
}

static void the_usual_folder_is_that_of_the_environment(void **state)
{
    tw_spill *spill;
    twinset_error error;
    uint64_t offset;
    (void)state;
    setenv("TMPDIR", "/no/such/folder", 1);
    assert_int_equal(tw_spill_new(NULL, &spill, &error), TWINSET_IO);
    assert_null(spill);
    assert_string_equal(error.message, "cannot make temporary files in /no/such/folder: No such "
                                       "file or directory; name another place with `tmp`");
    assert_int_equal(tw_spill_new(NULL, &spill, NULL), TWINSET_IO);
    const char *const others[] = {folder, "", NULL};
    for (size_t i = 0; i < COUNT(others); i++) {
        if (others[i])
            setenv("TMPDIR", others[i], 1);
        else
            unsetenv("TMPDIR");
        assert_ok(tw_spill_new(NULL, &spill, &error), &error);
        assert_ok(tw_spill_append(spill, "x", 1, &offset, &error), &error);
        tw_spill_free(spill);
    }
}

/* ---- faults */

/* A limit on the size of files acts as a full disk. */
static void a_full_disk_is_an_error(void **state)
{
    struct rlimit before, small;
    tw_spill *spill;
    twinset_error error;
    uint64_t offset;
    static uint8_t bytes[100000];
    (void)state;
    assert_ok(tw_spill_new(folder, &spill, &error), &error);
    void (*usual)(int) = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 150000;
    setrlimit(RLIMIT_FSIZE, &small);
    int first = tw_spill_append(spill, bytes, sizeof bytes, &offset, &error);
    int second = tw_spill_append(spill, bytes, sizeof bytes, &offset, &error);
    int third = tw_spill_append(spill, bytes, 1, &offset, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, usual);
    assert_int_equal(first, TWINSET_OK);
    assert_int_equal(second, TWINSET_IO);
    assert_int_equal(third, TWINSET_IO);
    char expected[200];
    snprintf(expected, sizeof expected,
             "cannot write temporary files in %s: File too large; name another place with `tmp`",
             folder);
    assert_string_equal(error.message, expected);
    assert_ok(tw_spill_read(spill, 0, bytes, sizeof bytes, &error), &error);
    tw_spill_free(spill);
}

#ifdef TW_FAULTS
static void short_memory_is_an_error(void **state)
{
    (void)state;
    for (int allowed = 0; allowed < 2; allowed++) {
        tw_spill *spill;
        twinset_error error;
        tw_faults_after(allowed);
        int status = tw_spill_new(folder, &spill, &error);
        tw_faults_after(-1);
        assert_int_equal(status, TWINSET_NOMEM);
        assert_null(spill);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_write_and_read),
        cmocka_unit_test(the_usual_folder_is_that_of_the_environment),
        cmocka_unit_test(a_full_disk_is_an_error),
#ifdef TW_FAULTS
        cmocka_unit_test(short_memory_is_an_error),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
