/*
 * What a run says of itself on standard error: skipped inputs, flagged documents, notes, figures.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Names that are shown for a reason: of skipped inputs, and of flagged documents. */
enum { SKIPPED_SHOWN = 10, FLAGGED_SHOWN = 3 };

/* ---- skipped and flagged documents */

/* What a reason says without its details: the words before those in quotes, and the words after
 * them up to a comma, as in "field 'text' is a number, not a string". */
typedef struct reason_kind {
    int before;        /* the length of the words before */
    const char *after; /* the words after, and their length */
    int after_length;
} reason_kind;

static reason_kind get_kind(const char *reason)
{
    const char *quote = strchr(reason, '\''), *end = quote != NULL ? strchr(quote + 1, '\'') : NULL;
    reason_kind kind = {(int)strcspn(reason, "'"), end != NULL ? end + 1 : "", 0};
    if (quote != NULL && kind.before > 0 && quote[-1] == ' ')
        kind.before--;
    kind.after_length = (int)strcspn(kind.after, ",'");
    return kind;
}

static int compare_words(const char *a, int a_length, const char *b, int b_length)
{
    return a_length != b_length ? a_length - b_length : memcmp(a, b, (size_t)a_length);
}

static int by_kind(const twinset_skip *a, const twinset_skip *b)
{
    reason_kind x = get_kind(a->reason), y = get_kind(b->reason);
    int order = compare_words(a->reason, x.before, b->reason, y.before);
    if (order == 0)
        order = compare_words(x.after, x.after_length, y.after, y.after_length);
    return order != 0 ? order : a->empty - b->empty;
}

/* A skipped or flagged document. */
typedef struct named_document {
    twinset_skip skip;
    const char *verb; /* stands before its name */
    size_t number;    /* how many came before it */
    size_t more;      /* how many others have its reason and are not named */
} named_document;

static int by_number(const void *left, const void *right)
{
    const named_document *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

static int by_kind_then_number(const void *left, const void *right)
{
    const named_document *a = left, *b = right;
    int order = by_kind(&a->skip, &b->skip);
    return order != 0 ? order : by_number(left, right);
}

/* Keeps the first `most` documents of each reason, and the last of these says how many others there
 * are. Returns how many are kept, in the order in which they were read: by file, and in a file by
 * line. */
static size_t choose_named(named_document *list, size_t count, size_t most)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, by_kind_then_number);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count; next++)
            if (by_kind(&list[next].skip, &list[first].skip) != 0)
                break;
        size_t shown = next - first < most ? next - first : most;
        memmove(list + kept, list + first, shown * sizeof *list);
        kept += shown;
        list[kept - 1].more = next - first - shown;
    }
    qsort(list, kept, sizeof *list, by_number);
    return kept;
}

/* Names documents, of each reason `most` at most. Changes the list. */
static void name_documents(named_document *list, size_t count, size_t most)
{
    char more[NUMBER_SIZE];
    size_t kept = choose_named(list, count, most);
    for (size_t i = 0; i < kept; i++) {
        const char *reason = list[i].skip.reason;
        reason_kind kind = get_kind(reason);
        say("%s%s: %s", list[i].verb, list[i].skip.path, reason);
        if (list[i].more > 0)
            say("%s and %s more: %.*s%.*s (--verbose names them all)",
                terminal_utf8() ? "…" : "...", number(list[i].more, more), kind.before, reason,
                kind.after_length, kind.after);
    }
}

/* Allocates a list of `count` entries, which is not 0; if that fails, a message says that names are
 * missing. */
static named_document *allocate_list(size_t count, const char *what)
{
    named_document *list = malloc(count * sizeof *list);
    if (list == NULL)
        say("%zu documents %s; not enough memory to name them", count, what);
    return list;
}

void report_skipped(const twinset_collection *collection, unsigned how)
{
    size_t count = twinset_collection_skips(collection);
    named_document *list = count > 0 ? allocate_list(count, "skipped") : NULL;
    if (list == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        list[i] = (named_document){.number = i};
        if (twinset_collection_skip(collection, i, &list[i].skip, sizeof list[i].skip) != 0)
            count = i;
        else
            list[i].verb = how & REPORT_EMPTY_AS_KEPT && list[i].skip.empty ? "kept " : "skipped ";
    }
    name_documents(list, count, how & REPORT_ALL_NAMES ? SIZE_MAX : SKIPPED_SHOWN);
    free(list);
}

/* Names the documents with a flag and, unless `encoding` is NULL, with that encoding: `most` of
 * them at most. */
