/*
 * Writes messages to standard error.
 */
#include "cli.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names that are shown for a reason: of skipped inputs, and of flagged documents. */
enum { SKIPPED_SHOWN = 10, FLAGGED_SHOWN = 3 };

/* ---- messages */

/* Decodes the character at `text`, which is terminated, and sets the number of its bytes. Returns
 * -1 for a byte that is not UTF-8. */
static int32_t code_point_at(const unsigned char *text, size_t *bytes)
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    unsigned char c = text[0];
    size_t more = (size_t)(c >= 0xc0) + (c >= 0xe0) + (c >= 0xf0);
    int32_t code_point = c - lead[more];
    *bytes = 1;
    if (c >= 0x80 && more == 0)
        return -1;
    for (size_t i = 1; i <= more; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return -1;
        code_point = code_point << 6 | (text[i] & 0x3f);
    }
    bool is_surrogate = code_point >= 0xd800 && code_point < 0xe000;
    if (code_point < least[more] || code_point > 0x10ffff || is_surrogate)
        return -1;
    *bytes += more;
    return code_point;
}

/* Whether a character is invisible, moves the cursor or changes the direction of text. */
static bool is_invisible(int32_t code_point)
{
    static const int32_t ranges[][2] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
        {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
        {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code_point >= ranges[i][0] && code_point <= ranges[i][1])
            return true;
    return false;
}

/* Writes one character of `text` so that it is visible and controls nothing, as the library's
 * tables do: at most four bytes for each byte of it. Returns the number of its bytes. */
static size_t write_escaped(const unsigned char *text, char **out)
{
    size_t bytes;
    int32_t code_point = code_point_at(text, &bytes);
    if (code_point == '\n' || code_point == '\r' || code_point == '\t')
        *out += sprintf(*out, "\\%c", code_point == '\n' ? 'n' : code_point == '\r' ? 'r' : 't');
    else if (code_point < 0 || (code_point < 0x80 && is_invisible(code_point)))
        *out += sprintf(*out, "\\x%02x", text[0]);
    else if (is_invisible(code_point))
        *out += sprintf(*out, "\\u{%x}", (unsigned)code_point);
    else
        *out += sprintf(*out, "%.*s", (int)bytes, (const char *)text);
    return bytes;
}

/* Breaks a line between words, so that a terminal does not break it within one. */
static void break_line(char *line, unsigned width)
{
    char *space = NULL;
    unsigned column = 0, after_space = 0;
    for (char *at = line; *at != '\0'; at++) {
        bool is_first_byte = ((unsigned char)*at & 0xc0) != 0x80;
        column += is_first_byte;
        after_space += is_first_byte;
        if (*at == ' ') {
            space = at;
            after_space = 0;
        } else if (column > width && space != NULL) {
            *space = '\n';
            space = NULL;
            column = after_space;
        }
    }
}

/* Writes the whole line at once, so that lines of several processes do not mix. */
static void write_line(const char *message, size_t length)
{
    static const char prefix[] = "twinset: ";
    char *line = malloc(sizeof prefix + 4 * length + 1);
    if (line == NULL) {
        fputs("twinset: out of memory\n", stderr);
        return;
    }
    char *out = line + sprintf(line, "%s", prefix);
    for (size_t i = 0; i < length;)
        i += write_escaped((const unsigned char *)message + i, &out);
    if (isatty(STDERR_FILENO))
        break_line(line, terminal_width(STDERR_FILENO));
    *out++ = '\n';
    fwrite(line, 1, (size_t)(out - line), stderr);
    free(line);
}

void say(const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *message = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (message != NULL) {
        vsnprintf(message, (size_t)length + 1, format, again);
        twinset_spell_options(message);
        write_line(message, strlen(message));
    }
    free(message);
    va_end(again);
    va_end(arguments);
}

int fail(twinset_error *error, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

const char *number(uint64_t value, char text[NUMBER_SIZE])
{
    char digits[NUMBER_SIZE];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *out = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return text;
}

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

void report_collection(const twinset_collection *collection, bool all, bool cleaned)
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
            list[i].verb = cleaned && list[i].skip.empty ? "kept " : "skipped ";
    }
    name_documents(list, count, all ? SIZE_MAX : SKIPPED_SHOWN);
    free(list);
}

/* Names the documents with a flag and, unless `encoding` is NULL, with that encoding. */
static void report_flag(const twinset_result *result, unsigned flag, const char *encoding,
                        const char *meaning, bool all)
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
    name_documents(list, found, all ? SIZE_MAX : FLAGGED_SHOWN);
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

static void report_encodings(const twinset_result *result, bool all)
{
    enum { MOST = 1000 }; /* documents that are examined: time grows with their square */
    size_t count = twinset_result_flagged_documents(result);
    const char *encoding;
    for (size_t i = 0; i < count && i < MOST; i++) {
        char meaning[96];
        if (!is_new_encoding(result, i, &encoding))
            continue;
        snprintf(meaning, sizeof meaning, "read as %s, which was guessed", encoding);
        report_flag(result, TWINSET_FLAG_ENCODING, encoding, meaning, all);
    }
}

/* ---- figures of the run */

static void report_run(const twinset_result *result)
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

void report_result(const twinset_result *result, bool verbose)
{
    report_flag(result, TWINSET_FLAG_INVALID_UTF8, NULL,
                "not valid UTF-8: undecodable bytes were read as U+FFFD", verbose);
    report_flag(result, TWINSET_FLAG_HIDDEN_CHARACTERS, NULL,
                "invisible characters inside words were left out", verbose);
    report_flag(result, TWINSET_FLAG_HOMOGLYPHS, NULL,
                "letters of other scripts inside Latin words were read as what they look like",
                verbose);
    report_flag(result, TWINSET_FLAG_HIDDEN_TEXT, NULL,
                "text that no reader would see was left out", verbose);
    report_flag(result, TWINSET_FLAG_UNPARSED, NULL,
                "much of it does not parse: what it was compared by may be wrong", verbose);
    report_flag(
        result, TWINSET_FLAG_LEXED, NULL,
        "not parsed, but taken apart by rules that most languages share: no grammar, or too "
        "large or deep for it",
        verbose);
    report_flag(result, TWINSET_FLAG_MOSTLY_QUOTED, NULL,
                "most of it was left out, as quotations or a list of sources", verbose);
    report_flag(result, TWINSET_FLAG_CONTROLS, NULL,
                "NUL bytes or other control characters stand in it", verbose);
    report_flag(result, TWINSET_FLAG_UNDIVIDED, NULL,
                "read as one text, although it holds rows, records or messages; --input says what "
                "it is",
                verbose);
    report_encodings(result, verbose);
    size_t notes = twinset_result_notes(result);
    for (size_t i = 0; i < notes; i++)
        say("%s", twinset_result_note(result, i));
    if (verbose)
        report_run(result);
}
