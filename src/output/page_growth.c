/*
 * How much of a collection a cleaning run removed, along it: in the order of reading, and by time,
 * where most documents have one. A record's time is the first of TW_TIME_FIELDS that any record
 * has; that of a file is given by a manifest, or is when it was changed last. Records are read
 * again for it, up to 10,000 that are spread evenly: some 50 ms. Those of packed sources cannot be,
 * and have no time here.
 */
#define _GNU_SOURCE /* qsort_r */
#include "page.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { STEPS = 50, MOST_SAMPLED = 10000 };

static const double DAY = 86400; /* seconds */

/* ---- what was removed */

/* Which documents were removed, a bit for each. */
static int mark_removed(const twinset_result *result, uint8_t **marks)
{
    *marks = tw_calloc(result->corpus->documents.count / 8 + 1, 1);
    for (size_t i = 0; i < result->run.removed && *marks; i++) {
        uint32_t document = result->decisions.removed[i].document;
        (*marks)[document / 8] |= (uint8_t)(1u << document % 8);
    }
    return *marks ? TWINSET_OK : TWINSET_NOMEM;
}

static bool is_removed(const uint8_t *marks, uint32_t document)
{
    return marks[document / 8] >> document % 8 & 1;
}

/* Writes how many documents there are in each step, and how many of them were removed. */
static void write_steps(tw_json *json, const char *key, uint64_t steps[STEPS][2])
{
    tw_json_list(json, key, TW_JSON_INLINE);
    for (size_t i = 0; i < STEPS; i++) {
        tw_json_list(json, NULL, TW_JSON_INLINE);
        tw_json_whole(json, NULL, steps[i][0]);
        tw_json_whole(json, NULL, steps[i][1]);
        tw_json_close(json);
    }
    tw_json_close(json);
}

/* ---- in the order of reading */

static int by_reading(const void *left, const void *right, void *corpus)
{
    uint32_t x = *(const uint32_t *)left, y = *(const uint32_t *)right;
    return tw_is_read_before(corpus, x, y) ? -1 : tw_is_read_before(corpus, y, x);
}

/* Writes the parts of the collection as it was read; nothing where that order does not fit into its
 * share of the memory. */
static int write_reading(tw_json *json, const twinset_result *result, const uint8_t *marks)
{
    enum { MEMORY_SHARE = 8 };
    uint64_t steps[STEPS][2] = {{0}};
    size_t count = result->corpus->documents.count;
    if (count * sizeof(uint32_t) > tw_memory_share(&result->options, MEMORY_SHARE))
        return TWINSET_OK;
    uint32_t *order = tw_array(count + 1, sizeof *order);
    if (!order)
        return TWINSET_NOMEM;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    if (count)
        qsort_r(order, count, sizeof *order, by_reading, result->corpus);
    for (size_t i = 0; i < count; i++) {
        steps[i * STEPS / count][0]++;
        steps[i * STEPS / count][1] += is_removed(marks, order[i]);
    }
    tw_free(order);
    write_steps(json, "growth", steps);
    return TWINSET_OK;
}

/* ---- times as text and numbers */

/* Reads so many digits, and what separates them from the next ones; -1: there are none. */
static int take_digits(const char **text, const char *end, int digits, const char *separators)
{
    int value = 0;
    const char *at = *text;
    for (int i = 0; i < digits; i++, at++) {
        if (at == end || *at < '0' || *at > '9')
            return -1;
        value = 10 * value + *at - '0';
    }
    *text = at + (at < end && strchr(separators, *at));
    return value;
}

/* Days from 1 March of year 0, as civil calendars count them, to a day. */
static double count_days(int year, int month, int day)
{
    year -= month < 3;
    int of_year = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5 + day - 1;
    return 365.0 * year + floor(year / 4.0) - floor(year / 100.0) + floor(year / 400.0) + of_year;
}

/* The seconds since 1970 of a time such as 2026-03-01, 20260301 or 2026-03-01T09:30:00Z, whatever
 * its zone; NaN where it is none. */
static double seconds_of_text(const char *text, size_t length)
{
    const char *end = text + length;
    int year = take_digits(&text, end, 4, "-/.");
    int month = take_digits(&text, end, 2, "-/."), day = take_digits(&text, end, 2, "T ");
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31)
        return NAN;
    int hour = take_digits(&text, end, 2, ":"), minute = take_digits(&text, end, 2, ":");
    double days = count_days(year, month, day) - count_days(1970, 1, 1);
    return DAY * days + 3600.0 * (hour > 0 ? hour : 0) + 60.0 * (minute > 0 ? minute : 0);
}

/* The seconds of a number: seconds, or a thousand or million times as many, since 1970. */
static double seconds_of_number(double number)
{
    enum { YEARS = 400 };
    while (fabs(number) > YEARS * 365.25 * DAY && fabs(number) < 1e17)
        number /= 1000;
    return fabs(number) <= YEARS * 365.25 * DAY ? number : NAN;
}

static double seconds_of(const tw_value *value)
{
    return value->kind == TW_VALUE_STRING   ? seconds_of_text(value->string, value->length)
           : value->kind == TW_VALUE_NUMBER ? seconds_of_number(value->number)
                                            : NAN;
}

/* ---- times of documents */

typedef struct timed_document {
    uint32_t document;
    unsigned field; /* of TW_TIME_FIELDS; UINT_MAX: it is a file */
    double seconds;
} timed_document;

