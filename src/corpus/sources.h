/*
 * Sources are the texts, files and members of archives that a caller added. They are not read yet,
 * except those that can be read only once. A list of sources is shared by counting owners: a corpus
 * keeps the list as it was, whatever is added afterwards.
 */
#ifndef TW_SOURCES_H
#define TW_SOURCES_H

#include "settings.h"

/* The description of a source that is a file or a member of one. */
typedef struct tw_source_file {
    uint32_t number;         /* index among the sources that are not texts in memory */
    uint32_t member;         /* index of the member in the archive */
    const char *member_name; /* its path in the archive; NULL: it is a file */
    uint8_t container;       /* the tw_input_kind of the archive */
    const char *label;       /* these three are from a manifest, or NULL */
    const char *author, *time;
    uint64_t group;         /* by a column of a manifest, or 0; by folders: see groups.c */
    const char *submission; /* the name of that group, or NULL */
    size_t root_length;     /* of the folder that was walked, at the start of the path */
    bool is_named;          /* the caller named this file, and not a folder or archive above it */
    size_t named_length;    /* otherwise, that folder with its slash, or that archive with its
                               "!/", at the start of "path" or "path!/member" */
    tw_text_origin reading; /* where a text in memory comes from */
    const char *skipped;    /* why it cannot be used, or NULL */
    bool is_option_file;    /* an option names this very file, in another role than that of new */
    bool is_record;         /* one record of a file, which its name says; its text is in memory */
    bool is_number;         /* the name of a text in memory is a number of JSON */
} tw_source_file;

/* A file of one document or of many records, a member of an archive, or a text in memory. There may
 * be millions of texts in memory, so a source is small. */
typedef struct tw_source {
    const char *name; /* in results: its path, or its id in a manifest */
    const char *path; /* of the file or of the archive that it is in; NULL: a text in memory */
    const char *text; /* in memory, if it cannot be read again; or NULL */
    uint64_t size_bytes;
    const tw_source_file *file; /* all zero for a text in memory */
    uint8_t role;               /* twinset_role */
    uint8_t kind;               /* tw_input_kind */
    bool is_regular;            /* a file that can be read at any offset, any number of times */
    bool is_program;            /* by its first bytes: its name does not say what it is */
} tw_source;

/* A path, or a record with its span, that could not be used. */
typedef struct tw_skipped_input {
    const char *path, *reason;
    uint32_t source; /* TW_NO_SOURCE: the path is not a source */
    bool is_empty;   /* it is valid, but has no text */
    uint64_t offset;
    uint64_t length; /* of the record and a newline, even if the last line has none */
    uint64_t line;   /* of the record, from 1; 0: not known */
} tw_skipped_input;

#define TW_NO_SOURCE UINT32_MAX

typedef struct tw_skips {
    tw_skipped_input *data;
    size_t count, capacity;
} tw_skips;

/* Adds to a list, which borrows both strings; they have to live in an arena. */
int tw_skips_add(tw_skips *skips, const tw_skipped_input *skip) TW_CHECKED;

typedef struct tw_sources {
    atomic_uint owners;
    tw_arena *arena; /* of names and descriptions */
    tw_arena *texts; /* of texts in memory; the arena above keeps it alive, or is the same */
    tw_source *data; /* use tw_source_at(), as it may be paged */
    size_t count, capacity;
    uint32_t file_count; /* sources that are not texts in memory */
    tw_skips skips;      /* found before anything is read */
    const char **lists;  /* files of names, manifests, and others that are read */
    size_t list_count, list_capacity;
    size_t hidden;      /* files and folders left out because they are hidden */
    size_t excluded;    /* files and folders left out by a pattern */
    bool has_like_path; /* a path was added in the role of like */
} tw_sources;

/* Makes an empty list with one owner, whose strings go to the arena. NULL: out of memory. */
tw_sources *tw_sources_new(tw_arena *arena) TW_CHECKED;
/* Makes an empty list whose names and descriptions are in paged memory, so that files may be
 * many. */
