/*
 * The table of options. A row holds everything about one option: its name, and how it is parsed,
 * checked, explained and reported. The command line, its help, the man page and the bindings for
 * other languages are made from the table, so that a new option is one row and one field.
 * option_values.c reads and checks values by it.
 */
#include "option_table.h"

#include <string.h>

#include "arguments.h"
#include "error.h"
#include "options.h"

#define FIELD(name) offsetof(twinset_options, name)

static const char TEXT_TOPIC[] = "Text";
static const char SIMILARITY_TOPIC[] = "Similarity";
static const char SEARCH_TOPIC[] = "Search";
static const char INPUT_TOPIC[] = "Input";
static const char MACHINE_TOPIC[] = "Machine";

/* The commands that take an option. READING: all that read documents; TEXTS: the steps of a scan
 * on many machines as well. `kept`: an index keeps it, so that it is chosen once; what else `index`
 * takes, each call may choose. */
static const char RUNS[] = "scan compare dedup sketch cat";
static const char READING[] = "scan compare dedup sketch cat index";
static const char TEXTS[] = "scan compare dedup sketch cat spread index";
static const char KEPT_READING[] = "scan compare dedup sketch cat index kept";
static const char KEPT_TEXTS[] = "scan compare dedup sketch cat spread index kept";
static const char KEPT_SIGNATURES[] = "scan compare dedup sketch spread index kept";
static const char KEPT_BANDS[] = "scan dedup tune spread index kept";

