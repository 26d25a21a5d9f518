/*
 * The speed of sketching texts, by the public header only, on one core:
 *
 *     sketch FILE BYTES [keep]
 *
 * divides the file into documents of so many bytes, sketches them with 128 hashes over 9
 * characters, and prints `text`, a tab, and megabytes for a second of processor time. With `keep`
 * it does the work of Sketcher.texts() of the Python package: the signatures of the whole file are
 * held at once, in new memory in each round, in large pages. The first round then does not count,
 * because the time in which the system provides so much memory varies.
 */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <twinset_advanced.h>

enum { HASHES = 128, LARGE_PAGE = 2 << 20 };

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        return NULL;
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    if (text && fread(text, 1, *length, file) != *length)
        *text = 0;
    fclose(file);
    return text;
}

static uint32_t *new_slots(size_t signatures)
{
    size_t size = signatures * HASHES * sizeof(uint32_t);
    size_t whole = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    if (signatures == 1)
        return malloc(size);
    uint32_t *slots = aligned_alloc(LARGE_PAGE, whole);
#ifdef MADV_HUGEPAGE
    if (slots)
        madvise(slots, whole, MADV_HUGEPAGE);
#endif
    return slots;
}

static int sketch_all(twinset_sketcher *sketcher, const char *text, size_t length, size_t bytes,
                      int keep)
{
    uint32_t *slots = new_slots(keep ? length / bytes : 1), *next = slots;
    int status = slots ? TWINSET_OK : TWINSET_NOMEM;
    for (size_t start = 0; start + bytes <= length && status == TWINSET_OK; start += bytes) {
        status = twinset_sketcher_text(sketcher, text + start, bytes, next, NULL);
        next += keep ? HASHES : 0;
    }
    free(slots);
    return status;
}

int main(int argc, char **argv)
{
    twinset_options options;
    twinset_sketcher *sketcher = NULL;
    size_t length = 0, bytes = argc == 3 || argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    char *text = bytes ? read_file(argv[1], &length) : NULL;
    if (!text || bytes > length) {
        fputs("usage: sketch FILE BYTES [keep]\n", stderr);
        return 2;
    }
    twinset_options_init(&options, sizeof options);
    int status = twinset_options_set(&options, "hashes", "128", NULL);
    if (status == TWINSET_OK)
        status = twinset_sketcher_new(&options, &sketcher, NULL);
    if (status == TWINSET_OK && argc == 4)
        status = sketch_all(sketcher, text, length, bytes, 1);
    double sketched = 0, start = processor_time(), seconds = 0;
    while (status == TWINSET_OK && seconds < 0.5) {
        status = sketch_all(sketcher, text, length, bytes, argc == 4);
        sketched += (double)(length / bytes * bytes);
        seconds = processor_time() - start;
    }
    if (status == TWINSET_OK)
        printf("text\t%.1f\n", sketched / seconds / 1e6);
    twinset_sketcher_free(sketcher);
    free(text);
    return status == TWINSET_OK ? 0 : 2;
}
