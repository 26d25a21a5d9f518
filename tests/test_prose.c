/*
 * Passages of prose: examples of each kind; copies compared with brute force; guarantees for any
 * two texts; and repetitive texts, which must not make the search slow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu_time.h"
#include "dice.h"
#include "passages.h"
#include "text.h"

/* A text and its words. */
typedef struct text {
    tw_bytes bytes, block;
    tw_program program;
    tw_prose_words words;
} text;

static tw_coder *coder;
static tw_stemmer *stemmer;

static int set_up(void **state)
{
    (void)state;
    return tw_coder_new(&coder) || tw_stemmer_new(&stemmer);
}

static int tear_down(void **state)
{
    (void)state;
    tw_coder_free(coder);
    tw_stemmer_free(stemmer);
    return 0;
}

/* Splits the bytes of a text into words. */
static void read_words(text *t)
{
    twinset_options options;
    tw_code code = {0};
    tw_spans omitted = {0};
    tw_offsets scratch = {0};
    twinset_options_init(&options, sizeof options);
    const tw_sequence_rules rules = tw_sequence_rules_of(&options, (tw_set){0});
    assert_int_equal(tw_bytes_append(&t->bytes, "", 1), 0);
    t->bytes.length--;
    assert_int_equal(
        tw_find_words(coder, &options, t->bytes.data, t->bytes.length, &omitted, &code), 0);
    assert_int_equal(tw_program_write(&code, t->bytes.data, 0, &t->block), 0);
    t->program = tw_program_read(&t->block);
    assert_int_equal(
        tw_prose_words_fill(&t->words, &t->program, t->bytes.data, &rules, stemmer, &scratch), 0);
    tw_code_free(&code);
    tw_spans_free(&omitted);
    tw_free(scratch.data);
}

static void append(text *t, const char *words)
{
    assert_int_equal(tw_bytes_append(&t->bytes, words, strlen(words)), 0);
}

static void free_text(text *t)
{
    tw_bytes_free(&t->bytes);
    tw_bytes_free(&t->block);
    tw_prose_words_free(&t->words);
}

/* Appends sentences of numbered words that no other text has. */
static void append_own(text *t, const char *name, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(tw_bytes_printf(&t->bytes, "%s%u%s", name, i, i % 12 == 11 ? ". " : " "),
                         0);
}

static void search(tw_passage_finder *finder, const text *a, const text *b, uint32_t least)
{
    const tw_prose_rules rules = {.least = least};
    assert_int_equal(tw_prose_search(finder, &a->words, &b->words, &rules), 0);
}

/* The text of a passage in a or b. */
static bool quotes(const text *t, uint32_t from, uint32_t to, const char *first, const char *last)
{
    const tw_token *words = t->program.tokens;
    const char *start = t->bytes.data + words[from].start, *end = t->bytes.data + words[to - 1].end;
    return strncmp(start, first, strlen(first)) == 0 &&
           strncmp(end - strlen(last), last, strlen(last)) == 0;
}

static const char original[] =
    "The smoke alarm rang in the boiler room before dawn, and six fire trucks came to the theatre. "
    "Four ambulances waited outside while the crew searched every corridor for guests. "
    "No visitor was injured, and the damage by water and smoke remained small. "
    "The director thanked the fire company, which had saved a cultural treasure of the town. ";

/* ---- kinds */

static void check_kind(const char *copy, unsigned kind, const char *first, const char *last)
{
    text a = {0}, b = {0};
    tw_passage_finder finder = {0};
    append_own(&a, "alpha", 300);
    append(&a, copy);
    append_own(&a, "omega", 300);
    append_own(&b, "gamma", 200);
    append(&b, original);
    append_own(&b, "delta", 200);
    read_words(&a);
    read_words(&b);
    search(&finder, &a, &b, 0);
    assert_int_equal(finder.count, 1);
    assert_int_equal(finder.list[0].kinds, kind);
    assert_true(quotes(&a, finder.list[0].a, finder.list[0].a_end, first, last));
    assert_true(quotes(&b, finder.list[0].b, finder.list[0].b_end, "The smoke", "the town"));
    assert_true(finder.list[0].rarity > TW_LEAST_EVIDENCE);
    assert_true(finder.evidence == finder.list[0].rarity);
    tw_passage_finder_free(&finder);
    free_text(&a);
    free_text(&b);
}

static void copies_are_verbatim(void **state)
{
    (void)state;
    check_kind(original, 0, "The smoke", "the town");
}

