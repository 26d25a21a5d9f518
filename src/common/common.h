/*
 * What every stage may use. Nothing here knows about documents. Each header stands on its own;
 * this one lists those that other folders see.
 */
#ifndef TW_COMMON_H
#define TW_COMMON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attributes.h"
#include "error.h"
#include "memory.h"
#include "paged.h"
#include "twinset_advanced.h"

/* ---- the machine: threads, processors, files */
#include "cancel.h"
#include "cpu.h"
#include "file.h"
#include "file_identity.h"
#include "journal.h"
#include "machine.h"
#include "parallel_sort.h"
#include "sorter.h"
#include "spill.h"
#include "threads.h"

/* ---- values: bytes, numbers, names, hashes */
#include "arena.h"
#include "ascii.h"
#include "codec.h"
#include "digest.h"
#include "fields.h"
#include "hash.h"
#include "json.h"
#include "number.h"
#include "sink.h"
#include "sort.h"

/* ---- what the user asked for */
#include "arguments.h"
#include "build.h"
#include "option_table.h"
#include "options.h"
#include "rules.h"

#endif
