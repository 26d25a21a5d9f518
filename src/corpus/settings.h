/*
 * The settings of a run: the options, checked and completed, and what is made of them once: the
 * language, the rules for files, the stop words, the hash functions of signatures. Read-only once
 * made, and shared by counting.
 */
#ifndef TW_SETTINGS_H
#define TW_SETTINGS_H

#include <stdatomic.h>
#include <string.h>

#include "common.h"
#include "input.h"
#include "sketch.h"
#include "text.h"

typedef struct tw_settings tw_settings;

struct tw_settings {
    atomic_uint owners;
    tw_settings *base;           /* that these were derived from and share things with, or NULL */
    tw_arena *arena;             /* holds the strings of the options */
    twinset_options given;       /* as the caller gave them */
    twinset_options options;     /* resolved */
    const tw_language *language; /* of all programs; NULL: each program has its own */
    tw_convert_rules rules;
    tw_walk_rules walk;
    tw_stop_list *stop; /* NULL: there is none */
    tw_scheme *scheme;
    tw_cancel
        cancel; /* of all runs with these settings or derived ones; ask tw_settings_cancel() */
};

/* Checks the options (NULL: the defaults) and makes settings with one owner. */
int tw_settings_new(const twinset_options *options, tw_settings **settings,
                    twinset_error *error) TW_CHECKED;
/* The same for handles that work in one thread, whatever the options say. */
int tw_settings_new_single(const twinset_options *options, tw_settings **settings,
                           twinset_error *error) TW_CHECKED;
/* Ids that are excluded where there are no templates: shingles across a span that is left out. */
tw_set tw_settings_excluded(const tw_settings *settings);
/* Settings that differ in what documents are compared by, TWINSET_BY_*, with the defaults that
 * follow from it, and in the threshold, where the caller gave none and `threshold` is not
 * TWINSET_AUTO. NULL where memory is short. */
tw_settings *tw_settings_derive(tw_settings *base, int by, double threshold) TW_CHECKED;
tw_settings *tw_settings_retain(tw_settings *settings);
/* Frees the settings with their last owner. Takes NULL. */
void tw_settings_release(tw_settings *settings);

/* What stops the runs of these settings. */
tw_cancel *tw_settings_cancel(tw_settings *settings);
/* A loop or pipeline of this many threads that reports to the caller's progress callback. */
tw_loop tw_settings_loop(const tw_settings *settings, const char *stage);

static inline bool tw_compares_programs(const tw_settings *settings)
{
    return settings->options.by == TWINSET_BY_CODE;
}

/* Whether each sub-folder is a submission. */
static inline bool tw_groups_are_folders(const tw_settings *settings)
{
    return strcmp(settings->options.group, "dir") == 0;
}

/* The field or column that names the submission, or NULL. */
static inline const char *tw_group_field(const tw_settings *settings)
{
    const char *group = settings->options.group;
    return tw_groups_are_folders(settings) || strcmp(group, "none") == 0 ? NULL : group;
}

/* Bytes of text, and shingles, that one thread may take into memory at once. */
uint64_t tw_size_limit(const tw_settings *settings);

#endif