typedef struct times {
    const twinset_result *result;
    tw_jsonl *parser;
    tw_bytes line;
    unsigned field; /* the first of TW_TIME_FIELDS that a record has */
    timed_document *data;
    size_t count, sampled;
} times;

/* Reads a record again, if it lies in a plain file. */
static int read_line(times *all, const tw_document *document)
{
    tw_corpus *corpus = all->result->corpus;
    const tw_source_state *state = &corpus->states[document->source];
    all->line.length = 0;
    if (!document->length || state->is_packed || state->is_spooled ||
        !tw_source_at(corpus->sources, document->source)->path)
        return TWINSET_OK;
    int status = tw_bytes_reserve(&all->line, document->length + TW_JSON_PADDING);
    int fd = status == TWINSET_OK ? tw_source_open(corpus, document->source) : -1;
    if (fd < 0)
        return status;
    if (!tw_read_at(fd, document->offset, all->line.data, document->length, &all->line.length))
        all->line.length = 0;
    tw_source_close(corpus, document->source, fd);
    return TWINSET_OK;
}

static int read_time_of_record(times *all, const tw_document *document, timed_document *timed)
{
    tw_value value = {0};
    timed->field = all->field + (all->field < UINT_MAX);
    int status = read_line(all, document);
    if (status == TWINSET_OK && all->line.length)
        status =
            tw_jsonl_time(all->parser, all->line.data, all->line.length, &timed->field, &value);
    if (status == TWINSET_OK && value.kind != TW_VALUE_NONE) {
        timed->seconds = seconds_of(&value);
        all->field = timed->field;
    }
    return status;
}

static double time_of_file(const tw_source *source)
{
    struct stat file;
    if (source->file->time)
        return seconds_of_text(source->file->time, strlen(source->file->time));
    return source->path && stat(source->path, &file) == 0 ? (double)file.st_mtim.tv_sec : NAN;
}

static int read_times(times *all)
{
    const tw_corpus *corpus = all->result->corpus;
    int status = TWINSET_OK;
    for (size_t i = 0; i < all->sampled && status == TWINSET_OK; i++) {
        timed_document timed = {.document = (uint32_t)(i * corpus->documents.count / all->sampled),
                                .field = UINT_MAX,
                                .seconds = NAN};
        const tw_document *document = tw_document_at(corpus, timed.document);
        if (document->line)
            status = read_time_of_record(all, document, &timed);
        else
            timed.seconds = time_of_file(tw_source_at(corpus->sources, document->source));
        if (!isnan(timed.seconds))
            all->data[all->count++] = timed;
    }
    return status;
}

/* Leaves out the records that have another field alone. */
static void keep_one_field(times *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++)
        if (all->data[i].field == UINT_MAX || all->data[i].field == all->field)
            all->data[kept++] = all->data[i];
    all->count = kept;
}

static int by_time(const void *left, const void *right)
{
    const timed_document *x = left, *y = right;
    return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

/* Writes the documents by time, in equal steps from the first time to the last; the hundredth part
 * at either end, which may be mistaken, is in the first step and in the last. */
static void write_times(tw_json *json, const times *all, const uint8_t *marks)
{
    uint64_t steps[STEPS][2] = {{0}};
    char field[TW_OPTION_WORD_BYTES];
    double from = all->data[all->count / 100].seconds,
           to = all->data[all->count - 1 - all->count / 100].seconds;
    if (to - from < DAY) /* that is when the files were copied */
        return;
    for (size_t i = 0; i < all->count; i++) {
        double share = (all->data[i].seconds - from) / (to - from);
        size_t step = (size_t)fmin(fmax(share * STEPS, 0), STEPS - 1);
        steps[step][0]++;
        steps[step][1] += is_removed(marks, all->data[i].document);
    }
    tw_json_object(json, "times", TW_JSON_INLINE);
    tw_json_string(json, "field",
                   all->field < UINT_MAX ? tw_list_word(TW_TIME_FIELDS, all->field, field) : NULL);
    tw_json_real(json, "from", from);
    tw_json_real(json, "to", to);
    tw_json_whole(json, "sampled", all->sampled);
    tw_json_whole(json, "known", all->count);
    write_steps(json, "steps", steps);
    tw_json_close(json);
}

static int write_by_time(tw_json *json, const twinset_result *result, const uint8_t *marks)
{
    size_t count = result->corpus->documents.count;
    times all = {.result = result,
                 .field = UINT_MAX,
                 .sampled = count < MOST_SAMPLED ? count : MOST_SAMPLED};
    int status = tw_jsonl_new("text", "none", &all.parser);
    all.data = tw_array(all.sampled + 1, sizeof *all.data);
    if (status != TWINSET_OK || !all.data)
        status = TWINSET_NOMEM;
    if (status == TWINSET_OK)
        status = read_times(&all);
    if (status == TWINSET_OK) {
        keep_one_field(&all);
        if (all.count)
            qsort(all.data, all.count, sizeof *all.data, by_time);
        if (2 * all.count > all.sampled)
            write_times(json, &all, marks);
    }
    tw_jsonl_free(all.parser);
    tw_bytes_free(&all.line);
    tw_free(all.data);
    return status;
}

int tw_page_growth(tw_json *json, const twinset_result *result)
{
    uint8_t *marks;
    int status = mark_removed(result, &marks);
    if (status == TWINSET_OK)
        status = write_reading(json, result, marks);
    if (status == TWINSET_OK)
        status = write_by_time(json, result, marks);
    tw_free(marks);
    return status;
}
