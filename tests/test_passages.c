/*
 * Passages: the guarantees for any two sequences, checked by brute force over all pairs of tokens;
 * copies with each kind of change; and repetitive texts, which must not make the search slow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "cpu_time.h"
#include "dice.h"
#include "digest.h"
#include "passage_stages.h"

enum { K = 5, MOST = 4000 };

/* ---- documents */

/* Tokens are numbers. Numbers from 100 on are names, and all names have one form. */
typedef struct program {
    uint64_t ids[MOST], forms[MOST], words[MOST];
    uint8_t names[MOST];
    uint32_t breaks[8];
    size_t count, break_count;
} program;

static void add(program *p, unsigned token)
{
    assert_true(p->count < MOST);
    p->words[p->count] = tw_mix64(token + 1);
    p->forms[p->count] = token >= 100 ? 99 : token + 1;
    p->names[p->count++] = token >= 100;
}

static void end_file(program *p)
{
    p->breaks[p->break_count++] = (uint32_t)p->count;
}

/* Makes the shingles of a program. A file that is shorter than a shingle has one shingle. */
static tw_token_sequence side_of(program *p)
{
    size_t start = 0;
    for (size_t file = 0; file <= p->break_count; file++) {
        size_t end = file < p->break_count ? p->breaks[file] : p->count;
        for (size_t i = start; i < end; i++) {
            uint64_t id = 1;
            for (size_t t = i; t < i + K && t < end; t++)
                id = tw_mix64(id + p->forms[t]);
            p->ids[i] = i == start || i + K <= end ? id : 0;
        }
        start = end;
    }
    return (tw_token_sequence){.ids = p->ids,
                               .forms = p->forms,
                               .words = p->words,
                               .names = p->names,
                               .breaks = p->breaks,
                               .count = p->count,
                               .break_count = p->break_count};
}

/* Writes a program whose shingles are mostly distinct. */
static void write_program(dice *from, program *p, size_t tokens)
{
    while (tokens-- > 0)
        add(p, chance(from, 30) ? 100 + (unsigned)below(from, 8) : (unsigned)below(from, 40));
}

/* ---- guarantees */

typedef struct covered {
    uint8_t a[MOST], b[MOST];
} covered;

static void check_run(const tw_token_sequence *a, const tw_token_sequence *b,
                      const tw_token_run *run, covered *c)
{
    for (uint32_t t = 0; t < run->count; t++) {
        uint32_t i = run->a + t, j = run->b + t;
        assert_true(i < a->count && j < b->count);
        assert_true(a->forms[i] == b->forms[j]);
        assert_false(c->a[i] || c->b[j]);
        c->a[i] = c->b[j] = 1;
    }
}

/* Checks that the runs of a passage ascend, cover it from end to end, and have gaps between them.
 */
static void check_passage(const tw_passage_finder *found, const tw_token_sequence *a,
                          const tw_token_sequence *b, const tw_passage *passage, covered *c)
{
    const tw_token_run *runs = found->runs.data + passage->first_run;
    const tw_token_run *last = &runs[passage->run_count - 1];
    uint32_t tokens = 0, a_at = passage->a, b_at = passage->b;
    assert_true(passage->run_count > 0);
    for (size_t r = 0; r < passage->run_count; r++) {
        assert_true(runs[r].a >= a_at && runs[r].b >= b_at);
        assert_true(r == 0 || runs[r].a > a_at || runs[r].b > b_at);
        a_at = runs[r].a + runs[r].count;
        b_at = runs[r].b + runs[r].count;
        tokens += runs[r].count;
        check_run(a, b, &runs[r], c);
    }
    assert_int_equal(runs[0].a, passage->a);
    assert_int_equal(runs[0].b, passage->b);
    assert_int_equal(last->a + last->count, passage->a_end);
    assert_int_equal(last->b + last->count, passage->b_end);
    assert_true(passage->a_end <= tw_token_file_end(a, passage->a));
    assert_true(passage->b_end <= tw_token_file_end(b, passage->b));
    assert_int_equal(tokens, passage->tokens);
    assert_int_equal(!!(passage->kinds & TWINSET_PASSAGE_PADDED), passage->run_count > 1);
}

/* Checks that passages do not overlap in either document. */
static void check_apart(const tw_passage_finder *found)
{
    for (size_t x = 0; x < found->count; x++)
        for (size_t y = x + 1; y < found->count; y++) {
            const tw_passage *p = &found->list[x], *q = &found->list[y];
            assert_true(p->a_end <= q->a);
            assert_true(p->b_end <= q->b || q->b_end <= p->b);
        }
}