tw_sources *tw_sources_new_paged(const tw_settings *settings) TW_CHECKED;
tw_sources *tw_sources_retain(tw_sources *sources);
/* Frees the list with its last owner. Takes NULL. */
void tw_sources_release(tw_sources *sources);
/* Replaces *sources by a copy if the list has several owners, so that it can be changed. */
int tw_sources_own(tw_sources **sources) TW_CHECKED;

/* Adds a text, which is copied unless it is `borrowed`. A text of NULL becomes a skipped input. */
int tw_sources_add_text(tw_sources *sources, const char *name, const char *text, size_t length,
                        bool borrowed, twinset_role role) TW_CHECKED;
/* What is known of a text that comes from a record. */
typedef struct tw_text_identity {
    uint64_t group; /* 0: none */
    bool is_number; /* its name is a number of JSON */
} tw_text_identity;

/* Adds a copy of a text that was read as a record before, by the name that it got then. */
int tw_sources_add_identified(tw_sources *sources, const char *name, const char *text,
                              size_t length, const tw_text_identity *identity,
                              twinset_role role) TW_CHECKED;
/* Adds a file, all files below a folder, or the files of a manifest. A path that cannot be used is
 * skipped; in another role than that of new documents, which an option gives it, it is an error. */
int tw_sources_add_path(tw_sources *sources, const tw_settings *settings, const char *path,
                        twinset_role role, twinset_error *error) TW_CHECKED;

/* Adds a file that is read, but gives no documents; "-" is standard input. */
int tw_sources_add_list(tw_sources *sources, const char *path) TW_CHECKED;

/* Calls `visit` for the path of each file that the sources are, lie in or were found by: documents,
 * archives, lists, and files that were skipped but exist. The path of standard input is
 * "/dev/stdin". An archive comes once for members that follow each other. An answer other than 0
 * ends the walk and is returned. */
int tw_sources_visit_files(const tw_sources *sources, int (*visit)(void *context, const char *path),
                           void *context);

static inline tw_source *tw_source_at(const tw_sources *sources, size_t index)
{
    tw_source *source = &sources->data[index];
    tw_paged_touch(tw_arena_paged(sources->arena), source, sizeof *source);
    return source;
}

/* Counts the use of a source by one that goes through many; see paged.h. */
static inline void tw_source_touch(const tw_sources *sources, const tw_source *source)
{
    tw_paged *paged = tw_arena_paged(sources->arena);
    tw_paged_touch(paged, source->file, sizeof *source->file);
    tw_paged_touch(paged, source->name, 0);
}

/* Returns the name that the language of a program or the kind of a file is recognised by. */
static inline const char *tw_source_file_name(const tw_source *source)
{
    if (source->file->member_name)
        return source->file->member_name;
    return source->path && !source->file->is_record ? source->path : source->name;
}

/* Whether a source is a program, by its name or, where that does not say what it is, by its first
 * bytes. */
static inline bool tw_source_is_program(const tw_source *source)
{
    return source->is_program || tw_is_program_path(tw_source_file_name(source));
}

/* Whether a skipped input stays in a cleaned collection: it has no text, and is part of it. */
static inline bool tw_skip_stays(const tw_sources *sources, const tw_skipped_input *skip)
{
    return skip->is_empty && (skip->source == TW_NO_SOURCE ||
                              tw_source_at(sources, skip->source)->role == TWINSET_ROLE_NEW);
}

/* Returns why a source cannot be used, if that is known before it is read; otherwise NULL. */
static inline const char *tw_source_reason(const tw_source *source)
{
    return source->path || source->text ? source->file->skipped : "null";
}

/* ---- record.c */

/* Appends the text of the record that is named by its line, ":12", or by its id, "#ID", in a file
 * of JSON lines. TWINSET_IO: it cannot be used, for a reason that may be in `sentence`. */
int tw_find_record(const tw_settings *settings, const char *path, const char *record,
                   tw_bytes *text, tw_bytes *sentence, const char **reason) TW_CHECKED;

/* ---- names */

/* Returns the option that gives a role other than that of a new document. */
const char *tw_role_option(twinset_role role);
/* Returns a path without a leading "./", since "./a" and "a" are one file. */
const char *tw_path_key(const char *path);
/* Returns the group of a name; never 0, which means no group. */
uint64_t tw_group_of_name(const char *name, size_t length);

#endif
