/*
 * The commands, and the options that are not those of the library.
 */
#include "options.h"

#include <stddef.h>
#include <string.h>

#define FORMATS "table|csv|tsv|json|jsonl"

const cli_command commands[COMMANDS] = {
    {
        .name = "scan",
        .operands = "PATH...",
        .operands_max = SIZE_MAX,
        .summary = "similar pairs and clusters (the default command)",
        .description =
            "Reads the documents, finds the pairs whose similarity reaches the threshold, and "
            "joins them into clusters. Every similarity reported is exact. A PATH is a file, a "
            "folder with all below it, or @LIST: a file that names one path a line (@- reads "
            "the list from standard input).\n"
            "Inputs that cannot be used are named on standard error with the reason.",
        .formats = FORMATS "|candidates",
        .examples =
            {
                {"twinset essays/", "which essays resemble each other, and how much"},
                {"twinset essays/ --ignore handout.txt --old archive/",
                 "leave out what the handout says; look for copies from earlier years too"},
                {"twinset essays/ --like suspect.txt -t 0.2", "what resembles this one"},
                {"twinset @list --by word --format csv -o pairs.csv",
                 "compare by words, for a spreadsheet"},
                {"twinset src/ --group dir --fail-above 0.8",
                 "in a script: status 1 when two submissions are too alike"},
            },
        .run = cmd_scan,
    },
    {
        .name = "compare",
        .operands = "A B",
        .operands_min = 2,
        .operands_max = 2,
        .summary = "two documents in detail",
        .description =
            "Compares two files, whatever their similarity: exact and estimated similarity, "
            "the share of each that is found in the other, and the length of the longest "
            "passage that both have.",
        .without = "threshold common group method recall prefer bands rows max-bucket",
        .formats = FORMATS,
        .examples =
            {
                {"twinset compare original.txt copy.txt", "how alike are these two"},
                {"twinset compare a.txt b.txt -k 5 --format json", "for another program"},
            },
        .run = cmd_compare,
    },
    {
        .name = "dedup",
        .operands = "PATH... -o OUT",
        .operands_min = 1,
        .operands_max = SIZE_MAX,
        .summary = "the collection without its near-duplicates",
        .description =
            "Writes the collection without its near-duplicates. Every record that stays does so "
            "unchanged and in its place. A document is removed only for one that is kept and that "
            "it resembles itself, at a similarity from the threshold up. PATHs are JSON lines "
            "(.jsonl, .ndjson, packed or not), - for such lines on standard input, or files and "
            "folders of text.\n"
            "OUT is a file for one input, packed as its name says (.gz, .zst, .xz, .bz2); a folder "
            "for several inputs or a folder, which keeps their names and packing; or - for "
            "standard output. Records that cannot be read are named on standard error and left "
            "out; those without text stay. The last line there counts: what was read is what "
            "was kept, removed and skipped together, which the command checks.",
        .without = "group",
        .examples =
            {
                {"twinset dedup crawl.jsonl.zst -o clean.jsonl.zst",
                 "one of each family of similar records"},
                {"twinset dedup crawl/ -o clean/ --removed removed.jsonl --memory 4G",
                 "a folder of them, and a list of what is missing in it"},
                {"twinset dedup new.jsonl --old archive.jsonl -o fresh.jsonl --keep longest",
                 "what the archive does not have yet"},
                {"zcat crawl.gz | twinset dedup - -o - --annotate | gzip > marked.gz",
                 "all records, each with its cluster"},
            },
        .run = cmd_dedup,
    },
    {
        .name = "tune",
        .operands = "",
        .summary = "bands and rows for a threshold, errors to expect",
        .description =
            "Shows how a signature is cut into bands and rows for a threshold: the choice, "
            "what it was chosen from, the probability that a pair becomes a candidate, and "
            "its S-curve. Reads no documents.",
        .only = "threshold hashes recall prefer bands rows",
        .formats = "table|json",
        .examples =
            {
                {"twinset tune -t 0.8", "what a scan at 0.8 will do"},
                {"twinset tune -n 225 -t 0.53 --prefer accuracy", "the divisors of 225"},
                {"twinset tune --bands 20 --rows 5 -n 100", "the curve of a given choice"},
            },
        .run = cmd_tune,
    },
    {
        .name = "sketch",
        .operands = "PATH...",
        .operands_min = 1,
        .operands_max = SIZE_MAX,
        .summary = "signatures, for other programs",
        .description =
            "Writes the signature of every document, in the order of their names: a JSON "
            "object a line, or packed numbers.",
        .without = "threshold measure common group method recall prefer bands rows max-bucket",
        .formats = "jsonl|binary",
        .examples =
            {
                {"twinset sketch essays/ > signatures.jsonl", "a line for each document"},
                {"twinset sketch -n 128 --scheme datasketch1 --format binary -o out.sig docs/",
                 "signatures that datasketch reads"},
            },
        .run = cmd_sketch,
    },
    {
        .name = "cat",
        .operands = "PATH...",
        .operands_min = 1,
        .operands_max = SIZE_MAX,
        .summary = "the text that is compared",
        .description =
            "Prints every document as twinset sees it: converted, decoded and normalised. Of "
            "several, each has its name before it. --case keep --spaces keep leaves most of it "
            "as it was.",
        .without = "threshold measure bag common group method hashes scheme shingle-hash seed "
                   "recall prefer bands rows max-bucket",
        .formats = "",
        .examples =
            {
                {"twinset cat thesis.pdf", "what twinset compares of it"},
                {"twinset cat --case keep --spaces keep page.html", "nearer to what a reader sees"},
            },
        .run = cmd_cat,
    },
};

