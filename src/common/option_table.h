/* The rows of the table of options, for the files that work on it. */
#ifndef TW_OPTION_TABLE_H
#define TW_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "twinset_advanced.h"

/* What the value of an option is. */
typedef enum tw_option_kind {
    TW_OPTION_CHOICE,       /* int: a word of the list in `argument`, by its index */
    TW_OPTION_SWITCH,       /* int: 0 or 1 */
    TW_OPTION_WHOLE,        /* unsigned */
    TW_OPTION_WHOLE_OR_OFF, /* unsigned, or TWINSET_OFF */
    TW_OPTION_SEED,         /* uint64_t */
    TW_OPTION_REAL,         /* double: a share, which may be a percentage */
    TW_OPTION_SIZE,         /* uint64_t: bytes, which may have a unit */
    TW_OPTION_TEXT, /* const char *: a path, of which the report says only that it is there */
    TW_OPTION_NAME, /* const char *: a word that the report shows */
} tw_option_kind;

typedef struct tw_option_row {
    twinset_option_info info;
    tw_option_kind kind;
    size_t offset;       /* of the field in twinset_options */
    double low, high;    /* the bounds of a number */
    bool changes_result; /* and therefore stands in the report */
} tw_option_row;

/* The row at an index, or NULL past the last; the row of an option, or NULL. */
const tw_option_row *tw_option_row_at(size_t index);
const tw_option_row *tw_option_row_find(const char *name);
/* Whether an index keeps the option: what is in it was made with that value. */
bool tw_option_is_kept(const tw_option_row *row);

#endif