static void changed_copies_are_edited(void **state)
{
    (void)state;
    check_kind(
        "The smoke alarm rang in the boiler room before dawn, and six fire trucks came to the "
        "theatre. Four ambulances waited outside while the crew quickly searched every corridor "
        "for guests. No visitor was injured, and the damage by water and smoke remained small. "
        "The director thanked the fire company, which had saved a cultural treasure of the town. ",
        TWINSET_PASSAGE_EDITED, "The smoke", "the town");
}

static void replaced_words_are_paraphrased(void **state)
{
    (void)state;
    check_kind(
        "Six trucks of the fire company hurried to the theatre when an alarm for smoke was ringing "
        "at dawn in the boiler room. Outside waited four ambulances; guests were searched for in "
        "each corridor by the crew. Small damages of water and smoke remained, and visitors were "
        "not injured. The town had its cultural treasure saved, and the director gave thanks. ",
        TWINSET_PASSAGE_PARAPHRASED, "Six trucks", "gave thanks");
}

static void summaries_of_a_text_are_found(void **state)
{
    text a = {0}, b = {0};
    tw_passage_finder finder = {0};
    (void)state;
    for (unsigned i = 0; i < 30; i++) {
        append_own(&b, i % 2 ? "filler" : "padding", 30);
        assert_int_equal(tw_bytes_printf(&b.bytes, " keyword%u and topic%u. ", i, i), 0);
    }
    append_own(&a, "alpha", 400);
    for (unsigned i = 0; i < 30; i++)
        assert_int_equal(tw_bytes_printf(&a.bytes, "topic%u with keyword%u%s", 29 - i, 29 - i,
                                         i % 5 == 4 ? ". " : " "),
                         0);
    append_own(&a, "omega", 400);
    read_words(&a);
    read_words(&b);
    search(&finder, &a, &b, 0);
    assert_int_equal(finder.count, 1);
    assert_int_equal(finder.list[0].kinds, TWINSET_PASSAGE_SUMMARY);
    assert_int_equal(finder.list[0].b, 0);
    assert_int_equal(finder.list[0].b_end, b.program.count);
    assert_true(finder.list[0].a >= 395 && finder.list[0].a_end <= 495);
    tw_passage_finder_free(&finder);
    free_text(&a);
    free_text(&b);
}

static void moved_passages_are_reordered(void **state)
{
    text a = {0}, b = {0};
    tw_passage_finder finder = {0};
    (void)state;
    append_own(&a, "first", 60);
    append_own(&a, "alpha", 300);
    append_own(&a, "second", 90);
    append_own(&b, "second", 90);
    append_own(&b, "beta", 300);
    append_own(&b, "first", 60);
    read_words(&a);
    read_words(&b);
    search(&finder, &a, &b, 0);
    assert_int_equal(finder.count, 2);
    assert_int_equal(finder.list[0].kinds, TWINSET_PASSAGE_REORDERED);
    assert_int_equal(finder.list[1].kinds, 0);
    assert_int_equal(finder.list[0].tokens, 60);
    assert_int_equal(finder.list[1].tokens, 90);
    tw_passage_finder_free(&finder);
    free_text(&a);
    free_text(&b);
}

static void unrelated_texts_share_nothing(void **state)
{
    text a = {0}, b = {0};
    tw_passage_finder finder = {0};
    (void)state;
    append(&a, "On the surface of a lake there was a boat, and in it sat a man with a dog. ");
    append_own(&a, "alpha", 300);
    append(&b, "We walked on the surface of a road that was as old as the town and the hills. ");
    append_own(&b, "beta", 300);
    read_words(&a);
    read_words(&b);
    search(&finder, &a, &b, 0);
    assert_int_equal(finder.count, 0);
    tw_passage_finder_free(&finder);
    free_text(&a);
    free_text(&b);
}

/* ---- any two texts */

/* Appends words of a small vocabulary, and copies of ranges of the other text, if given. */
static void append_random(text *t, dice *from, const text *other, size_t words, size_t vocabulary)
{
    while (words) {
        size_t count = 1 + below(from, 60);
        count = count < words ? count : words;
        bool copies = other && other->program.count > count && below(from, 2);
        size_t start = copies ? below(from, other->program.count - count) : 0;
        for (size_t i = 0; i < count; i++) {
            const tw_token *word = copies ? &other->program.tokens[start + i] : NULL;
            int status = word ? tw_bytes_append(&t->bytes, other->bytes.data + word->start,
                                                word->end - word->start)
                              : tw_bytes_printf(&t->bytes, "w%zu", below(from, vocabulary));
            assert_int_equal(status, 0);
            append(t, below(from, 9) ? " " : ". ");
        }
        words -= count;
    }
}

