/*
 * The steps that cut repeated spans, for programs that spread documents over many machines: those
 * of scan/repeated_spans.c, a text at a time. An excerpt has what a comparison needs of a first
 * copy: words in their normal form, with their spans. It takes 12 bytes a word and its letters.
 */
#include "output.h"
#include "scan.h"

#include <stdlib.h>
#include <string.h>

/* How an excerpt begins; words follow, then their letters. */
typedef struct excerpt_head {
    uint64_t word;   /* the number of the first */
    uint64_t offset; /* in the text, which spans count from */
    uint64_t count;
} excerpt_head;

typedef struct excerpt_word {
    uint32_t start, end; /* of its span */
    uint32_t letters;    /* where its letters end */
} excerpt_word;

/* An excerpt that was read. */
typedef struct open_excerpt {
    uint64_t first;
    excerpt_head head;
    const char *words, *letters;
} open_excerpt;

struct twinset_span_finder {
    tw_settings *settings;
    twinset_options words; /* the options, for words */
    tw_word_reader *reader;
    tw_winnower *winnower;
    const uint64_t *shared; /* during a call: the fingerprints whose runs are wanted */
    size_t shared_count;
    tw_u64s fingerprints, sort;
    struct {
        twinset_word_run *data;
        size_t count, capacity;
    } runs;
    tw_bytes excerpt;
    struct {
        open_excerpt *data;
        size_t count, capacity, last; /* last: the one that was asked last */
    } excerpts;
    tw_span_check check;
};

/* ---- making and freeing */

static int init_finder(twinset_span_finder *finder, const twinset_options *options,
                       twinset_error *error)
{
    int status = tw_settings_new_single(options, &finder->settings, error);
    if (status != TWINSET_OK)
        return status;
    const twinset_options *own = &finder->settings->options;
    status = tw_check_cut_options(own, error);
    if (status == TWINSET_OK && !tw_wants_passages(own))
        status = tw_fail(error, TWINSET_USAGE, "`min-passage` says how long a span is");
    if (status != TWINSET_OK)
        return status;
    finder->words = tw_word_options(own);
    finder->check.run_words = own->min_passage;
    status = tw_word_reader_new(&finder->words, NULL, &finder->reader, error);
    return status == TWINSET_OK ? tw_winnower_new(own->min_passage, &finder->winnower) : status;
}

int twinset_span_finder_new(const twinset_options *options, twinset_span_finder **finder,
                            twinset_error *error)
{
    tw_error_clear(error);
    if (!finder)
        return tw_missing(error, "finder");
    *finder = tw_calloc(1, sizeof **finder);
    if (!*finder)
        return tw_nomem(error);
    int status = init_finder(*finder, options, error);
    if (status != TWINSET_OK) {
        twinset_span_finder_free(*finder);
        *finder = NULL;
    }
    return tw_complete_error(error, status);
}

void twinset_span_finder_free(twinset_span_finder *finder)
{
    if (!finder)
        return;
    tw_word_reader_free(finder->reader);
    tw_winnower_free(finder->winnower);
    tw_settings_release(finder->settings);
    tw_free(finder->fingerprints.data);
    tw_free(finder->sort.data);
    tw_free(finder->runs.data);
    tw_bytes_free(&finder->excerpt);
    tw_free(finder->excerpts.data);
    tw_free(finder->check.spans);
    tw_free(finder);
}

/* Checks what calls that take a text have in common. */
static int check_text(const twinset_span_finder *finder, const char *text, size_t length,
                      const void *to, const void *count, twinset_error *error)
{
    tw_error_clear(error);
    if (!finder || (!text && length))
        return tw_missing(error, finder ? "text" : "finder");
    return to && count ? TWINSET_OK : tw_missing(error, "what a result goes to");
}

/* ---- fingerprints and runs */

static int keep_fingerprint(void *context, const tw_word_run *run)
{
    tw_u64s *kept = context;
    int status = TW_GROW(kept->data, kept->capacity, kept->count + 1);
    if (status == TWINSET_OK)
        kept->data[kept->count++] = run->minimum;
    return status;
}

static int keep_run(void *context, const tw_word_run *run)
{
    twinset_span_finder *finder = context;
    size_t low = 0, high = finder->shared_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (finder->shared[middle] < run->minimum)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == finder->shared_count || finder->shared[low] != run->minimum)
        return TWINSET_OK;
    int status = TW_GROW(finder->runs.data, finder->runs.capacity, finder->runs.count + 1);
    if (status == TWINSET_OK)
        finder->runs.data[finder->runs.count++] = (twinset_word_run){run->hash, run->position};
    return status;
}

int twinset_span_finder_fingerprints(twinset_span_finder *finder, const char *text, size_t length,
                                     const uint64_t **fingerprints, size_t *count,
                                     twinset_error *error)
{
    int status = check_text(finder, text, length, fingerprints, count, error);
    if (status != TWINSET_OK)
        return status;
    tw_u64s *kept = &finder->fingerprints, *sort = &finder->sort;
    uint64_t words;
    kept->count = 0;
    tw_winnower_begin(finder->winnower, false, keep_fingerprint, kept);
    status =
        tw_word_reader_pass_text(finder->reader, text, length, tw_winnow, finder->winnower, &words);
    if (status == TWINSET_OK)
        status = TW_GROW(sort->data, sort->capacity, kept->count);
    if (status != TWINSET_OK)
        return tw_complete_error(error, status);
    *count = kept->count ? tw_sort_unique_u64(kept->data, kept->count, sort->data) : 0;
    *fingerprints = kept->data;
    return TWINSET_OK;
}

