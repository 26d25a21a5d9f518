"""datasketch 1 and 2: character 9-shingles, MinHash and MinHashLSH with their defaults.

PEER_HASH=xxhash uses xxhash in place of SHA-1, as its documentation advises for speed.
"""
import os

import records
from datasketch import MinHash, MinHashLSH

options = {}
if os.environ.get("PEER_HASH") == "xxhash":
    import xxhash
    options["hashfunc"] = xxhash.xxh32_intdigest

blank = MinHash(num_perm=records.HASHES, **options)


def shingle(text):
    return [shingle.encode() for shingle in set(records.characters(text))]


def sketch(shingles):
    """Makes permutations once, as MinHash.generator does."""
    minhash = blank.copy()
    minhash.update_batch(shingles)
    return minhash


def dedup(*paths):
    lsh = MinHashLSH(threshold=records.THRESHOLD, num_perm=records.HASHES)

    def find_or_keep(name, text):
        minhash = sketch(shingle(text))
        found = lsh.query(minhash)
        if found:
            return found[0]
        lsh.insert(name, minhash, check_duplication=False)
        return None

    records.dedup(find_or_keep, *paths)


records.main(dedup, lambda path: records.measure(path, shingle, sketch))
