/*
 * Where documents come from: names first (tw_find), then their text (tw_read). Names are
 * found by one thread; texts may be read by many, with a reader each.
 */
#ifndef TW_INPUT_H
#define TW_INPUT_H

#include "common/common.h"

/* ---- finding */

typedef struct tw_found {
    const char *path;    /* as the user would write it; dies with the call */
    size_t root_length;  /* of the part that names the folder walked, its slash included:
                            what follows is the path below it. 0 for "." and where `named` */
    uint64_t size_bytes; /* 0 where it is not regular */
    bool regular;        /* false for a pipe, a device, a socket */
    bool named;          /* named itself, rather than found below a folder */
} tw_found;

/* Where the findings go. A callback that answers other than 0 ends the search. */
typedef struct tw_finder {
    int (*document)(void *context, const tw_found *found);
    int (*skip)(void *context, const char *path, const char *reason);
    void *context;
    size_t hidden; /* counted: hidden files and folders left out of walks */
} tw_finder;

/* Finds the documents of a file, of a folder with all below it, or, for "@list", of every
 * line of the file `list` ("@-": of standard input). A file whose name starts with @ can be
 * had as "./@name". In a folder, entries come in the order of their bytes; hidden ones are
 * left out; links to files are followed, to folders not.
 *
 * What cannot be used goes to skip() and is no failure. Fails where a callback does, with
 * its status and nothing in `error`, and with TWINSET_NOMEM. */
int tw_find(tw_finder *finder, const char *path, twinset_error *error) TW_CHECKED;

/* The same without lists: a leading @ is part of the name. */
int tw_find_named(tw_finder *finder, const char *path, twinset_error *error) TW_CHECKED;

/* ---- reading */

/* The buffers of one thread. */
typedef struct tw_reader tw_reader;

/* NULL where memory is short. Free it with tw_reader_free(). */
tw_reader *tw_reader_new(void) TW_CHECKED;
void tw_reader_free(tw_reader *reader);

/* Reads a file of at most `limit_bytes` whole: *text is UTF-8, or whatever bytes a file
 * without a byte order mark holds. It belongs to the reader and dies with its next call.
 * On TWINSET_IO and TWINSET_NOMEM *reason says why the file cannot be used; that sentence,
 * too, lives until the next call. */
int tw_read(tw_reader *reader, const char *path, uint64_t limit_bytes, const char **text,
            size_t *length, const char **reason) TW_CHECKED;

/* The same for an open descriptor, from where it stands to the end. */
int tw_read_fd(tw_reader *reader, int fd, uint64_t limit_bytes, const char **text, size_t *length,
               const char **reason) TW_CHECKED;

/* Whether U+FFFD stands in the last text for something that could not be decoded. */
bool tw_reader_replaced(const tw_reader *reader);

/* ---- decoding */

typedef enum tw_encoding {
    TW_ENCODING_UTF8, /* or unknown: no byte order mark says otherwise */
    TW_ENCODING_UTF16LE,
    TW_ENCODING_UTF16BE,
    TW_ENCODING_UTF32LE,
    TW_ENCODING_UTF32BE,
} tw_encoding;

/* What the byte order mark says; *mark_length is 0 where there is none. */
tw_encoding tw_encoding_detect(const char *bytes, size_t length, size_t *mark_length);

/* Appends UTF-16 or UTF-32, without its mark, to `text` as UTF-8. What is no code point
 * becomes U+FFFD and sets *replaced. */
int tw_decode(tw_encoding encoding, const char *bytes, size_t length, tw_bytes *text,
              bool *replaced) TW_CHECKED;

#endif
