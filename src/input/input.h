/*
 * Where documents come from: names first (tw_find), then their text: a whole file is one
 * (tw_read), or each line of a stream is one (tw_stream, tw_jsonl). Names are found by one
 * thread; texts may be read by many, with a reader, stream or parser each.
 *
 *   walk.c list.c    names
 *   read.c decode.c  files, as UTF-8
 *   stream.c         streams of any length, unpacked
 *   jsonl.cc         JSON records
 */
#ifndef TW_INPUT_H
#define TW_INPUT_H

#include "common/common.h"

/* ---- finding */

typedef enum tw_input_kind {
    TW_KIND_TEXT,
    TW_KIND_JSONL, /* documents are its lines: .jsonl, .ndjson, maybe with .gz, .zst, .xz or
                      .bz2 after it, in any case; and standard input */
} tw_input_kind;

typedef struct tw_found {
    const char *path;    /* as the user would write it; dies with the call */
    size_t root_length;  /* of the part that names the folder walked, its slash included:
                            what follows is the path below it. 0 for "." and where `named` */
    uint64_t size_bytes; /* 0 where it is not regular */
    bool regular;        /* false for a pipe, a device, a socket */
    bool named;          /* named itself, rather than found below a folder */
    tw_input_kind kind;  /* told by the name alone */
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
 * left out; links to files are followed, to folders not. "-" is standard input. A path that
 * does not exist but has wildcards (* ? [) stands for those that match, in byte order.
 *
 * What cannot be used goes to skip() and is no failure. Fails where a callback does, with
 * its status and nothing in `error`, and with TWINSET_NOMEM. */
int tw_find(tw_finder *finder, const char *path, twinset_error *error) TW_CHECKED;

/* The same for a plain name: neither @ nor - nor wildcards mean anything. */
int tw_find_named(tw_finder *finder, const char *path, twinset_error *error) TW_CHECKED;

/* Whether a name ends like that of a compressed file. */
bool tw_name_is_packed(const char *path);

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

/* ---- streams: the bytes of a file from first to last, unpacked */

typedef struct tw_stream tw_stream;

/* Plain, gzip, zstd, xz or bzip2, told by content; several members one after the other are
 * one stream. "-" is standard input. Close it with tw_stream_close(). On TWINSET_IO and
 * TWINSET_NOMEM there is no stream, and *reason says why, a sentence that stays. */
int tw_stream_open(const char *path, tw_stream **stream, const char **reason) TW_CHECKED;

/* Fills the buffer as far as there is anything; *length 0: the end. What is before the place
 * where a stream is cut or damaged is given first; then comes TWINSET_IO, with a reason, from
 * this call and all later ones. */
int tw_stream_read(tw_stream *stream, char *buffer, size_t size, size_t *length,
                   const char **reason) TW_CHECKED;
void tw_stream_close(tw_stream *stream);

/* ---- records: JSON lines */

/* Bytes that must be readable after a line; they may hold anything. */
enum { TW_JSON_PADDING = 64 };

/* The parser and buffers of one thread. They take 14 times the length of a long line in
 * address space; text touches as much of it as it is long, an array of digits nearly all. */
typedef struct tw_jsonl tw_jsonl;

/* `text` and `id` name fields, nested ones by dots: "meta.url"; a field whose own name has
 * the dots is found first. Without an id, the field "id" is taken where a record has a
 * string or number there. Both strings are borrowed. Free with tw_jsonl_free(). */
int tw_jsonl_new(const char *text, const char *id, tw_jsonl **parser) TW_CHECKED;
void tw_jsonl_free(tw_jsonl *parser);

/* All of it lives until the parser's next call. */
typedef struct tw_record {
    const char *text; /* UTF-8, maybe with NUL bytes */
    size_t text_length;
    const char *id; /* a number is as JSON writes it; NULL: it has none */
    size_t id_length;
    const char *reason; /* why it cannot be used, or NULL */
} tw_record;

/* Takes one line, its newline left off; the whole of it must be valid JSON, without numbers
 * such as 1e999. A \u escape of half a character is U+FFFD; an id beyond 64 bits keeps its
 * digits; of two fields of one name the first counts. 0 with a reason, too; TWINSET_NOMEM. */
int tw_jsonl_record(tw_jsonl *parser, const char *line, size_t length,
                    tw_record *record) TW_CHECKED;

typedef enum tw_value_kind { TW_VALUE_NONE, TW_VALUE_NUMBER, TW_VALUE_STRING } tw_value_kind;

typedef struct tw_value {
    tw_value_kind kind; /* TW_VALUE_NONE: no such field, or of another kind, or no JSON */
    double number;      /* infinite where it is beyond a double */
    const char *string; /* until the parser's next call */
    size_t length;
} tw_value;

/* The value of any field of a line. */
int tw_jsonl_value(tw_jsonl *parser, const char *line, size_t length, const char *field,
                   tw_value *value) TW_CHECKED;

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
