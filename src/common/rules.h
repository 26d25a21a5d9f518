/* The numbers, words and lists that every way to use twinset has to know: each is written here and
 * nowhere else. rules.c gives them to other programs, as data. */
#ifndef TW_RULES_H
#define TW_RULES_H

/* Defaults of options. */
#define TW_THRESHOLD 0.5
#define TW_DEDUP_THRESHOLD 0.8
#define TW_HASHES 256 /* of a signature that is not made for a search */
#define TW_MOST_CHOSEN_HASHES 512
#define TW_RECALL 0.99
#define TW_MAX_BUCKET 1000
#define TW_MAX_SKIPPED 0.5

/* Members of a bucket, or copies of a document, that all others are compared with where there are
 * more than the limit. */
#define TW_STAR 16
/* A search with more candidates than these in all, and than so many for each document that has
 * earlier ones, lists a document with its first similar ones only: with as many as the larger of
 * both numbers makes for each. */
#define TW_MANY_CANDIDATES 4194304
#define TW_MANY_FOR_EACH 32
/* Kept documents of a cluster that another is compared with before it is kept, too: with more, a
 * cluster of a million would take hours. */
#define TW_MOST_COMPARISONS 1000

/* Words are separated by bars, as in the table of options. */
#define TW_KEEP_FIRST "first"
#define TW_KEEP_RULES TW_KEEP_FIRST "|longest|newest"
/* The fields that say when a record was made, in the order in which they are looked for. */
#define TW_TIME_FIELDS "timestamp|date|time|created|created_at|updated|updated_at|modified"
/* Endings of formats that nothing here writes: an output of such a name is refused. */
#define TW_UNWRITTEN                                                                               \
    "parquet|arrow|feather|avro|orc|xlsx|ods|sqlite|lz4|lzma|lzo|br|sz|z|zip|7z|rar|tar|tgz|pdf"
/* Endings of names by which cleaned records are packed. */
#define TW_PACKED "gz|zst|xz|bz2"
/* Writes into `word`, and returns, the word at `index` of a list; NULL past the last. */
enum { TW_OPTION_WORD_BYTES = 16 };
const char *tw_list_word(const char *list, unsigned index, char word[TW_OPTION_WORD_BYTES]);
/* The index of a word in a list, or -1. */
int tw_list_index(const char *list, const char *word);

#endif
