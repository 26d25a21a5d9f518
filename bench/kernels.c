/*
 * The speed of the fss kernels, which turn text into signatures, for every instruction set of the
 * machine. Needs a text; prints lines of
 *
 *     fss <TAB> instruction set <TAB> K <TAB> bytes of a document <TAB> MB/s
 *
 * A figure is the median of short, interleaved runs, so that other work of the machine affects all
 * kernels alike.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cpu.h"
#include "sketch.h"
#include "window.h"

enum { ROUNDS = 31, SHINGLE = 9, RUN_BYTES = 4 << 20, MOST_BYTES = 32 << 20, MOST_ROWS = 64 };

static const unsigned HASHES[] = {128, 256};
static const size_t SIZES[] = {600, 1024, 5120, 102400};

typedef struct row {
    tw_isa isa;
    unsigned hashes;
    size_t size;
    tw_scheme *scheme;
    double seconds[ROUNDS];
} row;

static void fail(const char *what)
{
    fprintf(stderr, "bench_kernels: %s\n", what);
    exit(2);
}

/* Reads a text, normalised as documents are, with readable bytes after its end. */
static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *raw = malloc(MOST_BYTES), *normal;
    if (!file || !raw)
        fail("cannot read the text");
    size_t count = fread(raw, 1, MOST_BYTES, file);
    fclose(file);
    if (twinset_normalise(raw, count, NULL, &normal, length, NULL) != TWINSET_OK)
        fail("cannot normalise the text");
    free(raw);
    char *text = calloc(1, *length + TW_SLACK);
    if (!text)
        fail("out of memory");
    memcpy(text, normal, *length);
    twinset_free(normal);
    return text;
}

/* The processor time of this thread, which other processes do not change. */
static double seconds_used(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Sketches the text as documents of equal size. */
static double sketch_documents(const row *this, const char *text, size_t length, uint32_t *checksum)
{
    static uint32_t slots[256];
    tw_sketch sketch;
    tw_sketch_init(&sketch, this->scheme);
    double start = seconds_used();
    for (size_t offset = 0; offset + this->size <= length; offset += this->size) {
        tw_sketch_begin(&sketch, slots);
        if (tw_sketch_windows(&sketch, text + offset, this->size - SHINGLE + 1, SHINGLE) !=
            TWINSET_OK)
            fail("out of memory");
        tw_sketch_end(&sketch);
        *checksum ^= slots[0];
    }
    double seconds = seconds_used() - start;
    tw_sketch_free(&sketch);
    return seconds;
}

static size_t make_rows(row *rows)
{
    size_t count = 0;
    for (int isa = 0; isa < TW_ISAS; isa++)
        for (size_t h = 0; h < sizeof HASHES / sizeof *HASHES && tw_cpu_has((tw_isa)isa); h++)
            for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++, count++) {
                twinset_options options;
                twinset_options_init(&options, sizeof options);
                options.hashes = HASHES[h];
                rows[count] = (row){.isa = (tw_isa)isa, .hashes = HASHES[h], .size = SIZES[s]};
                if (tw_scheme_new(&options, &rows[count].scheme, NULL) != TWINSET_OK)
                    fail("out of memory");
            }
    return count;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

int main(int count, char **arguments)
{
    static row rows[MOST_ROWS];
    uint32_t checksum = 0;
    size_t length;
    if (count != 2)
        fail("use: bench_kernels TEXT");
    char *text = read_text(arguments[1], &length);
    size_t rows_count = make_rows(rows);
    length = length < RUN_BYTES ? length : RUN_BYTES;
    for (size_t round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < rows_count; i++) {
            setenv("TWINSET_ISA", tw_isa_name(rows[i].isa), 1);
            if (tw_cpu_check(NULL) != TWINSET_OK)
                fail("an instruction set went away");
            rows[i].seconds[round] = sketch_documents(&rows[i], text, length, &checksum);
        }
    for (size_t i = 0; i < rows_count; i++) {
        row *this = &rows[i];
        qsort(this->seconds, ROUNDS, sizeof *this->seconds, by_size);
        double bytes = (double)(length / this->size * this->size);
        printf("fss\t%s\t%u\t%zu\t%.0f\n", tw_isa_name(this->isa), this->hashes, this->size,
               bytes / this->seconds[ROUNDS / 2] / 1e6);
        tw_scheme_free(this->scheme);
    }
    free(text);
    return checksum == 1; /* otherwise compilers could omit the work */
}
