/*
 * Where documents come from: names first (tw_find), then their text: a whole file is one
 * (tw_read), or each line of a stream is one (tw_stream, tw_jsonl). Names are found by one
 * thread; texts may be read by many, with a reader, stream or parser each.
 *
 *   walk.c glob.c    names: of a folder, by rules
 *   list.c           of a list; manifest.c: of a table
 *   read.c decode.c  files, as UTF-8
 *   charset.c        text in other encodings, which guess.c tells
 *   stream.c         streams of any length, unpacked
 *   jsonl.cc         JSON records, and notebooks
 */
#ifndef TW_INPUT_H
#define TW_INPUT_H

#include "common.h"
#include "reason.h"

/* ---- finding */

typedef enum tw_input_kind {
    TW_KIND_TEXT,
    TW_KIND_JSONL,   /* documents are its lines: .jsonl, .ndjson, maybe with .gz, .zst, .xz or
                        .bz2 after it, in any case; and standard input */
    TW_KIND_MEMBERS, /* documents are the files in it: members.h */
} tw_input_kind;

/* What a manifest says of a document; NULL: nothing. */
typedef struct tw_told {
    const char *id, *label, *author, *time;
} tw_told;

typedef struct tw_found {
    const char *path;    /* as the user would write it; dies with the call */
    size_t root_length;  /* of the part that names the folder walked, its slash included:
                            what follows is the path below it. 0 for "." and where `named` */
    uint64_t size_bytes; /* 0 where it is not regular */
    bool regular;        /* false for a pipe, a device, a socket */
    bool named;          /* named itself, rather than found below a folder */
    tw_input_kind kind;  /* told by the name alone */
    const char *member;  /* of what it holds, only this is meant; NULL: all */
    tw_told told;        /* dies with the call; an id is told of what is `named` alone */
} tw_found;

/* What of a folder is taken. The patterns are those of .gitignore: one without a slash is for
 * the name, at any depth; one with a slash for the path below the folder walked, where
 * ** between slashes stands for any number of folders; one with a slash at its end is for
 * folders alone. */
typedef struct tw_walk_rules {
    bool all; /* hidden files and folders, and those that machines fill, too */
    const char *const *include, *const *exclude;
    size_t include_count; /* patterns for files; none: every file */
    size_t exclude_count; /* for files and folders; a folder is not entered then */
} tw_walk_rules;

/* Whether a pattern is for this path below a folder. */
bool tw_path_matches(const char *pattern, const char *path, bool is_folder);

/* Where the findings go. A callback that answers other than 0 ends the search. */
typedef struct tw_finder {
    int (*document)(void *context, const tw_found *found);
    int (*skip)(void *context, const char *path, const char *reason);
    void *context;
    const tw_walk_rules *rules; /* or NULL: the usual ones */
    tw_told told;               /* of all that is found next; manifests set it */
    /* Counted: what walks left out. */
    size_t hidden;   /* hidden files and folders, and folders that machines fill */
    size_t excluded; /* by patterns */
} tw_finder;

/* Finds the documents of a file, of a folder with all below it, or, for "@list", of every
 * line of the file `list` ("@-": of standard input), or, where its name ends in .csv or .tsv,
 * of every row of a manifest (manifest.c). A file whose name starts with @ can be had as
 * "./@name". In a folder, entries come in the order of their bytes; hidden ones are
 * left out, and so are folders that machines fill (CVS, node_modules, __pycache__); links to
 * files are followed, to folders not. What is named itself is taken whatever the rules say.
 * "-" is standard input. "a.zip!/dir/file" is a file in an archive. A path that does not exist
 * but has wildcards (* ? [) stands for those that match, in byte order.
 *
 * What cannot be used goes to skip() and is no failure. Fails where a callback does, with
 * its status and nothing in `error`, and with TWINSET_NOMEM. */
int tw_find(tw_finder *finder, const char *path, twinset_error *error) TW_CHECKED;

/* The same for a plain name: neither @ nor - nor wildcards mean anything. */
int tw_find_named(tw_finder *finder, const char *path, twinset_error *error) TW_CHECKED;

/* Finds the documents that a manifest names, whose text is given; `list` is "@" and its path. */
int tw_find_manifest(tw_finder *finder, const char *list, const char *text, size_t length,
                     twinset_error *error) TW_CHECKED;

/* Whether the rules leave out a file inside an archive, by its path there; counts it, too. */
bool tw_find_leaves_out(tw_finder *finder, const char *member);
/* What the name says. */
tw_input_kind tw_kind_of(const char *path);

