/*
 * How similar are two files? The simple call: it compares two texts, and fills a struct.
 *
 *     examples/compare samples/essays/bridges-original.txt samples/essays/bridges-verbatim.txt
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <twinset.h>

/* Reads a file, which the caller frees. Prints a message and returns NULL if it cannot be read. */
static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    for (size_t capacity = 65536; file && !feof(file) && !ferror(file); capacity *= 2) {
        char *grown = realloc(text, capacity);
        if (!grown)
            break;
        text = grown;
        *length += fread(text + *length, 1, capacity - *length, file);
    }
    if (!file || !feof(file)) {
        perror(path);
        free(text);
        text = NULL;
    }
    if (file)
        fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s FILE FILE\n", argv[0]);
        return 2;
    }
    size_t a_length = 0, b_length = 0;
    char *a = read_file(argv[1], &a_length), *b = read_file(argv[2], &b_length);
    twinset_pair pair;
    twinset_error error = {"both files are needed"};
    int status = TWINSET_IO;
    if (a && b)
        status = twinset_compare(a, a_length, b, b_length, NULL, &pair, sizeof pair, &error);
    free(a);
    free(b);
    if (status != TWINSET_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 2;
    }
    printf("similarity   %.3f, estimated by signatures %.3f\n", pair.similarity, pair.estimate);
    printf("shared       %" PRIu64 " of %" PRIu64 " shingles\n", pair.shared, pair.union_count);
    printf("containment  %.3f of the first, %.3f of the second\n", pair.containment_a,
           pair.containment_b);
    printf("longest      %" PRIu64 " characters in a row\n", pair.longest);
    return 0;
}
