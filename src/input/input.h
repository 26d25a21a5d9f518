/*
 * The stage that takes names and gives text. It takes the paths that a user writes: files,
 * folders, archives, lists, manifests, wildcards, standard input. It gives each document as UTF-8,
 * or a reason why it cannot be used. What a document is depends on its file: a file is one, each
 * line of a JSONL file is one, and so is each file in an archive.
 *
 * First names are found (tw_find), by one thread. Then texts are read, by any number of threads,
 * each with a reader (tw_read), a stream (tw_stream) and a parser (tw_jsonl) of its own.
 *
 *   walk.c glob.c      the files of a folder, and patterns for their paths
 *   list.c manifest.c  the files that a list or a table names
 *   read.c unpack.c    a file as a whole
 *   convert.h          from its bytes to text, by the kind of file; charset.c, guess.c and
 *                      decode.c for its encoding
 *   kind.h             whether a file is one document, or what the documents in it are
 *   members.h          the files in a file: archive.c, mbox.c, warc.c
 *   member_reader.h    one of them, by its number
 *   stream.c lines.h   files of any length, unpacked, and their lines
 *   jsonl.cc           records of JSON, and notebooks
 *   reason.h start.h   why a file cannot be used; libraries that several threads use
 */
#ifndef TW_INPUT_H
#define TW_INPUT_H

#include "common.h"
#include "kind.h"
#include "reason.h"

/* ---- finding */

/* What a manifest says of a document; NULL: it says nothing. */
typedef struct tw_manifest_entry {
    const char *id, *label, *author, *time;
} tw_manifest_entry;

/* A file, or another source of documents, that was found. Strings live as long as the call that
 * hands it over. */
typedef struct tw_input_source {
    const char *path;    /* as the user would write it */
    size_t root_length;  /* the length of the folder's name that was walked, with its slash: the
                            path below it follows. 0 for ".", and if it is `named` */
    uint64_t size_bytes; /* 0 if it is not regular */
    bool regular;        /* false: it is a pipe, a device or a socket */
    bool named;          /* the user named it, rather than a folder above it */
    tw_input_kind kind;
    bool is_program;            /* its name does not say what it is, but its bytes are a program */
    const char *member;         /* the one file in it that is meant, or the record, as ":12" or
                                   "#ID"; NULL: all */
    tw_manifest_entry manifest; /* an id only if it is `named` */
} tw_input_source;

/* Which files of a folder are taken. Patterns are those of .gitignore: one without a slash is
 * compared with the name, at any depth; one with a slash with the path below the folder that is
 * walked, where ** between slashes stands for any number of folders; one with a slash at its end
 * is for folders only. */
struct tw_walk_rules {
    bool all; /* also what is hidden, and folders that programs fill */
    const char *const *include, *const *exclude;
    size_t include_count;   /* patterns for files; 0: every file is taken */
    size_t exclude_count;   /* patterns for files and for folders, which are not entered then */
    int input;              /* TWINSET_INPUT_*: what files are; auto: by their names or bytes */
    const char *checkpoint; /* the folder of the run's journals, which are not taken; or NULL */
    const char *text_field; /* the field of records that has their text, or NULL */
    bool (*is_known_name)(const char *name); /* whether a name is that of a text or program, so that
                                                bytes do not matter; or NULL */
    bool (*is_program)(const char *head, size_t length); /* whether the first bytes of a file are
                                                            those of a program; or NULL */
};

/* Whether a pattern is for this path below a folder. */
bool tw_path_matches(const char *pattern, const char *path, bool is_folder);

/* Receives what is found. A callback that returns other than 0 ends the search. */
typedef struct tw_finder {
    int (*document)(void *context, const tw_input_source *found);
    int (*skip)(void *context, const char *path, const char *reason);
    void *context;
    const tw_walk_rules *rules; /* NULL: nothing is included or excluded */
    tw_manifest_entry manifest; /* what a manifest says of what is found next */
    /* What was left out so far: */
    size_t hidden;   /* hidden files and folders, and folders that programs fill */
    size_t excluded; /* files and folders that patterns exclude */
} tw_finder;

/* Finds the documents that a path stands for:
 *   a file, or a folder with all below it;
 *   "@list": each line of the file `list` is a path, or each row, if its name ends in .csv or .tsv
 *     (manifest.c); "@-": standard input is the list. "./@name" is a file of that name;
 *   "-": standard input;
 *   "a.zip!/dir/file": a file in an archive;
 *   "a.jsonl:12", "a.jsonl#ID": a record, by its line or its id;
 *   a path that does not exist but has wildcards (* ? [): those that match, in the order of bytes.
 * The entries of a folder come in the order of their bytes. Hidden ones are left out, and so are
 * folders that programs fill (CVS, node_modules, __pycache__). Links to files are followed, links
 * to folders are not. What is named itself is taken whatever the rules say.
 *
 * What cannot be used goes to skip() and is no failure. Fails if a callback does, with its status
 * and nothing in `error`, and with TWINSET_NOMEM. */