/* The options before those of the engine in the help, and those after them. A new switch or file
 * needs a row here, a field in cli_invocation, and a command that uses it. */
static const cli_option options_before[] = {
    {OPTION_IGNORE,
     {"ignore", 0, "PATH", "Input",
      "Template: leave what it says out of all documents. Repeatable."},
     "scan compare dedup sketch",
     0},
    {OPTION_OLD,
     {"old", 0, "PATH", "Input",
      "Archive: compare its documents with the others, but not with each other. Repeatable. "
      "dedup removes what resembles one of them, and writes none of them."},
     "scan dedup",
     0},
    {OPTION_LIKE,
     {"like", 0, "FILE", "Input",
      "Report only the pairs that this document is part of. It need not be in the collection. "
      "Repeatable."},
     "scan",
     0},
};

static const cli_option options_after[] = {
    {OPTION_FORMAT,
     {"format", 0, "NAME", "Output", "How results are written. The first is the default."},
     "scan compare tune sketch",
     0},
    {OPTION_OUTPUT,
     {"output", 'o', "FILE", "Output",
      "Write results to FILE, which appears when it is complete. - is standard output."},
     "scan compare dedup tune sketch cat",
     0},
    {OPTION_KEEP,
     {"keep", 0, "first|longest|newest|FIELD", "Output",
      "Which of similar documents is kept: the first in the input (default), the one with the most "
      "text, the newest by a field such as date or by the file's time, or the one with the largest "
      "value of a field; among equals, the first."},
     "dedup",
     0},
    {OPTION_SWITCH,
     {"annotate", 0, NULL, "Output",
      "Keep all records, and add to each the fields twinset_cluster, twinset_keep, twinset_kept "
      "and twinset_similarity."},
     "dedup",
     offsetof(cli_invocation, annotate)},
    {OPTION_FILE,
     {"removed", 0, "FILE", "Output",
      "Write to FILE a JSON line for each removed record: id, kept, similarity, cluster."},
     "dedup",
     offsetof(cli_invocation, removed)},
    {OPTION_FILE,
     {"report", 0, "FILE", "Output",
      "Write to FILE how the run went, as JSON: counts, recall, sizes of clusters, seconds and "
      "bytes by stage, peak memory."},
     "scan dedup",
     offsetof(cli_invocation, report)},
    {OPTION_FAIL_ABOVE,
     {"fail-above", 0, "X", "Output",
      "Exit with status 1 if a pair has at least this similarity. For scan it also sets the "
      "threshold to X, or 0.5 if that is lower, unless --threshold is given."},
     "scan compare",
     0},
    {OPTION_SWITCH,
     {"strict", 0, NULL, "Output",
      "Exit with status 3 if any input was skipped; this goes before status 1."},
     "scan compare dedup sketch cat",
     offsetof(cli_invocation, strict)},
    {OPTION_QUIET,
     {"quiet", 'q', NULL, "Output",
      "No progress, no notes, no names of skipped inputs, no summary."},
     "scan compare dedup sketch cat",
     0},
    {OPTION_VERBOSE,
     {"verbose", 'v', NULL, "Output", "All names and rows, seconds by stage, peak memory."},
     "scan compare dedup tune sketch cat",
     0},
    {OPTION_HELP,
     {"help", 'h', NULL, "General", "Show this help."},
     "scan compare dedup tune sketch cat",
     0},
    {OPTION_VERSION,
     {"version", 'V', NULL, "General", "Show the version."},
     "scan compare dedup tune sketch cat",
     0},
    {OPTION_MAN, {"man", 0, NULL, "General", "Write the man page."}, "", 0},
    {OPTION_COMPLETION,
     {"completion", 0, "bash|zsh|fish", "General", "Write the completion script of a shell."},
     "",
     0},
};

