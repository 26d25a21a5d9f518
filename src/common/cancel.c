#include "cancel.h"

#include <poll.h>
#include <stddef.h>

enum { LOOK_EVERY_MS = 100 };

static _Thread_local const tw_cancel *cancel_in_use;

const tw_cancel *tw_cancel_listen(const tw_cancel *cancel)
{
    const tw_cancel *before = cancel_in_use;
    cancel_in_use = cancel;
    return before;
}

bool tw_is_cancelled(void)
{
    return cancel_in_use && atomic_load_explicit(&cancel_in_use->is_asked, memory_order_relaxed);
}

bool tw_wait_to_read(int fd)
{
    struct pollfd input = {.fd = fd, .events = POLLIN};
    while (cancel_in_use && !tw_is_cancelled())
        if (poll(&input, 1, LOOK_EVERY_MS) > 0)
            break;
    return !tw_is_cancelled();
}
