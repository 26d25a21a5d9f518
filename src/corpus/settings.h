/*
 * The settings of a run: the options, checked and completed, and what is made from them once: the
 * language, the rules for files, the stop words, the hash functions of signatures. They are
 * read-only once made, and shared by counting owners.
 */
#ifndef TW_SETTINGS_H
#define TW_SETTINGS_H

#include <stdatomic.h>
#include <string.h>

#include "common.h"
#include "input.h"
#include "match.h"
#include "sketch.h"
#include "text.h"

typedef struct tw_settings tw_settings;

struct tw_settings {
    atomic_uint owners;
    tw_settings *base;           /* the settings that these were derived from, or NULL */
    tw_arena *arena;             /* holds the strings of the options */
    twinset_options given;       /* as given by the caller */
    twinset_options options;     /* resolved */
    const tw_language *language; /* of all programs; NULL: recognised for each program */
    tw_convert_rules rules;
    tw_walk_rules walk;
    tw_stop_list *stop; /* NULL: there is none */
    tw_scheme *scheme;
    tw_parse_limits *parse_limits; /* of the base, for derived settings as well */
    tw_cancel cancel; /* use tw_settings_cancel(): derived settings share that of their base */
};

/* Checks the options (NULL: the defaults) and makes settings with one owner. */
int tw_settings_new(const twinset_options *options, tw_settings **settings,
                    twinset_error *error) TW_CHECKED;
/* Makes settings for handles that work in one thread, whatever the options say. */
int tw_settings_new_single(const twinset_options *options, tw_settings **settings,
                           twinset_error *error) TW_CHECKED;
/* Returns the ids that are excluded even without templates: that of shingles across an omitted
 * span. */
tw_set tw_settings_excluded(const tw_settings *settings);
/* Makes settings that differ in what documents are compared by, TWINSET_BY_*, and in the defaults
 * that depend on it; where the caller gave no threshold, in that as well, unless `threshold` is
 * TWINSET_AUTO. NULL: out of memory. */
tw_settings *tw_settings_derive(tw_settings *base, int by, double threshold) TW_CHECKED;
/* Chooses the number of hashes for a search, if the caller left it open. */
int tw_settings_choose_hashes(tw_settings *derived, twinset_error *error) TW_CHECKED;
tw_settings *tw_settings_retain(tw_settings *settings);
/* Frees the settings with their last owner. Takes NULL. */
void tw_settings_release(tw_settings *settings);

/* Returns the flag that stops the runs of these settings. */
tw_cancel *tw_settings_cancel(tw_settings *settings);
/* Makes paged memory for names, documents and what else grows with them. NULL: out of memory. */
tw_paged *tw_settings_paged(const tw_settings *settings) TW_CHECKED;
/* Returns a loop with the threads, the progress callback and the cancel flag of the settings. */
tw_loop tw_settings_loop(const tw_settings *settings, const char *stage);

static inline bool tw_compares_programs(const tw_settings *settings)
{
    return settings->options.by == TWINSET_BY_CODE;
}

/* Whether programs of different languages are compared, and no others. */
static inline bool tw_compares_languages(const tw_settings *settings)
{
    return tw_compares_programs(settings) && settings->options.view == TWINSET_VIEW_ACROSS;
}

/* Whether the caller left it open what makes a submission. */
static inline bool tw_groups_are_open(const tw_settings *settings)
{
    return !settings->given.group || strcmp(settings->given.group, "auto") == 0;
}

/* Whether each subfolder is a submission. */
static inline bool tw_groups_are_folders(const tw_settings *settings)
{
    return strcmp(settings->options.group, "dir") == 0;
}

/* Returns the field or column that names the submission, or NULL. */
static inline const char *tw_group_field(const tw_settings *settings)
{
    const char *group = settings->options.group;
    return tw_groups_are_folders(settings) || strcmp(group, "none") == 0 ? NULL : group;
}

/* Returns the limit on the bytes of a text, and on its shingles, that one thread holds in
 * memory. */
uint64_t tw_size_limit(const tw_settings *settings);
/* Whether a program has so many tokens that they would not fit into the memory; TW_LARGE_PROGRAM
 * says so. False for texts that are compared as such. */
bool tw_is_large_program(const tw_settings *settings, const char *text, size_t length);
#define TW_LARGE_PROGRAM                                                                           \
    "too large for a program; raise `memory`, or compare by characters or words"

#endif
