/*
 * Winnowing. Hashes of words in a row are polynomials that roll from word to word. The least hash
 * of the last few is at the front of a queue whose hashes ascend: what a lower hash follows can
 * never become the least. Of equal hashes the chosen one stays as long as it is in the window, so
 * that a text that repeats one word gives few fingerprints.
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
    uint64_t mask;                     /* of indices into the two rings that follow */
    uint64_t *recent;                  /* the ids of the last words, by position */
    candidate *queue;                  /* ascending by hash and position */
    rolling_hash run, fingerprint;
    /* The current document. */
    bool every_run;
    tw_word_run_fn take;
    void *context;
    uint64_t position, start; /* of the next word; of the first after the last seam */
    uint64_t front, back;     /* of the queue */
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
    while (size <= run_words) /* a fingerprint is queued before one of a whole run leaves */
        size *= 2;
    made->mask = size - 1;
    made->recent = tw_array(size, sizeof *made->recent);
    made->queue = tw_array(size, sizeof *made->queue);
    if (made->recent && made->queue)
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
    tw_free(winnower->queue);
    tw_free(winnower);
}

/* ---- a document */

/* Forgets the words so far: the next one starts a run. */
static void restart(tw_winnower *winnower)
{
    winnower->start = winnower->position;
    winnower->run.sum = winnower->fingerprint.sum = 0;
    winnower->front = winnower->back = 0;
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

static candidate *queue_at(tw_winnower *winnower, uint64_t index)
{
    return &winnower->queue[index & winnower->mask];
}

/* Queues the fingerprint that ends with the last word, and drops what can be chosen no more. */
static void queue_fingerprint(tw_winnower *winnower)
{
    candidate made = {finish(winnower->fingerprint.sum), winnower->position - winnower->words};
    while (winnower->back > winnower->front &&
           queue_at(winnower, winnower->back - 1)->hash >= made.hash)
        winnower->back--;
    *queue_at(winnower, winnower->back++) = made;
    if (queue_at(winnower, winnower->front)->position + winnower->window <= made.position)
        winnower->front++;
}

/* Chooses the fingerprint of the run that ends with the last word; whether it is another one than
 * before. */
static bool choose(tw_winnower *winnower)
{
    const candidate *least = queue_at(winnower, winnower->front);
    uint64_t first = winnower->position - winnower->run_words;
    if (winnower->has_chosen && winnower->chosen.hash == least->hash &&
        winnower->chosen.position >= first)
        return false;
    winnower->chosen = *least;
    winnower->has_chosen = true;
    return true;
}

/* The id of one of the last run_words words. */
static uint64_t recent_word(const tw_winnower *winnower, uint64_t position)
{
    return winnower->recent[position & winnower->mask];
}

/* Takes the next word. */
static int take_word(tw_winnower *winnower, uint64_t id)
{
    uint64_t known = winnower->position - winnower->start;
    uint64_t at = winnower->position;
    add_word(&winnower->run, id);
    add_word(&winnower->fingerprint, id);
    if (known >= winnower->run_words)
        drop_word(&winnower->run, recent_word(winnower, at - winnower->run_words));
    if (known >= winnower->words)
        drop_word(&winnower->fingerprint, recent_word(winnower, at - winnower->words));
    winnower->recent[at & winnower->mask] = id;
    winnower->position++;
    if (known + 1 >= winnower->words)
        queue_fingerprint(winnower);
    if (known + 1 < winnower->run_words)
        return TWINSET_OK;
    bool is_new = choose(winnower);
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
