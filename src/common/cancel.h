/*
 * Cancelling: a caller asks a run to stop, from any thread or from a signal handler, and every
 * thread that works for the run hears it, also while it waits for input. Which run a thread works
 * for is a variable of the thread, since too many calls lie between a run and what waits in it.
 */
#ifndef TW_CANCEL_H
#define TW_CANCEL_H

#ifndef __cplusplus /* which has other atomic types, and needs only the name */
#include <stdatomic.h>
#endif
#include <stdbool.h>

typedef struct tw_cancel tw_cancel;

#ifndef __cplusplus
/* Zero to begin with. */
struct tw_cancel {
    atomic_bool is_asked;
};
#endif

/* Makes this thread listen to a cancel (NULL: to none), and returns the one that it listened to
 * before, to be restored. */
const tw_cancel *tw_cancel_listen(const tw_cancel *cancel);
/* Whether the run that this thread works for is to stop. */
bool tw_is_cancelled(void);
/* Waits until a descriptor has something to read, or is at its end. Checks ten times a second
 * whether the run is to stop, and returns false if so. Not needed for regular files. */
bool tw_wait_to_read(int fd);

#endif