/* Appends ranges of another text, each once and in any order, between words of its own. */
static void append_copies(text *t, dice *from, const text *other)
{
    enum { PARTS = 8 };
    size_t order[PARTS], size = other->program.count / PARTS;
    for (size_t i = 0; i < PARTS; i++) {
        size_t other_index = below(from, i + 1);
        order[i] = i;
        order[i] = order[other_index];
        order[other_index] = i;
    }
    for (size_t i = 0; i < PARTS; i++) {
        size_t skipped = below(from, size);
        const tw_token *words = other->program.tokens + order[i] * size;
        assert_int_equal(tw_bytes_append(&t->bytes, other->bytes.data + words[skipped].start,
                                         words[size - 1].end - words[skipped].start),
                         0);
        append(t, ". ");
        append_random(t, from, NULL, below(from, 90), 1 << 20);
    }
}

/* Checks that words are in at most one passage, that runs are equal and within their passage, and
 * that spans are not empty. */
static void check_rules(const tw_passage_finder *finder, const text *a, const text *b)
{
    uint32_t last = 0;
    for (size_t i = 0; i < finder->count; i++) {
        const tw_passage *p = &finder->list[i];
        bool sums_up = p->kinds & TWINSET_PASSAGE_SUMMARY;
        assert_true(p->a < p->a_end && p->a_end <= a->program.count);
        assert_true(p->b < p->b_end && p->b_end <= b->program.count);
        assert_true(p->tokens <= p->a_end - p->a && p->tokens <= p->b_end - p->b);
        assert_true(sums_up || p->a >= last);
        last = sums_up ? last : p->a_end;
        for (size_t r = p->first_run; r < p->first_run + p->run_count; r++) {
            tw_token_run run = finder->runs.data[r];
            assert_true(run.a >= p->a && run.a + run.count <= p->a_end);
            assert_true(run.b >= p->b && run.b + run.count <= p->b_end);
            assert_memory_equal(a->words.sequence.side.forms + run.a,
                                b->words.sequence.side.forms + run.b, run.count * sizeof(uint64_t));
        }
    }
}

/* Checks that the passages of b and a are those of a and b. */
static void check_swapped(const tw_passage_finder *direct, const tw_passage_finder *swapped)
{
    assert_int_equal(direct->count, swapped->count);
    for (size_t i = 0; i < direct->count; i++) {
        const tw_passage *p = &direct->list[i];
        bool found = false;
        for (size_t j = 0; j < swapped->count && !found; j++) {
            const tw_passage *q = &swapped->list[j];
            found = p->a == q->b && p->a_end == q->b_end && p->b == q->a && p->b_end == q->a_end &&
                    p->tokens == q->tokens && p->rarity == q->rarity;
        }
        assert_true(found);
    }
}

static void passages_of_any_two_obey_the_guarantees(void **state)
{
    dice from = new_dice();
    tw_passage_finder finder = {0}, swapped = {0};
    (void)state;
    for (int i = 0; i < 60; i++) {
        text a = {0}, b = {0};
        size_t vocabulary = (size_t[]){3, 40, 4000}[i % 3];
        append_random(&a, &from, NULL, below(&from, 900), vocabulary);
        read_words(&a);
        append_random(&b, &from, &a, below(&from, 900), vocabulary);
        read_words(&b);
        search(&finder, &a, &b, 0);
        search(&swapped, &b, &a, 0);
        check_rules(&finder, &a, &b);
        check_swapped(&finder, &swapped);
        free_text(&a);
        free_text(&b);
    }
    tw_passage_finder_free(&finder);
    tw_passage_finder_free(&swapped);
}

/* Whether `count` words from `a` and from `b` on are equal. */
static bool are_equal(const text *x, const text *y, size_t a, size_t b, size_t count)
{
    const uint64_t *first = x->words.sequence.side.forms, *second = y->words.sequence.side.forms;
    return a + count <= x->program.count && b + count <= y->program.count &&
           memcmp(first + a, second + b, count * sizeof *first) == 0;
}

/* Whether a word of a is in a passage. */
static bool is_in_passage(const tw_passage_finder *finder, size_t word)
{
    for (size_t i = 0; i < finder->count; i++)
        if (finder->list[i].a <= word && word < finder->list[i].a_end)
            return true;
    return false;
}

/* If words are rare, every word of a common run of forty words is in a passage. */
static void long_runs_are_never_missed(void **state)
{
    /* No range is copied twice, so that each word belongs to one passage. */
    enum { LONG = 40 };
    dice from = new_dice();
    tw_passage_finder finder = {0};
    size_t found = 0;
    (void)state;
    for (int i = 0; i < 40; i++) {
        text a = {0}, b = {0};
        append_random(&a, &from, NULL, 600, 100000);
        read_words(&a);
        append_copies(&b, &from, &a);
        read_words(&b);
        search(&finder, &a, &b, 0);
        for (size_t x = 0; x + LONG <= a.program.count; x++)
            for (size_t y = 0; y + LONG <= b.program.count; y++)
                if (are_equal(&a, &b, x, y, LONG)) {
                    assert_true(is_in_passage(&finder, x) && is_in_passage(&finder, x + LONG - 1));
                    found++;
                }
        free_text(&a);
        free_text(&b);
    }
    assert_true(found > 100);
    tw_passage_finder_free(&finder);
}

