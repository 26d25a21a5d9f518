/*
 * Winnowing. Hashes of words in a row are polynomials that roll from word to word. A run has the
 * last fingerprints of one block and the first of the next, each block being as long as a run has
 * fingerprints: its least one is the lesser of the least from some fingerprint of the one block on,
 * which is computed when that block ends, and the least so far in the other (van Herk, 1992). Of
 * equal hashes the chosen one stays as long as it is in the run, so that a text that repeats one
 * word gives few fingerprints.
 */
#include "passages.h"

#include <string.h>

enum { MOST_FINGERPRINT_WORDS = 16 };

/* A hash of words in a row that takes a word at the end and drops one at the start. */
typedef struct rolling_hash {
    uint64_t sum, last_power; /* the power of the word that is dropped */
} rolling_hash;

/* A fingerprint that may be chosen. */
typedef struct candidate {
    uint64_t hash, position;
} candidate;

struct tw_winnower {
    unsigned run_words, words, window; /* words of a run and a fingerprint, fingerprints of a run */
    tw_u64s ids;                       /* of the words of a batch */
    uint64_t mask;                     /* of indices into the ring that follows */
    uint64_t *recent;                  /* the ids of the last words, by position */
    candidate *block;                  /* the fingerprints of a block so far, and after these: the
                                          least of the block before, from each index on */
    rolling_hash run, fingerprint;
    /* The current document. */
    bool every_run;
    tw_word_run_fn take;
    void *context;
    uint64_t position, start; /* of the next word; of the first after the last seam */
    unsigned filled;          /* fingerprints of the block */
    candidate least;          /* of them */
    candidate chosen;
    bool has_chosen;
};

unsigned tw_fingerprint_words(unsigned run_words)
{
    unsigned half = (run_words + 1) / 2;
    return half < MOST_FINGERPRINT_WORDS ? half : MOST_FINGERPRINT_WORDS;
}

/* ---- rolling hashes */

static const uint64_t BASE = 0x9E3779B97F4A7C15u;

static rolling_hash new_rolling_hash(unsigned words)
{
    rolling_hash hash = {0, 1};
    for (unsigned i = 0; i < words; i++)
        hash.last_power *= BASE;
    return hash;
}

static void add_word(rolling_hash *hash, uint64_t id)
{
    hash->sum = hash->sum * BASE + id;
}

static void drop_word(rolling_hash *hash, uint64_t id)
{
    hash->sum -= hash->last_power * id;
}

/* Mixes the bits of a sum, whose low ones depend on the low ones of the words alone. */
static uint64_t finish(uint64_t sum)
{
    return tw_fold_product(sum ^ 0xBF58476D1CE4E5B9u, 0x94D049BB133111EBu) ^ sum >> 32;
}

/* ---- memory */

int tw_winnower_new(unsigned run_words, tw_winnower **winnower)
{
    tw_winnower *made = tw_calloc(1, sizeof *made);
    *winnower = made;
    if (!made)
        return TWINSET_NOMEM;
    made->run_words = run_words;
    made->words = tw_fingerprint_words(run_words);
    made->window = run_words - made->words + 1;
    made->run = new_rolling_hash(run_words);
    made->fingerprint = new_rolling_hash(made->words);
    size_t size = 2;
    while (size < run_words)
        size *= 2;
    made->mask = size - 1;
    made->recent = tw_array(size, sizeof *made->recent);
    made->block = tw_array(made->window, sizeof *made->block);
    if (made->recent && made->block)
        return TWINSET_OK;
    tw_winnower_free(made);
    *winnower = NULL;
    return TWINSET_NOMEM;
}

void tw_winnower_free(tw_winnower *winnower)
{
    if (!winnower)
        return;
    tw_free(winnower->ids.data);
    tw_free(winnower->recent);
    tw_free(winnower->block);
    tw_free(winnower);
}

/* ---- a document */

/* Forgets the words so far: the next one starts a run. */
static void restart(tw_winnower *winnower)
{
    winnower->start = winnower->position;
    winnower->run.sum = winnower->fingerprint.sum = 0;
    winnower->filled = 0;
    winnower->has_chosen = false;
}

