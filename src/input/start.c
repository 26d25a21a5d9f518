/*
 * libxml2 prepares itself when it is first used, and two threads that use it first at the same
 * time see its tables half filled. The other libraries need nothing of the kind: libarchive,
 * gumbo, uchardet, md4c, the unpackers and utf8proc have no state outside of the objects that
 * are made with them, iconv has locks, and simdjson chooses its implementation atomically.
 * `script/long races` has Valgrind look into all of them, and finds libxml2's without this.
 */
#include "start.h"

#include <libxml/parser.h>
#include <pthread.h>

static pthread_once_t input_started = PTHREAD_ONCE_INIT;

void tw_input_start(void)
{
    pthread_once(&input_started, xmlInitParser);
}