/* ---- bad input */

static void repeat(text *t, const char *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        append(t, words);
}

static double time_of(const text *a, const text *b)
{
    tw_passage_finder finder = {0};
    double start = cpu_seconds();
    search(&finder, a, b, 0);
    double seconds = cpu_seconds() - start;
    check_rules(&finder, a, b);
    tw_passage_finder_free(&finder);
    return seconds;
}

/* Twice the words take about twice the time, not four times. */
static void repetitions_take_linear_time(void **state)
{
    static const char *const lines[][2] = {
        {"The same sentence comes again. ", "The same sentence comes again. "},
        {"The same sentence comes again. ", "It comes again, the sentence, the same. "},
        {"1 0 1 0 0 17 3 5 0 1\n", "0 0 1 1 17 0 3 0 1 5\n"},
        {"\xE6\xBC\xA2\xE5\xAD\x97\xE3\x81\xA8\xE3\x80\x82",
         "\xE5\xAD\x97\xE6\xBC\xA2\xE3\x80\x82"},
        {".....!!!....???....\n", "\n\n\n....\x00"},
    };
    enum { TIMES = 4000 };
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        double seconds[2];
        for (size_t twice = 0; twice < 2; twice++) {
            text a = {0}, b = {0};
            repeat(&a, lines[i][0], TIMES << twice);
            repeat(&b, lines[i][1], (TIMES << twice) + 7);
            read_words(&a);
            read_words(&b);
            seconds[twice] = time_of(&a, &b);
            free_text(&a);
            free_text(&b);
        }
        assert_true(seconds[1] < 3.5 * seconds[0] + 0.05);
    }
}

static void empty_texts_share_nothing(void **state)
{
    text a = {0}, b = {0};
    tw_passage_finder finder = {0};
    (void)state;
    append(&b, "One word, and then some more.");
    read_words(&a);
    read_words(&b);
    search(&finder, &a, &b, 0);
    assert_int_equal(finder.count, 0);
    search(&finder, &b, &a, 0);
    assert_int_equal(finder.count, 0);
    search(&finder, &b, &b, 1000);
    assert_int_equal(finder.count, 1); /* the texts are equal */
    tw_passage_finder_free(&finder);
    free_text(&a);
    free_text(&b);
}

/* ---- words */

static void stems_are_shared(void **state)
{
    static const char *const pairs[][2] = {{"copied", "copying"}, {"passages", "passage"}};
    uint64_t first, other;
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        assert_int_equal(tw_stem_id(stemmer, pairs[i][0], strlen(pairs[i][0]), &first), 0);
        assert_int_equal(tw_stem_id(stemmer, pairs[i][1], strlen(pairs[i][1]), &other), 0);
        assert_true(first == other);
        assert_int_equal(tw_stem_id(stemmer, pairs[i][1], strlen(pairs[i][1]), &other), 0);
        assert_true(first == other); /* from the cache */
    }
    assert_int_equal(tw_stem_id(stemmer, "other", 5, &other), 0);
    assert_true(first != other);
}

static void sentences_end_at_full_stops(void **state)
{
    text t = {0};
    (void)state;
    append(&t,
           "One costs 3.5 at example.org. Two (it says.) three\nfour\n\nfive! six\xE3\x80\x82 end");
    read_words(&t);
    static const uint8_t expected[] = {2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 2, 1, 2, 2, 2, 2};
    assert_int_equal(t.program.count + 1, sizeof expected);
    assert_memory_equal(t.words.edges, expected, sizeof expected);
    free_text(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_verbatim),
        cmocka_unit_test(changed_copies_are_edited),
        cmocka_unit_test(replaced_words_are_paraphrased),
        cmocka_unit_test(summaries_of_a_text_are_found),
        cmocka_unit_test(moved_passages_are_reordered),
        cmocka_unit_test(unrelated_texts_share_nothing),
        cmocka_unit_test(passages_of_any_two_obey_the_guarantees),
        cmocka_unit_test(long_runs_are_never_missed),
        cmocka_unit_test(repetitions_take_linear_time),
        cmocka_unit_test(empty_texts_share_nothing),
        cmocka_unit_test(stems_are_shared),
        cmocka_unit_test(sentences_end_at_full_stops),
    };
    print_seed();
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
