/* Writes tables as Apache Parquet, for `index export`. */
#ifndef CLI_PARQUET_H
#define CLI_PARQUET_H

#include "cli.h"

enum { PARQUET_COLUMNS = 8 };

typedef enum parquet_type { PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_STRING = 6 } parquet_type;

typedef struct parquet_field {
    const char *name;
    parquet_type type;
    bool is_optional; /* it may be null */
} parquet_field;

typedef struct parquet_writer parquet_writer;

/* Begins a table. The fields live as long as the writer; free it with parquet_free(). NULL: out of
 * memory. */
parquet_writer *parquet_new(cli_output *out, const parquet_field *fields, size_t count);
/* Append a value to the next column of the row in progress. A failure is kept for parquet_end(). */
void parquet_put_number(parquet_writer *writer, uint64_t value);
/* NULL: the value is null. */
void parquet_put_string(parquet_writer *writer, const char *text, size_t length);
/* Ends the row, and writes what was collected once it is large. Returns 0 or an errno value. */
int parquet_end_row(parquet_writer *writer);
/* Writes the rest, and the description of the file. Returns 0 or an errno value. */
int parquet_end(parquet_writer *writer);
/* Takes NULL. */
void parquet_free(parquet_writer *writer);

#endif
