/*
 * Any bytes as the file of an index.
 * Promises: it opens, or is refused with a message; an index that opens answers queries, or reports
 * that it is damaged; nothing crashes.
 */
#include <unistd.h>

#include "fuzz.h"
#include "twinset_index.h"

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fwrite(data, 1, size, file) == size);
    fclose(file);
}

static int ignore_document(void *context, const twinset_index_document *document)
{
    *(size_t *)context += document->text_length;
    return 0;
}

static void query_index(twinset_index *index)
{
    static const char TEXT[] = "a text that is asked about, long enough for some shingles";
    twinset_options options;
    twinset_collection *collection;
    twinset_result *result = NULL;
    twinset_error error = {""};
    twinset_options_init(&options, sizeof options);
    REQUIRE(twinset_index_options(index, &options, sizeof options, &error) == TWINSET_OK);
    options.threads = 1;
    options.method = TWINSET_METHOD_LSH;
    if (twinset_collection_new(&options, &collection, &error) != TWINSET_OK)
        return;
    if (twinset_collection_add_text(collection, "q", TEXT, sizeof TEXT - 1, TWINSET_ROLE_NEW,
                                    &error) == TWINSET_OK &&
        twinset_index_query(index, collection, &result, &error) != TWINSET_OK)
        REQUIRE(error.message[0]);
    twinset_result_free(result);
    twinset_collection_free(collection);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    twinset_index *index;
    twinset_error error = {""};
    size_t bytes = 0;
    uint64_t documents;
    snprintf(path, sizeof path, "/tmp/twinset-fuzz-%d.twx", (int)getpid());
    write_file(path, data, size);
    if (twinset_index_open(path, NULL, TWINSET_INDEX_READ_ONLY, &index, &error) != TWINSET_OK) {
        REQUIRE(error.message[0]);
    } else {
        int status = twinset_index_dump(index, NULL, ignore_document, &bytes, &error);
        status |= twinset_index_verify(index, NULL, NULL, &documents, &error);
        (void)status;
        query_index(index);
        twinset_index_close(index);
    }
    unlink(path);
    return 0;
}