/* The order of the words in `argument` is that of the enums in twinset.h. */
/* clang-format off */
static const tw_option_row rows[] = {
    {{"by", 0, "auto|char|word|code", TEXT_TOPIC,
      "What shingles are made of: characters (Unicode code points), words, or the tokens of "
      "programs, without names, comments and layout. auto (default) takes code for scan and "
      "compare where most files are programs, or those of a class are, and char otherwise.",
      KEPT_TEXTS},
     TW_OPTION_CHOICE, FIELD(by), 0, 0, true},
    {{"k", 'k', "N", TEXT_TOPIC,
      "Shingle length, 1 to 64. Default: 9 characters, 5 words or 8 tokens, 6 with `view` across; "
      "5 characters suit e-mail-sized texts.", KEPT_TEXTS},
     TW_OPTION_WHOLE, FIELD(k), 1, 64, true},
    {{"lang", 0, "auto|NAME", TEXT_TOPIC,
      "Language of programs: python, java, c, cpp, ...; plain for any other, text for prose. "
      "Default: each file's own, by its name and its first lines.", KEPT_READING},
     TW_OPTION_NAME, FIELD(lang), 0, 0, true},
    {{"view", 0, "both|normalised|raw|across", TEXT_TOPIC,
      "What programs are compared by. normalised: tokens in a row, names and values aside; raw: "
      "the same as they are written; both (default): normalised tokens in a row, and each word "
      "as it is written; across: as both, but programs of different languages alone, by what "
      "these have in common.", KEPT_READING},
     TW_OPTION_CHOICE, FIELD(view), 0, 0, true},
    {{"case", 0, "fold|keep", TEXT_TOPIC,
      "fold (default): Unicode NFKC and full case folding; keep: NFC only.", KEPT_TEXTS},
     TW_OPTION_CHOICE, FIELD(letter_case), 0, 0, true},
    {{"spaces", 0, "squeeze|keep|drop", TEXT_TOPIC,
      "squeeze (default): runs of white space count as one space, none at the ends; keep: "
      "as they are; drop: none. White space always separates words.", KEPT_TEXTS},
     TW_OPTION_CHOICE, FIELD(spaces), 0, 0, true},
    {{"punctuation", 0, "keep|space|drop", TEXT_TOPIC,
      "What becomes of punctuation and symbols: kept (default), a space each, or nothing.",
      KEPT_TEXTS},
     TW_OPTION_CHOICE, FIELD(punctuation), 0, 0, true},
    {{"stop", 0, "FILE", TEXT_TOPIC,
      "Leave out the words listed in FILE, one a line; ? stands for any one character, # "
      "starts a comment line.", RUNS},
     TW_OPTION_TEXT, FIELD(stop), 0, 0, true},
    {{"quotations", 0, "keep|drop", TEXT_TOPIC,
      "What becomes of the quotations of a text: three words or more between quotation marks, and "
      "lines that begin with >. Default: keep.", KEPT_TEXTS},
     TW_OPTION_CHOICE, FIELD(quotations), 0, 0, true},
    {{"bibliography", 0, "keep|drop", TEXT_TOPIC,
      "What becomes of the list of sources under a heading such as References. Default: keep.",
      KEPT_TEXTS},
     TW_OPTION_CHOICE, FIELD(bibliography), 0, 0, true},
    {{"threshold", 't', "X", SIMILARITY_TOPIC,
      "Report pairs of at least this similarity: 0.7 or 70%. Default 0.5; for dedup 0.8; of "
      "programs the pairs that chance does not explain, or 0.35 where there are fewer than ten. "
      "0 lists every pair that shares a shingle.", "scan dedup tune spread index"},
     TW_OPTION_REAL, FIELD(threshold), 0, 1, true},
    {{"top", 0, "N", SIMILARITY_TOPIC,
      "List only the N most similar pairs. The run still counts all pairs, and clusters join all "
      "of them. Default: all pairs are listed.", "scan index"},
     TW_OPTION_WHOLE, FIELD(top), 1, 4294967295.0, true},
    {{"measure", 0, "auto|jaccard|containment|weighted", SIMILARITY_TOPIC,
      "jaccard (default for text): shared shingles of all; containment: shared of the smaller "
      "document; weighted (default for programs): rare shingles count more.",
      "scan compare dedup spread"},
     TW_OPTION_CHOICE, FIELD(measure), 0, 0, true},
    {{"bag", 0, NULL, SIMILARITY_TOPIC, "Count how often a shingle stands in a document.",
      KEPT_SIGNATURES},
     TW_OPTION_SWITCH, FIELD(bag), 0, 0, true},
    {{"common", 0, "X", SIMILARITY_TOPIC,
      "Leave out the shingles that stand in more than this share of the documents: 0.9 or 90%. "
      "Default 1: none; of 20 programs or more, 0.9.", "scan dedup"},
     TW_OPTION_REAL, FIELD(common), 0, 1, true},
    {{"group", 0, "auto|dir|FIELD|none", SIMILARITY_TOPIC,
      "What makes a submission, whose documents are not compared with each other. dir: each "
      "sub-folder or archive in a folder, or each of several folders; its programs are compared "
      "as one. FIELD: the field of a JSON record, or the column of a list, whose value they "
      "share. auto (default): dir for programs where there is a folder for each person, and none "
      "otherwise.", "scan index"},
     TW_OPTION_NAME, FIELD(group), 0, 0, true},
    {{"min-passage", 0, "N|off", SIMILARITY_TOPIC,
      "scan: list pairs for the passages that they share as well, of at least N words, 5 to 10000. "
      "By default it does so for prose, if neither `threshold` nor `like` is given, with a length "
      "that depends on the texts. index query: the same, by all texts of the index, or by "
      "fingerprints, which an index has that was created with this option. dedup: cut every span "
      "of at least N words that an earlier record has, word for word. Default: off.",
      "scan compare dedup index spread"},
     TW_OPTION_WHOLE_OR_OFF, FIELD(min_passage), 5, 10000, true},
    {{"method", 0, "auto|lsh|exact", SEARCH_TOPIC,
      "exact misses nothing; lsh is made for many documents and misses what `recall` allows; "
      "auto (default) takes the cheaper.", "scan dedup spread index"},
     TW_OPTION_CHOICE, FIELD(method), 0, 0, true},
    {{"hashes", 'n', "N", SEARCH_TOPIC,
      "Length of a signature, 1 to 65536. Default: 256; to find pairs, as many as `recall` needs.",
      "scan compare dedup tune sketch spread index kept"},
     TW_OPTION_WHOLE, FIELD(hashes), 1, 65536, true},
    {{"scheme", 0, "fss|affine|modular|jenkins|md5|datasketch1|datasketch2", SEARCH_TOPIC,
      "How signatures are made. fss (default): Fast Similarity Sketch; affine: classical "
      "32-bit multiply-add; modular: (a x + b) mod p; jenkins: 96-bit mix; md5: MD5 of slot "
      "and value; datasketch1, datasketch2: bit for bit those of that program's 1.x and 2.x.",
      KEPT_SIGNATURES},
     TW_OPTION_CHOICE, FIELD(scheme), 0, 0, true},
    {{"shingle-hash", 0, "default|murmur3|md5", SEARCH_TOPIC,
      "Hash that turns a shingle into the number a signature is made from. Similarities do "
      "not depend on it.", KEPT_SIGNATURES},
     TW_OPTION_CHOICE, FIELD(shingle_hash), 0, 0, true},
    {{"seed", 0, "N", SEARCH_TOPIC, "Seed of the signatures' hash functions. Default 1.",
      KEPT_SIGNATURES},
     TW_OPTION_SEED, FIELD(seed), 0, 0, true},
    {{"recall", 0, "X", SEARCH_TOPIC,
      "Share of the pairs at the threshold that lsh has to find. Default 0.99.", KEPT_BANDS},
     TW_OPTION_REAL, FIELD(recall), 0, 1, true},
    {{"prefer", 0, "recall|accuracy|speed|nearest", SEARCH_TOPIC,
      "How bands and rows are chosen. recall (default): most rows that keep `recall`; accuracy, "
      "speed: bands x rows = hashes with the knee next below or above the threshold; nearest: "
      "with the knee nearest to it.", KEPT_BANDS},
     TW_OPTION_CHOICE, FIELD(prefer), 0, 0, true},
    {{"bands", 0, "N", SEARCH_TOPIC, "Number of bands, instead of a choice.", KEPT_BANDS},
     TW_OPTION_WHOLE, FIELD(bands), 1, 65536, true},
    {{"rows", 0, "N", SEARCH_TOPIC, "Rows of a band, instead of a choice.", KEPT_BANDS},
     TW_OPTION_WHOLE, FIELD(rows), 1, 65536, true},
    {{"max-bucket", 0, "N", SEARCH_TOPIC,
      "A bucket, or a group of identical documents, of more than N proposes each member with "
      "its first 16 only. Default 1000; 0: no limit.", "scan dedup spread index"},
     TW_OPTION_WHOLE, FIELD(max_bucket), 0, 4294967295.0, true},
    {{"sample", 0, "N", SEARCH_TOPIC,
      "Compare N documents with all others, and report how many of their pairs the search found. "
      "Takes another pass over the input. Default 0.", RUNS},
     TW_OPTION_WHOLE, FIELD(sample), 0, 4294967295.0, false},
    {{"text", 0, "FIELD", INPUT_TOPIC,
      "Field of a JSON record that holds its text; dots lead into objects. Default: text.",
      READING},
     TW_OPTION_NAME, FIELD(text), 0, 0, true},
    {{"id", 0, "FIELD", INPUT_TOPIC,
      "Field that names a JSON record, unique in its file; FILE#ID where several files have an id. "
      "none: FILE:LINE. Default: id where a record has it, FILE:LINE otherwise.",
      READING},
     TW_OPTION_NAME, FIELD(id), 0, 0, true},
    {{"input", 0, "auto|text|jsonl|archive|mbox|warc", INPUT_TOPIC,
      "What the documents of a file are: the file, its lines, or what lies in it. auto (default): "
      "by its name, or by its first bytes where the name says nothing.", READING},
     TW_OPTION_CHOICE, FIELD(input), 0, 0, true},
    {{"all", 0, NULL, INPUT_TOPIC,
      "Read hidden files and folders, too, and those of version control.", READING},
     TW_OPTION_SWITCH, FIELD(all), 0, 0, true},
    {{"include", 0, "GLOB", INPUT_TOPIC,
      "Of the files in folders and archives, read only those that match: '*.py', 'src/**/*.c'. "
      "May be given several times.", READING},
     TW_OPTION_NAME, FIELD(include), 0, 0, true},
    {{"exclude", 0, "GLOB", INPUT_TOPIC,
      "Leave out the files and folders that match. May be given several times.", READING},
     TW_OPTION_NAME, FIELD(exclude), 0, 0, true},
    {{"max-size", 0, "SIZE", INPUT_TOPIC,
      "What an archive may unpack to. Default 4G; a document is limited by `memory`.", READING},
     TW_OPTION_SIZE, FIELD(max_size), 0, 0, true},
    {{"max-skipped", 0, "SHARE", INPUT_TOPIC,
      "Fail, and write nothing, if more than this share of the files and records read cannot be "
      "used, 0 to 1; those whose text is empty do not count. Default 0.5.", READING},
     TW_OPTION_REAL, FIELD(max_skipped), 0, 1, false},
    {{"html-boilerplate", 0, "drop|keep", INPUT_TOPIC,
      "What becomes of navigation, advertising, headers and footers of web pages, where they are "
      "recognised. Default: drop.", READING},
     TW_OPTION_CHOICE, FIELD(html_boilerplate), 0, 0, true},
    {{"mail-quotes", 0, "keep|drop", INPUT_TOPIC,
      "What becomes of the lines that a mail quotes. Default: keep.", READING},
     TW_OPTION_CHOICE, FIELD(mail_quotes), 0, 0, true},
    {{"threads", 'j', "N", MACHINE_TOPIC,
      "Number of threads. Default: all cores that it may use. Results do not depend on it.",
      READING},
     TW_OPTION_WHOLE, FIELD(threads), 1, 1024, false},
    {{"memory", 0, "SIZE", MACHINE_TOPIC,
      "Memory to use, as in 512M or 2G; what does not fit goes to temporary files. Default: a "
      "quarter of what the machine, or the container, has.", TEXTS},
     TW_OPTION_SIZE, FIELD(memory_bytes), 0, 0, false},
    {{"tmp", 0, "DIR", MACHINE_TOPIC,
      "Where temporary files go. Default: TMPDIR, or /var/tmp.", READING},
     TW_OPTION_TEXT, FIELD(tmp), 0, 0, false},
    {{"checkpoint", 0, "DIR", MACHINE_TOPIC,
      "Keep in DIR what has been done, so that the same command, cut short, goes on from there.",
      RUNS},
     TW_OPTION_TEXT, FIELD(checkpoint), 0, 0, false},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

void twinset_options_init(twinset_options *options, size_t size)
{
    const twinset_options defaults = {
        .size = size,
        .threshold = TWINSET_AUTO,
        .common = TWINSET_AUTO,
        .seed = 1,
        .recall = TW_RECALL,
        .max_bucket = TW_MAX_BUCKET,
        .max_size = (uint64_t)4 << 30,
        .max_skipped = TW_MAX_SKIPPED,
    };
    (void)tw_copy_struct(options, size, &defaults, sizeof defaults); /* NULL stays as it is */
}

int tw_options_copy(const twinset_options *given, twinset_options *own, twinset_error *error)
{
    twinset_options_init(own, sizeof *own);
    if (!given)
        return TWINSET_OK;
    if (given->size < sizeof given->size)
        return tw_fail(error, TWINSET_USAGE,
                       "the options were not initialised: call twinset_options_init(&options, "
                       "sizeof options) first");
    memcpy(own, given, given->size < sizeof *own ? given->size : sizeof *own);
    own->size = sizeof *own;
    return TWINSET_OK;
}

size_t twinset_option_count(void)
{
    return ROWS;
}

int twinset_option_at(size_t index, twinset_option_info *info, size_t size)
{
    if (index >= ROWS)
        return TWINSET_USAGE;
    return tw_copy_struct(info, size, &rows[index].info, sizeof rows[index].info);
}

const tw_option_row *tw_option_row_at(size_t index)
{
    return index < ROWS ? &rows[index] : NULL;
}

const tw_option_row *tw_option_row_find(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strcmp(rows[i].info.name, name) == 0)
            return &rows[i];
    return NULL;
}

bool tw_option_is_kept(const tw_option_row *row)
{
    static const char KEPT[] = " kept";
    const char *commands = row->info.commands;
    size_t length = strlen(commands), size = sizeof KEPT - 1;
    return length > size && strcmp(commands + length - size, KEPT) == 0;
}
