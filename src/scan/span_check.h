/*
 * The spans of one document that are verified. Its runs come in the order of its words, each with
 * its first copy in another document. A run that lies in the last span is passed over; any other is
 * compared with its copy word by word, as far as both documents go on together. So a document is
 * compared about once, however many runs it has.
 */
#ifndef TW_SPAN_CHECK_H
#define TW_SPAN_CHECK_H

#include "result.h"
#include "text.h"

/* Compares a word of the document with one of its copy; there may be no such word. `spans` receives
 * where the two are. */
typedef int (*tw_compare_words_fn)(void *context, uint64_t word, uint64_t first,
                                   uint64_t first_word, bool *are_equal, tw_span spans[2]);

/* Zero-initialise all but run_words, the words of a run. Free `spans`. */
typedef struct tw_span_check {
    unsigned run_words;
    uint64_t end;     /* the word behind the last span */
    uint64_t covered; /* words in spans */
    uint64_t longest; /* the words of its longest span, whose first copy is in `source` */
    uint64_t source;
    tw_repeated_span *spans;
    size_t count, capacity;
} tw_span_check;

/* Starts the next document. */
void tw_span_check_begin(tw_span_check *check);
/* Whether a run of words that starts at `word` lies in the last span. */
bool tw_span_check_has(const tw_span_check *check, uint64_t word);
/* Takes the next run, and adds a span if it is equal to its copy. */
int tw_span_check_run(tw_span_check *check, uint64_t word, uint64_t first, uint64_t first_word,
                      tw_compare_words_fn compare, void *context) TW_CHECKED;

/* Refuses options by which spans cannot be cut. */
int tw_check_cut_options(const twinset_options *options, twinset_error *error) TW_CHECKED;

#endif