static void check(const tw_passage_finder *found, const tw_token_sequence *a,
                  const tw_token_sequence *b, uint32_t least, covered *c)
{
    uint64_t tokens = 0;
    memset(c, 0, sizeof *c);
    for (size_t i = 0; i < found->count; i++) {
        check_passage(found, a, b, &found->list[i], c);
        assert_true(found->list[i].tokens >= least);
        tokens += found->list[i].tokens;
    }
    check_apart(found);
    assert_true(tokens == found->tokens);
}

/* Finds passages of at least k tokens, and checks them. */
static void find(tw_passage_finder *found, program *x, program *y, covered *c)
{
    tw_token_sequence a = side_of(x), b = side_of(y);
    tw_passage_finder_rules rules = {.k = K, .least = K};
    assert_int_equal(tw_passage_finder_search(found, &a, &b, &rules), TWINSET_OK);
    check(found, &a, &b, 1, c);
}

/* ---- greedy tiling, by all pairs of tokens */

/* The longest run of at least k tokens that are free in both. */
static tw_token_run longest_free(const program *a, const program *b, const covered *c)
{
    tw_token_run best = {.count = K - 1};
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++) {
            uint32_t n = 0;
            while (i + n < a->count && j + n < b->count && a->forms[i + n] == b->forms[j + n] &&
                   !c->a[i + n] && !c->b[j + n])
                n++;
            if (n > best.count)
                best = (tw_token_run){i, j, n};
        }
    return best;
}

static size_t greedy_tiling(const program *a, const program *b)
{
    static covered c;
    size_t tokens = 0;
    memset(&c, 0, sizeof c);
    for (tw_token_run run; (run = longest_free(a, b, &c)).count >= K; tokens += run.count) {
        memset(c.a + run.a, 1, run.count);
        memset(c.b + run.b, 1, run.count);
    }
    return tokens;
}

/* Writes two programs of few symbols, which share much by chance, and copies from x to y. */
static void write_related(dice *from, program *x, program *y)
{
    static const size_t symbols[] = {3, 6, 12, 40};
    size_t kinds = symbols[below(from, COUNT(symbols))];
    memset(x, 0, sizeof *x);
    memset(y, 0, sizeof *y);
    for (size_t n = 1 + below(from, 90); n > 0; n--)
        add(x, (unsigned)below(from, kinds));
    while (y->count < 60) {
        size_t length = 1 + below(from, x->count), start = below(from, x->count - length + 1);
        for (size_t t = 0; t < length && chance(from, 95) && chance(from, 50); t++)
            add(y, (unsigned)x->forms[start + t] - 1);
        add(y, (unsigned)below(from, kinds));
    }
}

static void passages_of_any_two_obey_the_guarantees(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    dice from = new_dice();
    tw_passage_finder found = {0};
    size_t ours = 0, greedy = 0;
    for (int round = 0; round < 1500; round++) {
        write_related(&from, &x, &y);
        find(&found, &x, &y, &c);
        size_t tiled = greedy_tiling(&x, &y);
        ours += found.tokens;
        greedy += tiled;
        /* Not all occurrences of frequent shingles are paired. */
        assert_true(2 * (found.tokens + K) >= tiled);
    }
    print_message("%zu tokens, by greedy tiling %zu\n", ours, greedy);
    assert_true(100 * ours >= 98 * greedy);
    tw_passage_finder_free(&found);
}

/* If all shingles are rare, no k equal tokens in a row remain outside of passages. */
static void no_long_run_remains_uncovered(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    dice from = new_dice();
    tw_passage_finder found = {0};
    for (int round = 0; round < 300; round++) {
        memset(&x, 0, sizeof x);
        memset(&y, 0, sizeof y);
        write_program(&from, &x, 1 + below(&from, 120));
        while (chance(&from, 85)) {
            size_t start = below(&from, x.count), length = below(&from, x.count - start);
            for (size_t t = 0; t < length && t < 30 && y.count < 150; t++)
                add(&y, x.forms[start + t] == 99 ? 100 : (unsigned)x.forms[start + t] - 1);
        }
        find(&found, &x, &y, &c);
        assert_true(longest_free(&x, &y, &c).count < K);
    }
    tw_passage_finder_free(&found);
}

/* Passages of a and b cover nearly as many tokens as those of b and a. */
static void both_directions_cover_nearly_as_much(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    dice from = new_dice();
    tw_passage_finder found = {0};
    size_t forth = 0, back = 0;
    for (int round = 0; round < 500; round++) {
        write_related(&from, &x, &y);
        find(&found, &x, &y, &c);
        forth += found.tokens;
        find(&found, &y, &x, &c);
        back += found.tokens;
    }
    assert_true(forth < back + back / 100 && back < forth + forth / 100);
    tw_passage_finder_free(&found);
}