int twinset_span_finder_runs(twinset_span_finder *finder, const char *text, size_t length,
                             const uint64_t *fingerprints, size_t fingerprint_count,
                             const twinset_word_run **runs, size_t *count, twinset_error *error)
{
    int status = check_text(finder, text, length, runs, count, error);
    if (status == TWINSET_OK && !fingerprints && fingerprint_count)
        status = tw_missing(error, "fingerprints");
    if (status != TWINSET_OK)
        return status;
    uint64_t words;
    finder->shared = fingerprints;
    finder->shared_count = fingerprint_count;
    finder->runs.count = 0;
    tw_winnower_begin(finder->winnower, true, keep_run, finder);
    status =
        tw_word_reader_pass_text(finder->reader, text, length, tw_winnow, finder->winnower, &words);
    *count = finder->runs.count;
    *runs = finder->runs.data;
    return tw_complete_error(error, status);
}

/* ---- excerpts */

int twinset_span_finder_load(twinset_span_finder *finder, const char *text, size_t length,
                             uint64_t *words, twinset_error *error)
{
    int status = check_text(finder, text, length, words, words, error);
    if (status != TWINSET_OK)
        return status;
    status = tw_word_reader_load_text(finder->reader, text, length);
    *words = tw_word_reader_count(finder->reader);
    return tw_complete_error(error, status);
}

static int write_excerpt(twinset_span_finder *finder, uint64_t word, uint64_t count)
{
    tw_bytes *out = &finder->excerpt;
    excerpt_head head = {.word = word, .count = count};
    head.offset = count ? tw_word_reader_loaded(finder->reader, word).span.start : 0;
    out->length = 0;
    int status = tw_bytes_append(out, &head, sizeof head);
    size_t letters = 0;
    for (uint64_t i = 0; i < count && status == TWINSET_OK; i++) {
        const tw_located_word found = tw_word_reader_loaded(finder->reader, word + i);
        letters += found.length;
        const excerpt_word written = {(uint32_t)(found.span.start - head.offset),
                                      (uint32_t)(found.span.end - head.offset), (uint32_t)letters};
        status = tw_bytes_append(out, &written, sizeof written);
    }
    for (uint64_t i = 0; i < count && status == TWINSET_OK; i++) {
        const tw_located_word found = tw_word_reader_loaded(finder->reader, word + i);
        status = tw_bytes_append(out, found.text, found.length);
    }
    return status;
}

int twinset_span_finder_excerpt(twinset_span_finder *finder, uint64_t word, uint64_t count,
                                const void **bytes, size_t *length, twinset_error *error)
{
    int status = check_text(finder, NULL, 0, bytes, length, error);
    if (status != TWINSET_OK)
        return status;
    uint64_t words = tw_word_reader_count(finder->reader);
    word = word < words ? word : words;
    count = count < words - word ? count : words - word;
    status = write_excerpt(finder, word, count);
    *bytes = finder->excerpt.data;
    *length = finder->excerpt.length;
    return tw_complete_error(error, status);
}

/* Word `index` of an excerpt. */
static excerpt_word word_at(const open_excerpt *excerpt, uint64_t index)
{
    excerpt_word word;
    memcpy(&word, excerpt->words + index * sizeof word, sizeof word);
    return word;
}

/* Reads an excerpt; false where it is not as write_excerpt() leaves it. */
static bool read_excerpt(const twinset_excerpt *from, open_excerpt *to)
{
    to->first = from->first;
    if (!from->bytes || from->length < sizeof to->head)
        return false;
    memcpy(&to->head, from->bytes, sizeof to->head);
    size_t rest = from->length - sizeof to->head, letters = 0;
    if (to->head.count > rest / sizeof(excerpt_word))
        return false;
    to->words = (const char *)from->bytes + sizeof to->head;
    to->letters = to->words + to->head.count * sizeof(excerpt_word);
    rest -= to->head.count * sizeof(excerpt_word);
    for (uint64_t i = 0; i < to->head.count; i++) {
        size_t end = word_at(to, i).letters;
        if (end < letters)
            return false;
        letters = end;
    }
    return letters == rest && to->head.word <= UINT64_MAX - to->head.count;
}

/* ---- verifying */

static int by_position(const void *left, const void *right)
{
    const open_excerpt *x = left, *y = right;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->head.word < y->head.word ? -1 : x->head.word > y->head.word;
}