void tw_winnower_begin(tw_winnower *winnower, bool every_run, tw_word_run_fn take, void *context)
{
    winnower->every_run = every_run;
    winnower->take = take;
    winnower->context = context;
    winnower->position = 0;
    restart(winnower);
}

/* Of equal ones the later. */
static candidate lesser(candidate first, candidate later)
{
    return first.hash < later.hash ? first : later;
}

/* Makes each fingerprint of a block the least from there on. */
static void end_block(tw_winnower *winnower)
{
    candidate *block = winnower->block;
    for (unsigned i = winnower->window - 1; i-- > 0;)
        block[i] = lesser(block[i], block[i + 1]);
    winnower->filled = 0;
}

/* Takes the fingerprint that ends with the last word, and returns the least of as many as a run
 * has. It means nothing before there are so many. */
static candidate add_fingerprint(tw_winnower *winnower)
{
    candidate made = {finish(winnower->fingerprint.sum), winnower->position - winnower->words};
    unsigned index = winnower->filled++;
    winnower->block[index] = made;
    winnower->least = index ? lesser(winnower->least, made) : made;
    if (index + 1 < winnower->window)
        return lesser(winnower->block[index + 1], winnower->least);
    end_block(winnower);
    return winnower->least;
}

/* Chooses the least fingerprint of the run that ends with the last word; whether it is another one
 * than before. */
static bool choose(tw_winnower *winnower, candidate least)
{
    uint64_t first = winnower->position - winnower->run_words;
    if (winnower->has_chosen && winnower->chosen.hash == least.hash &&
        winnower->chosen.position >= first)
        return false;
    winnower->chosen = least;
    winnower->has_chosen = true;
    return true;
}

/* The id of one of the last run_words words. */
static uint64_t recent_word(const tw_winnower *winnower, uint64_t position)
{
    return winnower->recent[position & winnower->mask];
}

/* Takes the next word into the hashes. Only a caller that gets every run wants its hash. */
static void roll(tw_winnower *winnower, uint64_t id)
{
    uint64_t at = winnower->position, known = at - winnower->start;
    add_word(&winnower->fingerprint, id);
    if (known >= winnower->words)
        drop_word(&winnower->fingerprint, recent_word(winnower, at - winnower->words));
    if (winnower->every_run) {
        add_word(&winnower->run, id);
        if (known >= winnower->run_words)
            drop_word(&winnower->run, recent_word(winnower, at - winnower->run_words));
    }
    winnower->recent[at & winnower->mask] = id;
    winnower->position++;
}

/* Takes the next word. */
static int take_word(tw_winnower *winnower, uint64_t id)
{
    roll(winnower, id);
    uint64_t known = winnower->position - winnower->start;
    if (known < winnower->words)
        return TWINSET_OK;
    candidate least = add_fingerprint(winnower);
    if (known < winnower->run_words)
        return TWINSET_OK;
    bool is_new = choose(winnower, least);
    if (!is_new && !winnower->every_run)
        return TWINSET_OK;
    const tw_word_run run = {
        .position = winnower->position - winnower->run_words,
        .minimum = winnower->chosen.hash,
        .chosen = winnower->chosen.position,
        .hash = winnower->every_run ? finish(winnower->run.sum) : 0,
    };
    return winnower->take(winnower->context, &run);
}

int tw_winnow_word(tw_winnower *winnower, uint64_t id)
{
    if (id != TW_SEAM_ID)
        return take_word(winnower, id);
    winnower->position++;
    restart(winnower);
    return TWINSET_OK;
}

int tw_winnow(void *context, const tw_shingles *batch)
{
    tw_winnower *winnower = context;
    winnower->ids.count = 0;
    int status = tw_append_ids(&winnower->ids, batch);
    for (size_t i = 0; i < winnower->ids.count && status == TWINSET_OK; i++)
        status = tw_winnow_word(winnower, winnower->ids.data[i]);
    return status;
}