/* ---- copies with changes */

static void add_range(program *to, const program *from, size_t start, size_t end)
{
    for (size_t i = start; i < end; i++) {
        to->words[to->count] = from->words[i];
        to->forms[to->count] = from->forms[i];
        to->names[to->count++] = from->names[i];
    }
}

static void rename_token(program *p, size_t i, unsigned name)
{
    p->words[i] = tw_mix64(name + 1);
}

/* A program of 400 tokens, and an empty one. */
static dice begin(program *x, program *y)
{
    dice from = new_dice();
    memset(x, 0, sizeof *x);
    memset(y, 0, sizeof *y);
    write_program(&from, x, 400);
    return from;
}

static void identical_programs_are_one_passage(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    begin(&x, &y);
    add_range(&y, &x, 0, x.count);
    find(&found, &x, &y, &c);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.list[0].tokens, 400);
    assert_int_equal(found.list[0].kinds, 0);
    x.count = y.count = 2; /* fewer tokens than a shingle or a passage has */
    find(&found, &x, &y, &c);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.tokens, 2);
    tw_passage_finder_free(&found);
}

/* Every shingle is left out. */
static void identical_templates_are_one_passage(void **state)
{
    (void)state;
    static program x, y;
    tw_passage_finder found = {0};
    begin(&x, &y);
    tw_token_sequence a = side_of(&x);
    memset(x.ids, 0, sizeof x.ids);
    tw_passage_finder_rules rules = {.k = K, .least = K};
    assert_int_equal(tw_passage_finder_search(&found, &a, &a, &rules), TWINSET_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.tokens, 400);
    tw_passage_finder_free(&found);
}

static void new_names_are_listed(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    begin(&x, &y);
    add_range(&y, &x, 0, x.count);
    add(&y, 0);
    size_t times[8] = {0};
    for (size_t i = 0; i < x.count; i++)
        for (unsigned name = 0; name < 8; name++)
            if (x.words[i] == tw_mix64(100 + name + 1)) {
                times[name]++;
                if (name < 4)
                    rename_token(&y, i, 200 + name);
            }
    find(&found, &x, &y, &c);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.list[0].kinds, TWINSET_PASSAGE_RENAMED);
    assert_int_equal(found.list[0].rename_count, 4);
    uint32_t before = UINT32_MAX;
    for (size_t i = 0; i < 4; i++) {
        const tw_rename *rename = &found.renames.data[i];
        assert_true(rename->count <= before);
        before = rename->count;
        unsigned name = 0;
        while (x.words[rename->a] != tw_mix64(100 + name + 1))
            name++;
        assert_true(y.words[rename->b] == tw_mix64(200 + name + 1));
        assert_int_equal(rename->count, times[name]);
    }
    tw_passage_finder_free(&found);
}

/* Names that are replaced at random are not renamed. */
static void names_replaced_at_random_are_alike(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    dice from = begin(&x, &y);
    add_range(&y, &x, 0, x.count);
    add(&y, 0);
    for (size_t i = 0; i < x.count; i++)
        if (y.names[i])
            rename_token(&y, i, 300 + (unsigned)below(&from, 9));
    find(&found, &x, &y, &c);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.list[0].kinds, TWINSET_PASSAGE_ALIKE);
    assert_int_equal(found.list[0].rename_count, 0);
    tw_passage_finder_free(&found);
}

static void moved_ranges_are_reordered(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    begin(&x, &y);
    add_range(&y, &x, 250, 320);
    add_range(&y, &x, 0, 250);
    add_range(&y, &x, 320, 400);
    find(&found, &x, &y, &c);
    assert_int_equal(found.count, 3);
    assert_int_equal(found.tokens, 400);
    assert_int_equal(found.list[0].kinds, 0);
    assert_int_equal(found.list[1].kinds, TWINSET_PASSAGE_REORDERED);
    assert_int_equal(found.list[1].b, 0);
    assert_int_equal(found.list[2].kinds, 0);
    tw_passage_finder_free(&found);
}

