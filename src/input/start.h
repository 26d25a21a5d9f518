/* Libraries of this stage that several threads use. */
#ifndef TW_START_H
#define TW_START_H

/* Initialises them once for the process; waits if another thread is doing so. Call this before a
 * converter is called without a reader; tw_reader_new() calls it. */
void tw_input_start(void);

#endif