const cli_entry exit_statuses[] = {
    {"0", "Done, whether or not anything was found."},
    {"1", "A pair reached --fail-above."},
    {"2", "The command line makes no sense, or nothing could be done."},
    {"3", "With --strict: an input was skipped."},
    {NULL, NULL},
};

const cli_entry environment[] = {
    {"NO_COLOR", "If set and not empty, the table has no colours."},
    {"COLUMNS", "Width of the table where the terminal does not tell it."},
    {"TWINSET_ISA",
     "Holds the engine to an instruction set: portable, avx2, avx512 or neon. Results do not "
     "depend on it."},
    {NULL, NULL},
};

enum {
    BEFORE_COUNT = sizeof options_before / sizeof *options_before,
    AFTER_COUNT = sizeof options_after / sizeof *options_after,
};

const cli_command *command_named(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

bool option_at(size_t index, cli_option *found)
{
    size_t engine = twinset_option_count();
    twinset_option_info info;
    if (index < BEFORE_COUNT) {
        *found = options_before[index];
        return true;
    }
    if (twinset_option_at(index - BEFORE_COUNT, &info, sizeof info) == 0) {
        *found = (cli_option){.id = OPTION_ENGINE, .info = info};
        return true;
    }
    if (index - BEFORE_COUNT - engine >= AFTER_COUNT)
        return false;
    *found = options_after[index - BEFORE_COUNT - engine];
    return true;
}

bool list_has(const char *list, char separator, const char *word)
{
    size_t length = strlen(word);
    for (;;) {
        const char *end = strchr(list, separator);
        size_t size = end != NULL ? (size_t)(end - list) : strlen(list);
        if (size == length && memcmp(list, word, length) == 0)
            return true;
        if (end == NULL)
            return false;
        list = end + 1;
    }
}

bool option_applies(const cli_option *option, const cli_command *command)
{
    const char *name = option->info.name;
    if (option->id != OPTION_ENGINE)
        return list_has(option->commands, ' ', command->name);
    if (command->only != NULL)
        return list_has(command->only, ' ', name);
    return command->without == NULL || !list_has(command->without, ' ', name);
}

bool option_is_long(const cli_option *option)
{
    return option->info.name[1] != '\0';
}

const char *option_argument(const cli_option *option, const cli_command *command)
{
    return option->id == OPTION_FORMAT && command != NULL ? command->formats
                                                          : option->info.argument;
}