static void changes_are_bridged(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    begin(&x, &y);
    add_range(&y, &x, 0, 100);
    add_range(&y, &x, 110, 200); /* ten are removed */
    for (unsigned i = 0; i < 10; i++)
        add(&y, 50 + i); /* ten are inserted */
    add_range(&y, &x, 200, 300);
    for (unsigned i = 0; i < 5; i++)
        add(&y, 60 + i); /* five are replaced */
    add_range(&y, &x, 305, 400);
    find(&found, &x, &y, &c);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.list[0].kinds, TWINSET_PASSAGE_PADDED);
    assert_int_equal(found.list[0].tokens, 385);
    assert_int_equal(found.list[0].run_count, 4);
    tw_passage_finder_free(&found);
}

/* A statement is inserted after every line. Half of the lines are shorter than a shingle. */
static void padding_after_every_line_is_bridged(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    dice from = begin(&x, &y);
    for (size_t start = 0, end; start < x.count; start = end) {
        end = start + (chance(&from, 50) ? K - 1 - below(&from, 2) : K + below(&from, 5));
        end = end < x.count ? end : x.count;
        add_range(&y, &x, start, end);
        for (unsigned i = 0; i < 5; i++)
            add(&y, 50 + i);
    }
    find(&found, &x, &y, &c);
    print_message("%zu passages, %zu of 400 tokens\n", found.count, (size_t)found.tokens);
    assert_true(found.count <= 3);
    assert_true(found.tokens >= 360);
    tw_passage_finder_free(&found);
}

/* Text that begins with a name is inserted before names, or text that ends in a name after them:
 * the old names are aligned with themselves. */
static void old_names_align_with_themselves(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    begin(&x, &y);
    size_t done = 0;
    for (unsigned i = 0; i < 6; i++) {
        size_t name = 20 + 61 * i;
        while (!x.names[name])
            name++;
        size_t end = name + i % 2;
        add_range(&y, &x, done, end);
        for (unsigned t = 0; t < 5; t++)
            add(&y, t == (i % 2 ? 4 : 0) ? 200 : 50 + t);
        done = end;
    }
    add_range(&y, &x, done, x.count);
    for (unsigned turn = 0; turn < 2; turn++) {
        find(&found, turn ? &y : &x, turn ? &x : &y, &c);
        assert_int_equal(found.count, 1);
        assert_int_equal(found.list[0].kinds, TWINSET_PASSAGE_PADDED);
        assert_int_equal(found.list[0].tokens, x.count);
    }
    tw_passage_finder_free(&found);
}

/* ---- files and templates */

static void passages_end_with_their_files(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    begin(&x, &y);
    x.breaks[x.break_count++] = 150;
    x.breaks[x.break_count++] = 152; /* shorter than a shingle */
    add_range(&y, &x, 152, 400);
    end_file(&y);
    add_range(&y, &x, 0, 150);
    end_file(&y);
    add_range(&y, &x, 150, 152);
    find(&found, &x, &y, &c);
    assert_int_equal(found.count, 2); /* the short file has fewer tokens than a passage */
    assert_int_equal(found.tokens, 398);
    for (size_t i = 0; i < found.count; i++)
        assert_int_equal(found.list[i].kinds, 0); /* files have no order */
    tw_passage_finder_free(&found);
}

/* A template in the middle of a copy does not divide it. By itself it is no passage. */
static void templates_are_no_passage(void **state)
{
    (void)state;
    static program x, y;
    tw_passage_finder found = {0};
    begin(&x, &y);
    add_range(&y, &x, 0, 399);
    add(&y, 77);
    tw_token_sequence a = side_of(&x), b = side_of(&y);
    tw_passage_finder_rules rules = {.k = K, .least = K};
    memset(x.ids + 100, 0, 200 * sizeof *x.ids);
    memset(y.ids + 100, 0, 200 * sizeof *y.ids);
    assert_int_equal(tw_passage_finder_search(&found, &a, &b, &rules), TWINSET_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.list[0].run_count, 1);
    assert_int_equal(found.list[0].a_end, 399);
    assert_int_equal(found.tokens, 399 - (300 - 100 - (K - 1)));
    for (size_t i = 0; i < 400; i++)
        assert_int_equal(tw_passage_finder_excluded(&found, 0)[i], i >= 100 + K - 1 && i < 300);
    memset(x.ids, 0, sizeof x.ids);
    assert_int_equal(tw_passage_finder_search(&found, &a, &b, &rules), TWINSET_OK);
    assert_int_equal(found.count, 0);
    tw_passage_finder_free(&found);
}

static uint32_t documents_with(void *context, uint64_t id)
{
    return id == *(const uint64_t *)context ? 3 : 40;
}