static int read_excerpts(twinset_span_finder *finder, const twinset_excerpt *excerpts, size_t count,
                         twinset_error *error)
{
    finder->excerpts.count = finder->excerpts.last = 0;
    if (TW_GROW(finder->excerpts.data, finder->excerpts.capacity, count) != TWINSET_OK)
        return tw_nomem(error);
    for (size_t i = 0; i < count; i++)
        if (!read_excerpt(&excerpts[i], &finder->excerpts.data[finder->excerpts.count++]))
            return tw_fail(error, TWINSET_USAGE, "excerpt %zu is damaged", i);
    if (count)
        qsort(finder->excerpts.data, count, sizeof *finder->excerpts.data, by_position);
    return TWINSET_OK;
}

static bool has_word(const open_excerpt *excerpt, uint64_t first, uint64_t word)
{
    return excerpt->first == first && excerpt->head.word <= word &&
           word - excerpt->head.word < excerpt->head.count;
}

/* The excerpt that has a word of a first text; NULL: none has. */
static const open_excerpt *find_excerpt(twinset_span_finder *finder, uint64_t first, uint64_t word)
{
    const open_excerpt *all = finder->excerpts.data;
    size_t low = 0, high = finder->excerpts.count;
    if (finder->excerpts.last < high && has_word(&all[finder->excerpts.last], first, word))
        return &all[finder->excerpts.last];
    while (low < high) { /* the first that begins behind the word */
        size_t middle = (low + high) / 2;
        if (all[middle].first < first ||
            (all[middle].first == first && all[middle].head.word <= word))
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !has_word(&all[low - 1], first, word))
        return NULL;
    finder->excerpts.last = low - 1;
    return &all[low - 1];
}

/* A tw_compare_words_fn. */
static int compare_words(void *context, uint64_t index, uint64_t first, uint64_t first_index,
                         bool *are_equal, tw_span spans[2])
{
    twinset_span_finder *finder = context;
    const open_excerpt *excerpt = find_excerpt(finder, first, first_index);
    *are_equal = false;
    if (!excerpt || index >= tw_word_reader_count(finder->reader))
        return TWINSET_OK;
    uint64_t at = first_index - excerpt->head.word;
    const tw_located_word a = tw_word_reader_loaded(finder->reader, index);
    const excerpt_word b = word_at(excerpt, at);
    size_t start = at ? word_at(excerpt, at - 1).letters : 0;
    *are_equal =
        a.length == b.letters - start && memcmp(a.text, excerpt->letters + start, a.length) == 0;
    spans[0] = a.span;
    spans[1] =
        (tw_span){(size_t)excerpt->head.offset + b.start, (size_t)excerpt->head.offset + b.end};
    return TWINSET_OK;
}

/* Checks runs in a row, but those that lie in the last span. */
static int check_runs(twinset_span_finder *finder, const twinset_copied_runs *runs)
{
    tw_span_check *check = &finder->check;
    int status = TWINSET_OK;
    for (uint64_t i = 0; i < runs->count && status == TWINSET_OK; i++) {
        if (tw_span_check_has(check, runs->word + i)) {
            i = check->end - check->run_words - runs->word;
            continue;
        }
        status = tw_span_check_run(check, runs->word + i, runs->first, runs->first_word + i,
                                   compare_words, finder);
    }
    return status;
}

int twinset_span_finder_verify(twinset_span_finder *finder, const twinset_copied_runs *runs,
                               size_t count, const twinset_excerpt *excerpts, size_t excerpt_count,
                               const twinset_repeated_span **spans, size_t *span_count,
                               uint64_t *covered, twinset_error *error)
{
    int status = check_text(finder, NULL, 0, spans, span_count, error);
    if (status != TWINSET_OK)
        return status;
    if (!covered || (!runs && count) || (!excerpts && excerpt_count))
        return tw_missing(error, !covered ? "covered" : !runs && count ? "runs" : "excerpts");
    status = read_excerpts(finder, excerpts, excerpt_count, error);
    tw_span_check_begin(&finder->check);
    for (size_t i = 0; i < count && status == TWINSET_OK; i++)
        status = check_runs(finder, &runs[i]);
    *spans = finder->check.spans;
    *span_count = finder->check.count;
    *covered = finder->check.covered;
    return tw_complete_error(error, status);
}

/* ---- cutting */

int twinset_cut_spans(const char *text, size_t length, const char *field,
                      const twinset_repeated_span *spans, size_t count, char **cut,
                      size_t *cut_length, twinset_error *error)
{
    tw_bytes out = {0}, scratch = {0};
    tw_error_clear(error);
    if ((!text && length) || (!spans && count) || !cut || !cut_length)
        return tw_missing(error, !text && length ? "text" : !spans && count ? "spans" : "cut");
    int status = tw_bytes_reserve(&out, length + 1);
    if (status == TWINSET_OK && field && count)
        status = tw_json_cut_line(text, length, field, spans, count, &scratch, &out);
    else if (status == TWINSET_OK)
        status = tw_cut_text(text, length, spans, count, &out);
    tw_bytes_free(&scratch);
    if (status == TWINSET_IO)
        status = tw_fail(error, TWINSET_USAGE, "the spans are not of this text");
    if (status != TWINSET_OK) {
        tw_bytes_free(&out);
        return tw_complete_error(error, status);
    }
    *cut = out.data;
    *cut_length = out.length;
    return TWINSET_OK;
}
