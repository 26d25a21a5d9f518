#include "stem.h"

#include <libstemmer.h>
#include <limits.h>

#include "shingle_id.h"

enum {
    CACHED = 1 << 12, /* words; frequent ones are most of a text */
    LONGEST = 64,     /* bytes: what is longer is no word that has a stem */
};

typedef struct cached_stem {
    uint64_t word, stem; /* hashes; 0: none */
} cached_stem;

struct tw_stemmer {
    struct sb_stemmer *english;
    cached_stem cache[CACHED]; /* by the hash of the word */
};

int tw_stemmer_new(tw_stemmer **stemmer)
{
    *stemmer = tw_calloc(1, sizeof **stemmer);
    if (!*stemmer)
        return TWINSET_NOMEM;
    (*stemmer)->english = sb_stemmer_new("english", "UTF_8");
    if ((*stemmer)->english)
        return TWINSET_OK;
    tw_free(*stemmer);
    *stemmer = NULL;
    return TWINSET_NOMEM;
}

void tw_stemmer_free(tw_stemmer *stemmer)
{
    if (stemmer)
        sb_stemmer_delete(stemmer->english);
    tw_free(stemmer);
}

static uint64_t nonzero(uint64_t id)
{
    return id ? id : 1;
}

int tw_stem_id(tw_stemmer *stemmer, const char *word, size_t length, uint64_t *id)
{
    uint64_t whole = nonzero(tw_shingle_id(word, length));
    cached_stem *cached = &stemmer->cache[whole % CACHED];
    *id = whole;
    if (length > LONGEST)
        return TWINSET_OK;
    if (cached->word != whole) {
        const sb_symbol *stem =
            sb_stemmer_stem(stemmer->english, (const sb_symbol *)word, (int)length);
        if (!stem)
            return TWINSET_NOMEM;
        size_t stem_length = (size_t)sb_stemmer_length(stemmer->english);
        *cached = (cached_stem){whole, nonzero(tw_shingle_id((const char *)stem, stem_length))};
    }
    *id = cached->stem;
    return TWINSET_OK;
}