static void rarest_shingle_is_counted(void **state)
{
    (void)state;
    static program x, y;
    tw_passage_finder found = {0};
    begin(&x, &y);
    add_range(&y, &x, 0, 200);
    add(&y, 78);
    add_range(&y, &x, 320, 400);
    tw_token_sequence a = side_of(&x), b = side_of(&y);
    tw_passage_finder_rules rules = {
        .k = K, .least = K, .documents = documents_with, .context = &x.ids[350]};
    assert_int_equal(tw_passage_finder_search(&found, &a, &b, &rules), TWINSET_OK);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.list[0].documents, 40);
    assert_int_equal(found.list[1].documents, 3);
    tw_passage_finder_free(&found);
}

static void empty_programs_share_nothing(void **state)
{
    (void)state;
    static program x, y;
    static covered c;
    tw_passage_finder found = {0};
    begin(&x, &y);
    find(&found, &x, &y, &c);
    assert_int_equal(found.count, 0);
    find(&found, &y, &x, &c);
    assert_int_equal(tw_passage_finder_excluded(&found, 1)[0], 0);
    find(&found, &y, &y, &c);
    assert_int_equal(found.count, 0);
    assert_non_null(tw_passage_finder_excluded(&found, 0));
    tw_passage_finder_free(&found);
}

/* ---- repetitive texts */

enum { LONG = 100000 };

typedef struct sequence {
    uint64_t *ids, *forms;
} sequence;

/* Makes a sequence of a period, with a different token every `defect` tokens, and its shingles. */
static sequence new_sequence(size_t count, size_t period, size_t defect, unsigned seed)
{
    sequence s = {calloc(count, sizeof *s.ids), calloc(count, sizeof *s.forms)};
    for (size_t i = 0; i < count; i++)
        s.forms[i] = 1 + i % period + (defect && i % defect == 0 ? seed + i : 0);
    for (size_t i = 0; i + K <= count; i++)
        for (size_t t = 0; t < K; t++)
            s.ids[i] = tw_mix64(s.ids[i] + s.forms[i + t]) | 1;
    return s;
}

static uint64_t count_shared(tw_passage_finder *found, sequence x, size_t x_count, sequence y,
                             size_t y_count)
{
    tw_token_sequence a = {.ids = x.ids, .forms = x.forms, .count = x_count};
    tw_token_sequence b = {.ids = y.ids, .forms = y.forms, .count = y_count};
    tw_passage_finder_rules rules = {.k = K, .least = K};
    assert_int_equal(tw_passage_finder_search(found, &a, &b, &rules), TWINSET_OK);
    return found->tokens;
}

static void free_sequence(sequence s)
{
    free(s.ids);
    free(s.forms);
}

static void repetitions_take_little_time(void **state)
{
    (void)state;
    static const size_t periods[] = {1, 2, 7, 100, 3000}, defects[] = {0, 11, 1000};
    tw_passage_finder found = {0};
    for (size_t p = 0; p < COUNT(periods); p++)
        for (size_t d = 0; d < COUNT(defects); d++) {
            double start = cpu_seconds();
            sequence x = new_sequence(LONG, periods[p], defects[d], 5000);
            sequence y = new_sequence(LONG, periods[p], defects[d], 900000);
            uint64_t shared = count_shared(&found, x, LONG, y, LONG - 7);
            print_message("period %zu, defects %zu: %zu of %d, %.0f ms\n", periods[p], defects[d],
                          (size_t)shared, LONG, 1e3 * (cpu_seconds() - start));
            assert_true(shared >= (defects[d] == 11 ? LONG / 2 : LONG - LONG / 20));
            assert_true(cpu_seconds() - start < 5);
            free_sequence(x);
            free_sequence(y);
        }
    tw_passage_finder_free(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passages_of_any_two_obey_the_guarantees),
        cmocka_unit_test(no_long_run_remains_uncovered),
        cmocka_unit_test(both_directions_cover_nearly_as_much),
        cmocka_unit_test(identical_programs_are_one_passage),
        cmocka_unit_test(identical_templates_are_one_passage),
        cmocka_unit_test(new_names_are_listed),
        cmocka_unit_test(names_replaced_at_random_are_alike),
        cmocka_unit_test(moved_ranges_are_reordered),
        cmocka_unit_test(changes_are_bridged),
        cmocka_unit_test(padding_after_every_line_is_bridged),
        cmocka_unit_test(old_names_align_with_themselves),
        cmocka_unit_test(passages_end_with_their_files),
        cmocka_unit_test(templates_are_no_passage),
        cmocka_unit_test(rarest_shingle_is_counted),
        cmocka_unit_test(empty_programs_share_nothing),
        cmocka_unit_test(repetitions_take_little_time),
    };
    print_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
