/*
 * Output: what comes out of a scan, a comparison or a sketch, in every format. This header has what
 * other folders call; results are written by twinset_result_write() and its like, in write.c.
 *
 *   write.c          the table of formats, and the calls of the public headers
 *   csv.c result_json.c  pairs for programs, by the columns of pair_columns.c
 *   candidates.c     documents with those that they are paired with
 *   table.c compare.c  a scan and a comparison for people; style.c has what they share
 *   labels.c text.c  names cut to fit but never alike; strings made fit for a terminal
 *   passages_text.c listing.c  passages for people: prose quoted, programs line by line
 *   passages_json.c  passages for programs
 *   json_writer.c    the writer of JSON, for other programs
 *   signatures.c     signatures for programs
 *   clean.c          a collection without what was removed; clean_plan.c names its files;
 *                    clean_document.c is for documents that are files of their own
 *   json_line.c      a record as it is written, and how its text is cut
 *   annotate.c removed.c  what was decided in cleaning a collection
 *   pack.c           packs what is written
 *   output_files.c   refuses outputs that are inputs, or one file
 *   report.c         how a run went
 */
#ifndef TW_OUTPUT_H
#define TW_OUTPUT_H

#include "clean.h"
#include "common.h"
#include "json_line.h"
#include "output_files.h"
#include "result.h"

/* ---- write.c: the formats as data */

/* Gets the format at an index; false past the last. */
bool tw_format_at(size_t index, twinset_format_info *info);

/* ---- signatures, as TWINSET_FORMAT_JSONL or _BINARY (docs/format.md) */

typedef struct tw_signatures {
    tw_sink sink;
    twinset_format format;
    const twinset_options *options;
    uint64_t length, checksum;      /* of the bytes so far; binary only, like the rest */
    tw_u64s shingles, name_offsets; /* written after the slots */
    tw_bytes names;
} tw_signatures;

/* Call begin, exactly `documents` rows, then end; free after any of them. The options, which must
 * be resolved, are borrowed. A row fails as soon as a write has failed. */
int tw_signatures_begin(tw_signatures *signatures, twinset_format format,
                        const twinset_options *options, size_t documents, twinset_write_fn write,
                        void *context, twinset_error *error) TW_CHECKED;
int tw_signatures_row(tw_signatures *signatures, const char *name, bool is_number,
                      uint64_t shingles, const uint32_t *slots, twinset_error *error) TW_CHECKED;
int tw_signatures_end(tw_signatures *signatures, twinset_error *error) TW_CHECKED;
void tw_signatures_free(tw_signatures *signatures);

#endif
