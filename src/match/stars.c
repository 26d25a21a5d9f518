/*
 * Buckets over the limit. Each of their documents is proposed with the bucket's lowest few, the
 * star centres. Near-copies meet in most bands, mostly with the same centres, so this is not done
 * band by band: once all such buckets are known, one pass over the documents gathers the centres of
 * each document from all bands. A million near-copies then give some 20 million pairs, not 20
 * million for each band.
 *
 * Cost: one probe of a hash table for each key, and 1 ns for each centre that it leads to.
 */
#include "candidate_search.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_KEYS = 1 << 17, LEAST_CHUNK = 64, MOST_CHUNK = 1 << 12 };

/* ---- the list of stars */

int tw_stars_add(tw_stars *stars, tw_star star, const uint32_t *centres)
{
    size_t before = stars->centre_count;
    int status = TW_GROW(stars->data, stars->capacity, stars->count + 1);
    if (status == TWINSET_OK)
        status = TW_GROW(stars->centres, stars->centre_capacity, before + star.centre_count);
    if (status != TWINSET_OK)
        return status;
    memcpy(stars->centres + before, centres, star.centre_count * sizeof *centres);
    stars->centre_count += star.centre_count;
    star.first_centre = before;
    stars->data[stars->count++] = star;
    return TWINSET_OK;
}

void tw_stars_free(tw_stars *stars)
{
    tw_free(stars->data);
    tw_free(stars->centres);
}

static int compare_stars(const void *left, const void *right)
{
    const tw_star *x = left, *y = right;
    if (x->band != y->band)
        return x->band < y->band ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* ---- the stars of a document */

typedef struct star_worker {
    tw_pair_batch out;
    uint64_t *keys; /* of a chunk of documents, band after band; and a chunk to read into */
    uint32_t *met;  /* the index, plus 1, of the latest document that met each centre */
} star_worker;

typedef struct star_search {
    const tw_candidate_rules *rules;
    tw_stars *stars;   /* their centres are indexes of `numbers` here */
    uint32_t *numbers; /* of all centres, each once, ascending */
    size_t number_count;
    uint32_t *table; /* hash table: from a key to a star, counted from 1 */
    size_t mask;
    unsigned *bands; /* those that have stars */
    unsigned band_count;
    size_t chunk; /* documents that are read at once */
    star_worker *workers;
} star_search;

static size_t slot_of(const star_search *search, uint64_t key, unsigned band)
{
    return (size_t)(key + band) & search->mask;
}

static const tw_star *find_star(const star_search *search, uint64_t key, unsigned band)
{
    for (size_t at = slot_of(search, key, band); search->table[at]; at = (at + 1) & search->mask) {
        const tw_star *star = &search->stars->data[search->table[at] - 1];
        if (star->key == key && star->band == band)
            return star;
    }
    return NULL;
}

/* Proposes the document with this index in the key store, whose number is given, with the centres
 * below it that it has not met yet. */
static void propose_with_star(const star_search *search, star_worker *self, const tw_star *star,
                              uint32_t index, uint32_t number)
{
    const uint32_t *centres = search->stars->centres + star->first_centre;
    for (unsigned i = 0; i < star->centre_count; i++) {
        uint32_t centre = search->numbers[centres[i]];
        if (centre >= number)
            break;
        if (self->met[centres[i]] != index + 1)
            tw_pair_batch_propose(&self->out, centre, number);
        self->met[centres[i]] = index + 1;
    }
}

/* Reads the keys of all bands that have stars, for as many documents as lie together. */
static size_t read_keys(const star_search *search, star_worker *self, size_t first, size_t most)
{
    size_t count = 0;
    for (unsigned i = 0; i < search->band_count && self->out.status == TWINSET_OK; i++)
        self->out.status =
            tw_key_store_read(search->rules->keys, search->bands[i], first, most,
                              self->keys + i * search->chunk, &count, &self->out.error);
    return self->out.status == TWINSET_OK ? count : 0;
}

static int search_chunk(void *context, unsigned worker, size_t chunk)
{
    const star_search *search = context;
    star_worker *self = &search->workers[worker];
    const uint32_t *numbers = search->rules->number;
    size_t first = chunk * search->chunk, left = search->chunk, count;
    while (left > 0 && (count = read_keys(search, self, first, left)) > 0) {
        for (size_t i = 0; i < count; i++) {
            uint32_t index = (uint32_t)(first + i), number = numbers ? numbers[index] : index;
            for (unsigned band = 0; band < search->band_count && number != UINT32_MAX; band++) {
                const tw_star *star =
                    find_star(search, self->keys[band * search->chunk + i], search->bands[band]);
                if (star)
                    propose_with_star(search, self, star, index, number);
            }
        }
        first += count;
        left -= count;
    }
    return tw_pair_batch_flush(&self->out);
}

/* ---- before and after */

/* Replaces the centres of all stars by indexes of a list without repetitions, so that a worker
 * needs one element for each different centre. */
static int index_centres(star_search *search)
{
    tw_stars *stars = search->stars;
    size_t count = stars->centre_count;
    uint64_t *sorted = tw_array(count, 2 * sizeof *sorted);
    search->numbers = tw_array(count, sizeof *search->numbers);
    if (!sorted || !search->numbers) {
        tw_free(sorted);
        return TWINSET_NOMEM;
    }
    for (size_t i = 0; i < count; i++)
        sorted[i] = (uint64_t)stars->centres[i] << 32 | i;
    tw_sort_u64(sorted, count, sorted + count);
    for (size_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)(sorted[i] >> 32);
        if (i == 0 || number != search->numbers[search->number_count - 1])
            search->numbers[search->number_count++] = number;
        stars->centres[(uint32_t)sorted[i]] = (uint32_t)(search->number_count - 1);
    }
    tw_free(sorted);
    return TWINSET_OK;
}

