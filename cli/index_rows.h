/* The rows of an index, for `index dump` and `index export`. */
#ifndef CLI_INDEX_ROWS_H
#define CLI_INDEX_ROWS_H

#include "cli.h"
#include "twinset_index.h"

typedef struct index_rows {
    twinset_index *index;
    cli_output *out;
    const char *match; /* a pattern of ids, or NULL */
    bool is_parquet;   /* otherwise JSON lines */
} index_rows;

/* Writes documents as JSON lines that `index add` reads. */
int index_dump(const index_rows *rows, twinset_error *error);
/* Write the documents, or their keys, for another engine. */
int index_export_documents(const index_rows *rows, twinset_error *error);
int index_export_bands(const index_rows *rows, twinset_error *error);

#endif
