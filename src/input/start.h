/* Libraries of this stage that several threads use. */
#ifndef TW_START_H
#define TW_START_H

/* Initialises them, once for the process, and waits where another thread is about it. Whoever
 * makes a reader, or calls a converter without one, calls this first; tw_reader_new() does. */
void tw_input_start(void);

#endif