/* Whether a name ends like that of a compressed file. */
bool tw_name_is_packed(const char *path);
/* The same; the length becomes that of the name without the ending. */
bool tw_takes_packing_off(const char *name, size_t *length);

/* ---- reading */

/* The buffers of one thread. */
typedef struct tw_reader tw_reader;
typedef struct tw_convert_rules tw_convert_rules; /* convert.h */

/* NULL where memory is short. The rules are borrowed, and may be NULL. Free it with
 * tw_reader_free(). */
tw_reader *tw_reader_new(const tw_convert_rules *rules) TW_CHECKED;
void tw_reader_free(tw_reader *reader);

/* Reads a file of at most `limit_bytes` whole: *text is what it says, as UTF-8. It belongs to
 * the reader and dies with its next call. On TWINSET_IO and TWINSET_NOMEM *reason says why the
 * file cannot be used; that sentence, too, lives until the next call. */
int tw_read(tw_reader *reader, const char *path, uint64_t limit_bytes, const char **text,
            size_t *length, const char **reason) TW_CHECKED;

/* The same for an open descriptor, from where it stands to the end. */
int tw_read_fd(tw_reader *reader, int fd, uint64_t limit_bytes, const char **text, size_t *length,
               const char **reason) TW_CHECKED;

/* The same for bytes in memory; the name tells what they are. */
int tw_read_bytes(tw_reader *reader, const char *name, const char *bytes, size_t length,
                  uint64_t limit_bytes, const char **text, size_t *text_length,
                  const char **reason) TW_CHECKED;

/* How the last text was come by. */
typedef struct tw_reading {
    const char *kind;     /* "text", "html"... */
    bool made;            /* it is not simply what the file holds */
    unsigned flags;       /* TWINSET_FLAG_* */
    const char *encoding; /* that was guessed, or NULL */
} tw_reading;

tw_reading tw_reader_told(const tw_reader *reader);
/* The bytes of the last file, as they are. */
const tw_bytes *tw_reader_raw(const tw_reader *reader);

/* ---- streams: the bytes of a file from first to last, unpacked */

typedef struct tw_stream tw_stream;

/* Plain, gzip, zstd, xz or bzip2, told by content; several members one after the other are
 * one stream. "-" is standard input. Close it with tw_stream_close(). On TWINSET_IO and
 * TWINSET_NOMEM there is no stream, and *reason says why, a sentence that stays. */
int tw_stream_open(const char *path, tw_stream **stream, const char **reason) TW_CHECKED;
/* The same for bytes in memory, which must stay. */
int tw_stream_open_bytes(const char *bytes, size_t length, tw_stream **stream,
                         const char **reason) TW_CHECKED;
/* Whether bytes start as those of a packed file do; so many of them tell. */
enum { TW_MAGIC_BYTES = 10 };
bool tw_is_packed(const char *bytes, size_t length);

/* Fills the buffer as far as there is anything; *length 0: the end. What is before the place
 * where a stream is cut or damaged is given first; then comes TWINSET_IO, with a reason, from
 * this call and all later ones. */
int tw_stream_read(tw_stream *stream, char *buffer, size_t size, size_t *length,
                   const char **reason) TW_CHECKED;
/* The packed bytes that were taken so far; not for a plain file. */
uint64_t tw_stream_taken(const tw_stream *stream);
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

/* ---- notebooks */

/* A cell of prose or of code. What it answers, other than 0, ends the reading. */
typedef int (*tw_cell_fn)(void *context, bool code, const char *text, size_t length);

/* Gives the cells of a Jupyter notebook (nbformat 3 or 4) in their order; those without a
 * text are passed over. `bytes` has the padding of a line, and *reason is NULL or says why
 * they are none. 0, TWINSET_NOMEM, or what a cell was answered with. */
int tw_jsonl_cells(tw_jsonl *parser, const char *bytes, size_t length, tw_cell_fn take,
                   void *context, const char **reason) TW_CHECKED;

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

/* UTF-16 or UTF-32 without a mark, told by where the NUL bytes of its first 64 kB stand;
 * TW_ENCODING_UTF8: neither. */
tw_encoding tw_encoding_guess(const char *bytes, size_t length);

/* Whether the first 64 kB have NUL bytes, and not as those encodings do. */
bool tw_is_binary(const char *bytes, size_t length);

/* Appends UTF-16 or UTF-32, without its mark, to `text` as UTF-8. What is no code point
 * becomes U+FFFD and sets *replaced. */
int tw_decode(tw_encoding encoding, const char *bytes, size_t length, tw_bytes *text,
              bool *replaced) TW_CHECKED;

/* ---- the rest of the folder */
#include "convert.h"
#include "lines.h"
#include "member_reader.h"
#include "members.h"

#endif