static int make_table(star_search *search)
{
    const tw_stars *stars = search->stars;
    size_t size = 64;
    while (size < 4 * stars->count)
        size *= 2;
    search->mask = size - 1;
    search->table = tw_calloc(size, sizeof *search->table);
    search->bands = tw_array(search->rules->bands, sizeof *search->bands);
    if (!search->table || !search->bands)
        return TWINSET_NOMEM;
    for (uint32_t i = 0; i < stars->count; i++) {
        unsigned band = stars->data[i].band;
        size_t at = slot_of(search, stars->data[i].key, band);
        while (search->table[at])
            at = (at + 1) & search->mask;
        search->table[at] = i + 1;
        if (search->band_count == 0 || search->bands[search->band_count - 1] != band)
            search->bands[search->band_count++] = band;
    }
    return TWINSET_OK;
}

static int make_workers(star_search *search, unsigned threads, tw_number_set *pairs)
{
    size_t chunk = CHUNK_KEYS / search->band_count;
    search->chunk = chunk < LEAST_CHUNK ? LEAST_CHUNK : chunk > MOST_CHUNK ? MOST_CHUNK : chunk;
    search->workers = tw_calloc(threads, sizeof *search->workers);
    if (!search->workers)
        return TWINSET_NOMEM;
    for (unsigned i = 0; i < threads; i++) {
        star_worker *self = &search->workers[i];
        int status = tw_pair_batch_init(&self->out, search->rules, pairs, i);
        self->keys = tw_array(search->chunk * (search->band_count + 1), sizeof *self->keys);
        self->met = tw_calloc(search->number_count, sizeof *self->met);
        if (status != TWINSET_OK || !self->keys || !self->met)
            return TWINSET_NOMEM;
    }
    return TWINSET_OK;
}

/* Frees everything; the error of the first worker that failed goes to `error`. */
static void free_search(star_search *search, unsigned threads, twinset_error *error)
{
    for (unsigned i = search->workers ? threads : 0; i-- > 0;) {
        star_worker *self = &search->workers[i];
        if (error && self->out.status != TWINSET_OK)
            *error = self->out.error;
        tw_pair_batch_free(&self->out);
        tw_free(self->keys);
        tw_free(self->met);
    }
    tw_free(search->workers);
    tw_free(search->bands);
    tw_free(search->table);
    tw_free(search->numbers);
}

int tw_stars_propose(tw_stars *stars, const tw_candidate_rules *rules, const tw_loop *loop,
                     tw_number_set *pairs, twinset_error *error)
{
    if (stars->count == 0)
        return TWINSET_OK;
    star_search search = {.rules = rules, .stars = stars};
    qsort(stars->data, stars->count, sizeof *stars->data, compare_stars);
    int status = index_centres(&search);
    if (status == TWINSET_OK)
        status = make_table(&search);
    if (status == TWINSET_OK)
        status = make_workers(&search, loop->threads, pairs);
    if (status != TWINSET_OK) {
        free_search(&search, loop->threads, NULL);
        return tw_nomem(error);
    }
    size_t chunks = (tw_key_store_count(rules->keys) + search.chunk - 1) / search.chunk;
    status = tw_parallel(loop, chunks, search_chunk, &search);
    free_search(&search, loop->threads, error);
    for (size_t i = 0; i < stars->count && status == TWINSET_OK; i++)
        status = rules->hot(rules->context, stars->data[i].band, stars->data[i].first,
                            stars->data[i].documents);
    return status;
}