int tw_find(tw_finder *finder, const char *path, twinset_error *error) TW_CHECKED;

/* Finds the documents of a path in which @, - and wildcards mean nothing. */
int tw_find_named(tw_finder *finder, const char *path, twinset_error *error) TW_CHECKED;

/* Finds the documents that the text of a manifest names. `list` is "@" and its path. */
int tw_find_manifest(tw_finder *finder, const char *list, const char *text, size_t length,
                     twinset_error *error) TW_CHECKED;

/* Whether the rules leave out a file in an archive, by its path there. Counts it if so. */
bool tw_finder_leaves_out(tw_finder *finder, const char *member);
/* Whether a file is compressed, by its name or its first bytes. */
bool tw_file_is_packed(const char *path);
/* Whether a name ends like that of a compressed file. */
bool tw_name_is_packed(const char *path);
/* Takes such an ending off the length of a name; false: it has none. */
bool tw_strip_packing(const char *name, size_t *length);

/* ---- reading files */

/* The buffers that one thread reads with. */
typedef struct tw_reader tw_reader;
typedef struct tw_convert_rules tw_convert_rules; /* convert.h */

/* Makes a reader; free it with tw_reader_free(). NULL: memory is short. The rules must stay, and
 * may be NULL. */
tw_reader *tw_reader_new(const tw_convert_rules *rules) TW_CHECKED;
void tw_reader_free(tw_reader *reader);

/* Reads a file of at most `limit_bytes` as a whole. *text is what it says, as UTF-8; it belongs to
 * the reader and lives until the reader's next call. On TWINSET_IO and TWINSET_NOMEM *reason says
 * why the file cannot be used, and lives as long. */
int tw_read(tw_reader *reader, const char *path, uint64_t limit_bytes, const char **text,
            size_t *length, const char **reason) TW_CHECKED;

/* Reads an open file from its offset to its end, as tw_read() does. */
int tw_read_fd(tw_reader *reader, int fd, uint64_t limit_bytes, const char **text, size_t *length,
               const char **reason) TW_CHECKED;

/* Takes bytes in memory for a file of this name, as tw_read() does. */
int tw_read_bytes(tw_reader *reader, const char *name, const char *bytes, size_t length,
                  uint64_t limit_bytes, const char **text, size_t *text_length,
                  const char **reason) TW_CHECKED;

/* How a text came out of its file. */
typedef struct tw_text_origin {
    const char *kind;     /* the kind of file: "text", "html"... */
    bool made;            /* the text differs from the bytes of the file */
    unsigned flags;       /* TWINSET_FLAG_* */
    const char *encoding; /* the encoding that was guessed, or NULL */
} tw_text_origin;

/* How the last text came out of its file. */
tw_text_origin tw_reader_origin(const tw_reader *reader);
/* The bytes of the last file, as they are. */
const tw_bytes *tw_reader_raw(const tw_reader *reader);

/* ---- streams: the bytes of a file from first to last, unpacked */

typedef struct tw_stream tw_stream;

/* Opens a file that is plain or packed by gzip, zstd, xz or bzip2, which its bytes show; several
 * packed streams in a row are one. "-" is standard input. Close it with tw_stream_close(). On
 * TWINSET_IO and TWINSET_NOMEM there is no stream, and *reason, which is static, says why. */
int tw_stream_open(const char *path, tw_stream **stream, const char **reason) TW_CHECKED;
/* Opens bytes in memory, which must stay, as tw_stream_open() does a file. */
int tw_stream_open_bytes(const char *bytes, size_t length, tw_stream **stream,
                         const char **reason) TW_CHECKED;
/* Whether bytes start as those of a packed file do. TW_MAGIC_BYTES of them are enough to see. */
enum { TW_MAGIC_BYTES = 10 };
bool tw_is_packed(const char *bytes, size_t length);

/* Fills the buffer as far as there is anything; *length 0: the end. What comes before a damage is
 * given first; then this call and all later ones return TWINSET_IO, with a reason. */
int tw_stream_read(tw_stream *stream, char *buffer, size_t size, size_t *length,
                   const char **reason) TW_CHECKED;
/* How many packed bytes were used so far; not for a plain file. */
uint64_t tw_stream_taken(const tw_stream *stream);
void tw_stream_close(tw_stream *stream);

/* ---- records: JSON lines */

/* The bytes after a line that must be readable; they may hold anything. */
enum { TW_JSON_PADDING = 64 };

/* The parser and buffers of one thread. They take 14 times the length of a long line in address
 * space; text touches as much of it as it is long, an array of digits nearly all. */
