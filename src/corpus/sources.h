/*
 * Sources: the texts, files and members of archives that a caller added. Nothing of them is read
 * yet, except what can be read only once. A list of sources is shared by counting: a corpus that is
 * being read keeps the list as it was, whatever is added afterwards.
 */
#ifndef TW_SOURCES_H
#define TW_SOURCES_H

#include "settings.h"

/* What is known of a source that is a file or lies in one. */
typedef struct tw_source_file {
    uint32_t number;         /* among those that are no texts in memory */
    uint32_t member;         /* index of the member in the archive */
    const char *member_name; /* in the archive that it is a member of; NULL: it is a file */
    const char *time;        /* that a list gives it, or NULL */
    uint64_t group;          /* documents of one group are not compared; 0: of none */
    const char *submission;  /* what that group is called, or NULL */
    size_t root_length;      /* of the path, up to what lies below the folder that was walked */
    tw_text_origin reading;  /* how a text that is held was come by */
    const char *skipped;     /* the reason why it cannot be used, or NULL */
} tw_source_file;

/* A file of one document or of many records, a member of an archive, or a text in memory. There
 * may be millions of the last, so a source is small. */
typedef struct tw_source {
    const char *name; /* as results call it: its path, or the id that a list gives it */
    const char *path; /* of the file that it is, or is a member of; NULL: a text in memory */
    const char *text; /* in memory, because it cannot be read again; NULL: it can */
    uint64_t size_bytes;
    const tw_source_file *file; /* of a text in memory one that says nothing */
    uint8_t role;               /* twinset_role */
    uint8_t kind;               /* tw_input_kind, by its name */
    bool is_regular;            /* a file that can be read at any offset and time */
    bool is_top_level; /* directly in a folder that was named: a group only beside other folders */
} tw_source;

/* What could not be used: a path, or a record with its span. */
typedef struct tw_skipped {
    const char *path, *reason;
    uint32_t source; /* TW_NO_SOURCE: a path that is none */
    bool is_empty;   /* nothing is wrong with it, but there is nothing in it */
    uint64_t offset;
    uint64_t length; /* of the record with its newline, whether or not there is one */
} tw_skipped;

#define TW_NO_SOURCE UINT32_MAX

typedef struct tw_skips {
    tw_skipped *data;
    size_t count, capacity;
} tw_skips;

/* Adds to a list; both strings must live as long as the list, as they do in an arena. */
int tw_skips_add(tw_skips *skips, const tw_skipped *skip) TW_CHECKED;

typedef struct tw_sources {
    atomic_uint owners;
    tw_arena *arena; /* names, texts and files */
    tw_source *data;
    size_t count, capacity;
    uint32_t file_count; /* sources that are no texts in memory */
    tw_skips skips;      /* known before anything is read */
    tw_u64s folders;     /* of new documents that were named, by hash */
    size_t hidden;       /* files and folders left out by rule */
    size_t excluded;     /* and by pattern */
} tw_sources;

/* Makes an empty list with one owner, whose strings go to the arena; NULL where memory is short. */
tw_sources *tw_sources_new(tw_arena *arena) TW_CHECKED;
tw_sources *tw_sources_retain(tw_sources *sources);
/* Frees the list with its last owner. Takes NULL. */
void tw_sources_release(tw_sources *sources);
/* Makes *sources a list with one owner, by a copy where it has several. */
int tw_sources_own(tw_sources **sources) TW_CHECKED;

/* Adds a text; one that is `borrowed` is not copied. Without a text (NULL) it becomes a skipped
 * input. */
int tw_sources_add_text(tw_sources *sources, const char *name, const char *text, size_t length,
                        bool borrowed, twinset_role role) TW_CHECKED;
/* Adds what a path names: a file, all files below a folder, those of a list. */
int tw_sources_add_path(tw_sources *sources, const tw_settings *settings, const char *path,
                        twinset_role role, twinset_error *error) TW_CHECKED;

/* The name that tells the language of a program, or the kind of a file. */
static inline const char *tw_source_file_name(const tw_source *source)
{
    if (source->file->member_name)
        return source->file->member_name;
    return source->path ? source->path : source->name;
}

/* Why a source cannot be used, as far as that is known before it is read; or NULL. */
static inline const char *tw_source_reason(const tw_source *source)
{
    return source->path || source->text ? source->file->skipped : "null";
}

/* A path without what says nothing: "./a" and "a" are one file. */
const char *tw_path_key(const char *path);
/* The group of documents that name it so; never 0, which is no group. */
uint64_t tw_group_of_name(const char *name, size_t length);

#endif
