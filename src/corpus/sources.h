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
    const char *time;        /* from a manifest, or NULL */
    uint64_t group;          /* documents of one group are not compared with each other; 0: none */
    const char *submission;  /* the name of the group, or NULL */
    size_t root_length;      /* of the folder that was walked, at the start of the path */
    tw_text_origin reading;  /* where a text in memory comes from */
    const char *skipped;     /* why it cannot be used, or NULL */
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
    uint8_t kind;               /* tw_input_kind, by its name */
    bool is_regular;            /* a file that can be read at any offset, any number of times */
    bool is_top_level; /* directly in a folder that was named: a group only if several were named */
} tw_source;

/* A path, or a record with its span, that could not be used. */
typedef struct tw_skipped {
    const char *path, *reason;
    uint32_t source; /* TW_NO_SOURCE: the path is not a source */
    bool is_empty;   /* it is valid, but has no text */
    uint64_t offset;
    uint64_t length; /* of the record and a newline, even if the last line has none */
} tw_skipped;

#define TW_NO_SOURCE UINT32_MAX

typedef struct tw_skips {
    tw_skipped *data;
    size_t count, capacity;
} tw_skips;

/* Adds to a list, which borrows both strings; they have to live in an arena. */
int tw_skips_add(tw_skips *skips, const tw_skipped *skip) TW_CHECKED;

typedef struct tw_sources {
    atomic_uint owners;
    tw_arena *arena; /* of names, texts and descriptions */
    tw_source *data;
    size_t count, capacity;
    uint32_t file_count; /* sources that are not texts in memory */
    tw_skips skips;      /* found before anything is read */
    tw_u64s folders;     /* hashes of the folders of new documents that were named */
    const char **lists;  /* files of names and manifests that were read */
    size_t list_count, list_capacity;
    size_t hidden;   /* files and folders left out because they are hidden */
    size_t excluded; /* files and folders left out by a pattern */
} tw_sources;

/* Makes an empty list with one owner, whose strings go to the arena. NULL: out of memory. */
tw_sources *tw_sources_new(tw_arena *arena) TW_CHECKED;
tw_sources *tw_sources_retain(tw_sources *sources);
/* Frees the list with its last owner. Takes NULL. */
void tw_sources_release(tw_sources *sources);
/* Replaces *sources by a copy if the list has several owners, so that it can be changed. */
int tw_sources_own(tw_sources **sources) TW_CHECKED;

/* Adds a text, which is copied unless it is `borrowed`. A text of NULL becomes a skipped input. */
int tw_sources_add_text(tw_sources *sources, const char *name, const char *text, size_t length,
                        bool borrowed, twinset_role role) TW_CHECKED;
/* Adds a file, all files below a folder, or the files of a manifest. */
int tw_sources_add_path(tw_sources *sources, const tw_settings *settings, const char *path,
                        twinset_role role, twinset_error *error) TW_CHECKED;

/* Calls `visit` for the path of each file that the sources are, lie in or were found by: documents,
 * archives, lists, and files that were skipped but exist. The path of standard input is
 * "/dev/stdin". An archive comes once for members that follow each other. An answer other than 0
 * ends the walk and is returned. */
int tw_sources_visit_files(const tw_sources *sources, int (*visit)(void *context, const char *path),
                           void *context);

/* Returns the name that the language of a program or the kind of a file is recognised by. */
static inline const char *tw_source_file_name(const tw_source *source)
{
    if (source->file->member_name)
        return source->file->member_name;
    return source->path ? source->path : source->name;
}

/* Returns why a source cannot be used, if that is known before it is read; otherwise NULL. */
static inline const char *tw_source_reason(const tw_source *source)
{
    return source->path || source->text ? source->file->skipped : "null";
}

/* Returns a path without a leading "./", since "./a" and "a" are one file. */
const char *tw_path_key(const char *path);
/* Returns the group of a name; never 0, which means no group. */
uint64_t tw_group_of_name(const char *name, size_t length);

#endif
