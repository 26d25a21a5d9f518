/*
 * Which documents resemble each other? Prints pairs, clusters, and skipped documents.
 *
 *     examples/find_twins 0.15 samples/essays samples/README.md
 */
#include <stdio.h>
#include <twinset.h>

static void print_found(const twinset_result *result)
{
    twinset_run run;
    twinset_pair pair;
    twinset_cluster cluster;
    if (twinset_result_run(result, &run, sizeof run) == TWINSET_OK)
        printf("%zu documents, %zu pairs\n", run.documents, run.pairs);
    for (size_t i = 0; twinset_result_pair(result, i, &pair, sizeof pair) == TWINSET_OK; i++)
        printf("%.3f  %s  %s\n", pair.similarity, pair.a, pair.b);
    for (size_t i = 0; twinset_result_cluster(result, i, &cluster, sizeof cluster) == TWINSET_OK;
         i++) {
        printf("cluster %u, around %s:\n", cluster.id, cluster.representative);
        for (size_t j = 0; j < cluster.size; j++)
            printf("    %s\n", cluster.members[j]);
    }
}

static void print_skipped(const twinset_collection *collection)
{
    twinset_skip skip;
    for (size_t i = 0; twinset_collection_skip(collection, i, &skip, sizeof skip) == TWINSET_OK;
         i++)
        fprintf(stderr, "skipped %s: %s\n", skip.path, skip.reason);
}

int main(int argc, char **argv)
{
    twinset_options options;
    twinset_collection *collection = NULL;
    twinset_result *result = NULL;
    twinset_error error;

    twinset_options_init(&options, sizeof options);
    int status = twinset_options_set(&options, "threshold", argc > 1 ? argv[1] : "", &error);
    if (status == TWINSET_OK)
        status = twinset_collection_new(&options, &collection, &error);
    for (int i = 2; i < argc && status == TWINSET_OK; i++)
        status = twinset_collection_add_path(collection, argv[i], TWINSET_ROLE_NEW, &error);
    if (status == TWINSET_OK)
        status = twinset_collection_scan(collection, &result, &error);
    if (status == TWINSET_OK)
        print_found(result);
    else
        fprintf(stderr, "%s\nusage: find_twins THRESHOLD PATH...\n", error.message);
    if (collection)
        print_skipped(collection);
    twinset_result_free(result);
    twinset_collection_free(collection);
    return status == TWINSET_OK ? 0 : 2;
}
