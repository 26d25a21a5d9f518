/*
 * The commands, and the options that are not those of the library.
 */
#include "options.h"

#include <stddef.h>
#include <string.h>

const cli_command commands[COMMANDS] = {
    {
        .name = "scan",
        .formats = TWINSET_FORMAT_OF_SCAN,
        .operands = "PATH...",
        .operands_max = SIZE_MAX,
        .summary = "similar pairs and clusters (the default command)",
        .description =
            "Reads the documents, finds the pairs whose similarity reaches the threshold, and "
            "joins them into clusters. Every similarity reported is exact. A PATH is a file, a "
            "folder with all below it, or @LIST: a file that names one path a line (@- reads "
            "the list from standard input).\n"
            "Inputs that cannot be used are named on standard error with the reason.",
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
        .formats = TWINSET_FORMAT_OF_COMPARISON,
        .operands = "A B",
        .operands_min = 2,
        .operands_max = 2,
        .summary = "two documents in detail",
        .description =
            "Compares two documents, whatever their similarity: exact and estimated similarity, "
            "the share of each that is found in the other, and the passages that both have. A and "
            "B are files; folders or archives of programs, each as one submission; a file in an "
            "archive, a.zip!/FILE; or a record of JSON lines, FILE:LINE or FILE#ID.",
        .examples =
            {
                {"twinset compare original.txt copy.txt", "how alike are these two"},
                {"twinset compare class/ada class/ben", "two submissions of several files"},
                {"twinset compare crawl.jsonl:12 crawl.jsonl#d45", "two records"},
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
            "Writes the collection without its near-duplicates. Records that stay are unchanged "
            "and in their order. A document is removed only if it resembles one that is kept, at "
            "the threshold or above. PATHs are JSON lines (.jsonl, .ndjson, packed or not), - for "
            "such lines on standard input, or files and folders of text.\n"
            "OUT is a file, packed as its name says (.gz, .zst, .xz, .bz2), which has the records "
            "of all inputs in their order; a folder, if it ends with a slash or is one, which "
            "keeps the names and packing of the inputs; or - for standard output. Text files need "
            "a folder. Records that cannot be read are named on standard error and left out; "
            "those without text stay. The last line there counts what was read, kept, removed and "
            "skipped, and the command checks the sum.",
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
        .own_formats = "table|json",
        .operands = "",
        .summary = "bands and rows for a threshold, errors to expect",
        .description =
            "Shows how a signature is cut into bands and rows for a threshold: the choice, "
            "what it was chosen from, the probability that a pair becomes a candidate, and "
            "its S-curve. Reads no documents.",
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
        .formats = TWINSET_FORMAT_OF_SIGNATURES,
        .operands = "PATH...",
        .operands_min = 1,
        .operands_max = SIZE_MAX,
        .summary = "signatures, for other programs",
        .description =
            "Writes the signature of every document, in the order of their names: a JSON "
            "object a line, or packed numbers.",
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
        .examples =
            {
                {"twinset cat thesis.pdf", "what twinset compares of it"},
                {"twinset cat --case keep --spaces keep page.html", "nearer to what a reader sees"},
            },
        .run = cmd_cat,
    },
    {
        .name = "index",
        .formats = TWINSET_FORMAT_OF_SCAN,
        .own_formats = "parquet",
        .operands = "ACTION INDEX ...",
        .operands_min = 2,
        .operands_max = SIZE_MAX,
        .summary = "documents that stay: was this seen before?",
        .description =
            "INDEX is one file, which keeps documents and the options that they are compared by. "
            "The ACTIONs:\n"
            "add INDEX PATH... adds documents, and creates INDEX where there is none. One that "
            "is known is not added again. --find lists what resembles them, and keeps clusters.\n"
            "query INDEX PATH... lists what resembles these documents, as scan --like does.\n"
            "remove INDEX ID... removes documents by their ids, or those that --match. Nothing of "
            "them stays in the file.\n"
            "stat INDEX shows figures, verify INDEX reads all of it and says what is damaged, "
            "optimize INDEX makes it small and fast.\n"
            "backup INDEX FILE copies an index that is in use; merge INDEX INDEX... adds the "
            "documents of others.\n"
            "dump INDEX prints documents as JSON lines, which add reads; export INDEX documents "
            "and export INDEX bands write tables for another engine: JSON lines, or --format "
            "parquet.",
        .examples =
            {
                {"twinset index add archive.twx 2023/ 2024/", "keep two years"},
                {"twinset index query archive.twx 2025/ --format jsonl", "what is like them?"},
                {"twinset index add archive.twx 2025/ --find", "ask and add in one pass"},
                {"twinset index remove archive.twx 2023/anna.txt", "forget a document"},
                {"twinset dedup crawl.jsonl --index seen.twx -o fresh.jsonl",
                 "what no crawl before has had; it is added"},
            },
        .run = cmd_index,
    },
    {
        .name = "serve",
        .operands = "INDEX",
        .operands_min = 1,
        .operands_max = 1,
        .summary = "a web page and an HTTP API over an index",
        .description =
            "Answers over HTTP what of an index resembles a text, and where: a page to paste or "
            "drop a document into, and JSON for programs under /v1, which /openapi.json describes. "
            "INDEX is created where there is none. The server listens on this machine alone. Any "
            "other address needs --token-file, --tls-cert and --tls-key, or --insecure.\n"
            "SIGTERM and SIGINT stop it: the requests in work are finished, and the index is "
            "closed.",
        .examples =
            {
                {"twinset serve essays.twx", "open http://127.0.0.1:8080/ in a browser"},
                {"twinset serve essays.twx --listen 0.0.0.0:8443 --token-file tokens "
                 "--tls-cert cert.pem --tls-key key.pem",
                 "for others, who need a token"},
            },
        .run = cmd_serve,
    },
};

/* The options before those of the engine in the help, and those after them. A new switch or file
 * needs a row here, a field in cli_invocation, and a command that uses it. */
static const cli_option options_before[] = {
    {OPTION_IGNORE,
     {"ignore", 0, "PATH", "Input",
      "Template: leave what it says out of all documents. Repeatable.",
      "scan compare dedup sketch"},
     0},
    {OPTION_OLD,
     {"old", 0, "PATH", "Input",
      "Archive: compare its documents with the others, but not with each other. Repeatable. "
      "dedup removes what resembles one of them, and writes none of them.",
      "scan dedup"},
     0},
    {OPTION_LIKE,
     {"like", 0, "FILE", "Input",
      "Report only the pairs that this document is part of. It need not be in the collection. "
      "Repeatable.",
      "scan"},
     0},
};

static const cli_option options_after[] = {
    {OPTION_FILE,
     {"index", 0, "INDEX", "Input",
      "Remove what resembles a document of this index, too, and add to it what is kept. It is "
      "created where there is none.",
      "dedup"},
     offsetof(cli_invocation, index)},
    {OPTION_SWITCH,
     {"find", 0, NULL, "Input",
      "index add: list what resembles the documents that are added, and keep clusters.", "index"},
     offsetof(cli_invocation, find)},
    {OPTION_SWITCH,
     {"no-text", 0, NULL, "Input",
      "index add: a new index keeps no texts; its answers are estimates.", "index"},
     offsetof(cli_invocation, no_text)},
    {OPTION_FILE,
     {"match", 0, "PATTERN", "Input",
      "index remove, dump, export: the documents whose ids match, where * stands for anything and "
      "? for one character.",
      "index"},
     offsetof(cli_invocation, match)},

    {OPTION_FORMAT,
     {"format", 0, "NAME", "Output",
      "How results are written. Default: as the name of --output ends, or the first.",
      "scan compare tune sketch index"},
     0},
    {OPTION_OUTPUT,
     {"output", 'o', "FILE", "Output",
      "Write results to FILE, which appears when it is complete. - is standard output.",
      "scan compare dedup tune sketch cat index"},
     0},
    {OPTION_KEEP,
     {"keep", 0, "first|longest|newest|FIELD", "Output",
      "Which of similar documents is kept: the first in the input (default), the one with the most "
      "text, the newest by a field such as date or by the file's time, or the one with the largest "
      "value of a field; among equals, the first.",
      "dedup"},
     0},
    {OPTION_SWITCH,
     {"annotate", 0, NULL, "Output",
      "Keep all records, and add to each the fields twinset_cluster, twinset_keep, twinset_kept "
      "and twinset_similarity.",
      "dedup"},
     offsetof(cli_invocation, annotate)},
    {OPTION_FILE,
     {"removed", 0, "FILE", "Output",
      "Write to FILE a JSON line for each removed record: id, kept, similarity, cluster.", "dedup"},
     offsetof(cli_invocation, removed)},
    {OPTION_FILE,
     {"report", 0, "FILE", "Output",
      "Write to FILE how the run went, as JSON: counts, recall, sizes of clusters, seconds and "
      "bytes by stage, peak memory.",
      "scan dedup index"},
     offsetof(cli_invocation, report)},
    {OPTION_FILE,
     {"html", 0, "FILE", "Output",
      "Write to FILE a page with everything to look at in a browser: pairs, passages side by side, "
      "clusters. It needs no network and no other file.",
      "scan compare dedup index"},
     offsetof(cli_invocation, html)},
    {OPTION_FILE,
     {"review", 0, "FILE", "Output",
      "Show the decisions of FILE, which an earlier page saved, on the page of --html.",
      "scan compare"},
     offsetof(cli_invocation, review)},
    {OPTION_SWITCH,
     {"anonymise", 0, NULL, "Output",
      "Put numbers in place of names on the page of --html, and black out names in the texts. The "
      "file beside it that ends in .key.json says which name each number stands for.",
      "scan compare"},
     offsetof(cli_invocation, anonymise)},
    {OPTION_EVIDENCE,
     {"evidence", 0, "A B", "Output",
      "Write the page of --html of these two documents alone, named as in the list of pairs.",
      "scan compare"},
     0},
    {OPTION_FAIL_ABOVE,
     {"fail-above", 0, "X", "Output",
      "Exit with status 1 if a pair has at least this similarity. For scan it also sets the "
      "threshold to X, or 0.5 if that is lower, unless --threshold is given.",
      "scan compare"},
     0},
    {OPTION_FILE,
     {"baseline", 0, "FILE", "Output",
      "With --fail-above, let only new pairs fail: those that FILE, an earlier result of --format "
      "json or jsonl, does not have, or has below X.",
      "scan"},
     offsetof(cli_invocation, baseline)},
    {OPTION_SWITCH,
     {"strict", 0, NULL, "Output",
      "Exit with status 3 if any input was skipped; this goes before status 1.",
      "scan compare dedup sketch cat index"},
     offsetof(cli_invocation, strict)},
    {OPTION_QUIET,
     {"quiet", 'q', NULL, "Output",
      "No progress, no notes, no names of skipped inputs, no summary.",
      "scan compare dedup sketch cat index serve"},
     0},
    {OPTION_VERBOSE,
     {"verbose", 'v', NULL, "Output", "All names and rows, seconds by stage, peak memory.",
      "scan compare dedup tune sketch cat index"},
     0},
    {OPTION_TEXT,
     {"listen", 0, "ADDRESS:PORT", "Server",
      "Where to listen. Default: 127.0.0.1:8080. Port 0 is any that is free.", "serve"},
     offsetof(cli_invocation, server.listen)},
    {OPTION_FILE,
     {"token-file", 0, "FILE", "Server",
      "Ask for a token. FILE has lines `read TOKEN NAME` and `write TOKEN NAME`; nobody else may "
      "read it.",
      "serve"},
     offsetof(cli_invocation, server.token_file)},
    {OPTION_FILE,
     {"tls-cert", 0, "FILE", "Server", "Serve HTTPS with this certificate (PEM).", "serve"},
     offsetof(cli_invocation, server.tls_cert)},
    {OPTION_FILE,
     {"tls-key", 0, "FILE", "Server", "The key of the certificate (PEM).", "serve"},
     offsetof(cli_invocation, server.tls_key)},
    {OPTION_SWITCH,
     {"insecure", 0, NULL, "Server",
      "Listen on any address without tokens or TLS, as behind a proxy.", "serve"},
     offsetof(cli_invocation, server.insecure)},
    {OPTION_FILE,
     {"audit", 0, "FILE", "Server",
      "Append to FILE a JSON line for each request: who asked what, and what became of it.",
      "serve"},
     offsetof(cli_invocation, server.audit)},
    {OPTION_TEXT,
     {"max-body", 0, "SIZE", "Server", "The largest batch of documents. Default: 1G.", "serve"},
     offsetof(cli_invocation, server.max_body)},
    {OPTION_TEXT,
     {"max-document", 0, "SIZE", "Server",
      "The largest document, and the largest question. Default: 16M.", "serve"},
     offsetof(cli_invocation, server.max_document)},
    {OPTION_TEXT,
     {"quota", 0, "SIZE", "Server",
      "The most that the index may take on the disk. Default: no limit.", "serve"},
     offsetof(cli_invocation, server.quota)},
    {OPTION_TEXT,
     {"timeout", 0, "SECONDS", "Server",
      "How long a client may take to send a request or to read the answer; longer if it sends 16 "
      "KB or more each second. Default: 30.",
      "serve"},
     offsetof(cli_invocation, server.timeout)},
    {OPTION_TEXT,
     {"connections", 0, "N", "Server", "The most connections at once. Default: 256.", "serve"},
     offsetof(cli_invocation, server.connections)},
    {OPTION_HELP,
     {"help", 'h', NULL, "General", "Show this help.",
      "scan compare dedup tune sketch cat index serve"},
     0},
    {OPTION_VERSION,
     {"version", 'V', NULL, "General", "Show the version.",
      "scan compare dedup tune sketch cat index serve"},
     0},
    {OPTION_MAN, {"man", 0, NULL, "General", "Write the man page.", ""}, 0},
    {OPTION_COMPLETION,
     {"completion", 0, "bash|zsh|fish", "General", "Write the completion script of a shell.", ""},
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
    return list_has(option->info.commands, ' ', command->name);
}

const char *command_formats(const cli_command *command)
{
    static char lists[COMMANDS][128]; /* made when they are first asked for */
    char *list = lists[command - commands];
    twinset_format_info info;
    if (command->formats == 0)
        return command->own_formats;
    for (size_t i = 0; list[0] == '\0' || i > 0; i++) {
        if (twinset_format_at(i, &info, sizeof info) != TWINSET_OK)
            break;
        size_t length = strlen(list);
        if (info.uses & command->formats)
            snprintf(list + length, sizeof lists[0] - length, "%s%s", length ? "|" : "", info.name);
    }
    if (command->own_formats != NULL && !list_has(list, '|', command->own_formats))
        snprintf(list + strlen(list), sizeof lists[0] - strlen(list), "|%s", command->own_formats);
    return list;
}

bool option_is_long(const cli_option *option)
{
    return option->info.name[1] != '\0';
}

const char *option_argument(const cli_option *option, const cli_command *command)
{
    return option->id == OPTION_FORMAT && command != NULL ? command_formats(command)
                                                          : option->info.argument;
}

const char *option_help(const cli_option *option, char text[OPTION_HELP_SIZE])
{
    snprintf(text, OPTION_HELP_SIZE, "%s", option->info.help);
    return twinset_spell_options(text);
}
