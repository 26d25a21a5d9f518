/*
 * The table of rules: what other programs read instead of writing it once more. A value is text, as
 * that of an option is.
 */
#include "rules.h"

#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "twinset_advanced.h"

#define TEXT(value) TEXT_OF(value)
#define TEXT_OF(value) #value

static const twinset_rule_info rules[] = {
    {"threshold", TEXT(TW_THRESHOLD), "Default of `threshold`, for texts."},
    {"dedup-threshold", TEXT(TW_DEDUP_THRESHOLD), "Default of `threshold`, for dedup."},
    {"hashes", TEXT(TW_HASHES), "Default of `hashes`, but for a search."},
    {"recall", TEXT(TW_RECALL), "Default of `recall`."},
    {"max-bucket", TEXT(TW_MAX_BUCKET), "Default of `max-bucket`."},
    {"max-skipped", TEXT(TW_MAX_SKIPPED), "Default of `max-skipped`."},
    {"star", TEXT(TW_STAR),
     "Members that all others of a bucket over the limit are compared with."},
    {"many-candidates", TEXT(TW_MANY_CANDIDATES),
     "With more in all, a scan by lsh lists a document with its first similar ones only."},
    {"many-for-each", TEXT(TW_MANY_FOR_EACH), "The same, for each document."},
    {"looks", TEXT(TW_MOST_COMPARISONS),
     "Kept documents of its cluster that dedup compares a document with, at most."},
    {"keep", TW_KEEP_RULES, "What `keep` may be, beside a field; the first is the default."},
    {"times", TW_TIME_FIELDS, "Fields that say when, for newest, in this order."},
    {"unwritten", TW_UNWRITTEN,
     "Endings of files that are not written: a name with one of these is a mistake."},
    {"packed", TW_PACKED, "Endings that dedup packs files for."},
    {"formats-step", "jsonl|csv|tsv", "Formats of twinset_pair_write(); the first is the default."},
};
enum { RULES = sizeof rules / sizeof *rules };

size_t twinset_rules(void)
{
    return RULES;
}

int twinset_rule(size_t index, twinset_rule_info *rule, size_t size)
{
    return index < RULES ? tw_copy_struct(rule, size, &rules[index], sizeof rules[index])
                         : TWINSET_USAGE;
}

const char *twinset_rule_value(const char *name)
{
    for (size_t i = 0; i < RULES && name; i++)
        if (strcmp(rules[i].name, name) == 0)
            return rules[i].value;
    return NULL;
}

/* ---- lists of words */

const char *tw_list_word(const char *list, unsigned index, char word[TW_OPTION_WORD_BYTES])
{
    for (; index > 0; index--) {
        const char *bar = strchr(list, '|');
        if (!bar)
            return NULL;
        list = bar + 1;
    }
    snprintf(word, TW_OPTION_WORD_BYTES, "%.*s", (int)strcspn(list, "|"), list);
    return word;
}

int tw_list_index(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0;; index++) {
        size_t size = strcspn(list, "|");
        if (size == length && memcmp(list, word, length) == 0)
            return index;
        if (!list[size])
            return -1;
        list += size + 1;
    }
}