typedef struct tw_jsonl tw_jsonl;

/* Makes a parser; free it with tw_jsonl_free(). `text` and `id` name fields, nested ones with
 * dots: "meta.url"; a field whose own name has the dots is found first. Without an id, the field
 * "id" is taken from records that have a string or number there; with "none", no field is. Both
 * strings must stay. */
int tw_jsonl_new(const char *text, const char *id, tw_jsonl **parser) TW_CHECKED;
void tw_jsonl_free(tw_jsonl *parser);

/* A record. All of it lives until the parser's next call. */
typedef struct tw_record {
    const char *text; /* UTF-8, maybe with NUL bytes */
    size_t text_length;
    const char *id; /* a number as JSON writes it; NULL: the record has none */
    size_t id_length;
    bool id_is_number;
    const char *reason; /* why the record cannot be used, or NULL */
    bool lacks_text;    /* the reason is that its text is missing or null */
} tw_record;

/* Parses one line, without its newline. All of it must be valid JSON, without numbers such as
 * 1e999. A \u escape of half a character becomes U+FFFD; an id beyond 64 bits keeps its digits; of
 * two fields with one name the first counts. Returns 0 also with a reason; TWINSET_NOMEM. */
int tw_jsonl_record(tw_jsonl *parser, const char *line, size_t length,
                    tw_record *record) TW_CHECKED;

typedef enum tw_value_kind { TW_VALUE_NONE, TW_VALUE_NUMBER, TW_VALUE_STRING } tw_value_kind;

typedef struct tw_value {
    tw_value_kind kind; /* TW_VALUE_NONE: no such field, or another kind of value, or no JSON */
    double number;      /* infinite if it is beyond a double */
    const char *string; /* lives until the parser's next call */
    size_t length;
} tw_value;

/* Gives the value of any field of a line. */
int tw_jsonl_value(tw_jsonl *parser, const char *line, size_t length, const char *field,
                   tw_value *value) TW_CHECKED;

/* Gives the value of the first of TW_TIME_FIELDS that a line has, and its index there; only those
 * below *field are looked for. TW_VALUE_NONE: there is none. */
int tw_jsonl_time(tw_jsonl *parser, const char *line, size_t length, unsigned *field,
                  tw_value *value) TW_CHECKED;

/* Writes the fields of a record, whose line was parsed, as a JSON object; nothing where there are
 * none. Fields in the list `without`, which ends with NULL, are left out, and so are those that
 * hold one of them further down. */
int tw_json_others(const char *line, size_t length, const char *const *without,
                   tw_bytes *out) TW_CHECKED;

/* ---- notebooks */

/* Takes a cell of prose or of code. A return value other than 0 ends the reading. */
typedef int (*tw_cell_fn)(void *context, bool is_code, const char *text, size_t length);

/* Gives the cells of a Jupyter notebook (nbformat 3 or 4) in their order, but for those without
 * text. `bytes` has the padding of a line. *reason is NULL, or says why this is no notebook.
 * Returns 0, TWINSET_NOMEM, or what a cell was answered with. */
int tw_jsonl_cells(tw_jsonl *parser, const char *bytes, size_t length, tw_cell_fn take,
                   void *context, const char **reason) TW_CHECKED;

/* ---- Unicode in wider units */

typedef enum tw_encoding {
    TW_ENCODING_UTF8, /* or unknown: nothing says otherwise */
    TW_ENCODING_UTF16LE,
    TW_ENCODING_UTF16BE,
    TW_ENCODING_UTF32LE,
    TW_ENCODING_UTF32BE,
} tw_encoding;

/* The encoding that a byte order mark says; *mark_length is 0 if there is none. */
tw_encoding tw_encoding_detect(const char *bytes, size_t length, size_t *mark_length);

/* Recognises UTF-16 or UTF-32 without a mark by the NUL bytes in the first 64 kB;
 * TW_ENCODING_UTF8: it is neither. */
tw_encoding tw_encoding_guess(const char *bytes, size_t length);

/* Whether the first 64 kB have NUL bytes that are not those of UTF-16 or UTF-32, and more control
 * characters than a text may have by accident: one in 200 bytes. */
bool tw_is_binary(const char *bytes, size_t length);
/* Counts NUL bytes and other control characters of ASCII, without white space. */
size_t tw_count_controls(const char *bytes, size_t length);

/* Appends UTF-16 or UTF-32, without its mark, to `text` as UTF-8. What is no code point becomes
 * U+FFFD and sets *replaced. */
int tw_decode(tw_encoding encoding, const char *bytes, size_t length, tw_bytes *text,
              bool *replaced) TW_CHECKED;

/* ---- the rest of the folder */
#include "convert.h"
#include "lines.h"
#include "member_reader.h"
#include "members.h"
#include "start.h"

#endif
