/*
 * uchardet, which is C++ and throws where memory is short. Nothing that is thrown leaves this file,
 * the only one of the library that is compiled with exceptions: C cannot catch them.
 */
#include <cstring>
#include <uchardet.h>

extern "C" {
#include "charset.h"
}

static bool feed(uchardet_t detector, const char *bytes, size_t length)
{
    return uchardet_handle_data(detector, bytes, length) == 0;
}

bool tw_ask_uchardet(const char *before, const char *bytes, size_t length, char name[32])
{
    uchardet_t detector = nullptr;
    bool has_answered = false;
    name[0] = '\0';
    try {
        detector = uchardet_new();
        has_answered =
            detector && feed(detector, before, strlen(before)) && feed(detector, bytes, length);
        if (has_answered) {
            uchardet_data_end(detector);
            strncat(name, uchardet_get_charset(detector), 31);
        }
    } catch (...) {
        has_answered = false;
    }
    if (detector)
        uchardet_delete(detector);
    return has_answered;
}