static void name_flagged(const twinset_result *result, unsigned flag, const char *encoding,
                         const char *meaning, size_t most)
{
    size_t count = twinset_result_flagged_documents(result), found = 0;
    twinset_flagged_document document;
    named_document *list = count > 0 ? allocate_list(count, "flagged") : NULL;
    if (list == NULL)
        return;
    for (size_t i = 0; twinset_result_flagged_document(result, i, &document, sizeof document) == 0;
         i++)
        if (document.flags & flag &&
            (encoding == NULL ||
             (document.encoding != NULL && strcmp(document.encoding, encoding) == 0))) {
            list[found] = (named_document){.skip = {document.path, meaning, 0}, .verb = ""};
            list[found].number = found;
            found++;
        }
    name_documents(list, found, most);
    free(list);
}

/* Returns the encoding that was guessed for a flagged document, or NULL. */
static const char *get_encoding(const twinset_result *result, size_t index)
{
    twinset_flagged_document document;
    int status = twinset_result_flagged_document(result, index, &document, sizeof document);
    return status == 0 ? document.encoding : NULL;
}

/* Whether a flagged document has an encoding that none before it has. */
static bool is_new_encoding(const twinset_result *result, size_t index, const char **encoding)
{
    *encoding = get_encoding(result, index);
    for (size_t i = 0; i < index && *encoding != NULL; i++) {
        const char *before = get_encoding(result, i);
        if (before != NULL && strcmp(before, *encoding) == 0)
            return false;
    }
    return *encoding != NULL;
}

/* Names the documents of each encoding that was guessed. */
static void name_guessed(const twinset_result *result, size_t most_names)
{
    enum { MOST = 1000 }; /* documents that are examined: time grows with their square */
    size_t count = twinset_result_flagged_documents(result);
    const char *encoding;
    for (size_t i = 0; i < count && i < MOST; i++) {
        char meaning[96];
        if (!is_new_encoding(result, i, &encoding))
            continue;
        snprintf(meaning, sizeof meaning, "read as %s, which was guessed", encoding);
        name_flagged(result, TWINSET_FLAG_ENCODING, encoding, meaning, most_names);
    }
}

/* ---- figures of the run */

static void report_figures(const twinset_result *result)
{
    char documents[NUMBER_SIZE], candidates[NUMBER_SIZE], verified[NUMBER_SIZE];
    char how[64] = "exact";
    twinset_run run;
    twinset_stage stage;
    if (twinset_result_run(result, &run, sizeof run) != 0)
        return;
    if (run.method == TWINSET_METHOD_LSH)
        snprintf(how, sizeof how, "lsh, %u bands x %u rows", run.bands, run.rows);
    say("%s documents; method %s; %s candidates, %s verified", number(run.documents, documents),
        how, number(run.candidates, candidates), number(run.verified, verified));
    for (size_t i = 0; twinset_result_stage(result, i, &stage, sizeof stage) == 0; i++)
        say("%-12s %9.3f s, CPU %.3f s, of one thread alone %.3f s", stage.name, stage.seconds,
            stage.cpu_seconds, stage.serial_seconds);
    say("%-12s %9.1f MiB", "peak memory", (double)twinset_peak_memory() / (1 << 20));
}

/* What each flag means, except TWINSET_FLAG_ENCODING. */
static const struct {
    unsigned flag;
    const char *meaning;
} flags[] = {
    {TWINSET_FLAG_INVALID_UTF8, "not valid UTF-8: undecodable bytes were read as U+FFFD"},
    {TWINSET_FLAG_HIDDEN_CHARACTERS, "invisible characters inside words were left out"},
    {TWINSET_FLAG_HOMOGLYPHS,
     "letters of other scripts inside Latin words were read as what they look like"},
    {TWINSET_FLAG_HIDDEN_TEXT, "text that no reader would see was left out"},
    {TWINSET_FLAG_UNPARSED, "much of it does not parse: what it was compared by may be wrong"},
    {TWINSET_FLAG_LEXED,
     "not parsed, but taken apart by rules that most languages share: no grammar, or too "
     "large or deep for it"},
    {TWINSET_FLAG_MOSTLY_QUOTED, "most of it was left out, as quotations or a list of sources"},
    {TWINSET_FLAG_CONTROLS, "NUL bytes or other control characters stand in it"},
    {TWINSET_FLAG_UNDIVIDED,
     "read as one text, although it holds rows, records or messages; --input says what it is"},
};

void report_result(const twinset_result *result, unsigned how)
{
    size_t most = how & REPORT_ALL_NAMES ? SIZE_MAX : FLAGGED_SHOWN;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        name_flagged(result, flags[i].flag, NULL, flags[i].meaning, most);
    name_guessed(result, most);
    size_t notes = twinset_result_notes(result);
    for (size_t i = 0; i < notes; i++)
        say("%s", twinset_result_note(result, i));
    if (how & REPORT_FIGURES)
        report_figures(result);
}
