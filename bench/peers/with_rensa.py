"""rensa: R-MinHash of all shingles, and its deduplicator with LSH, as its README shows.

PEER_SHINGLES=words uses 5 words in place of 9 characters.
"""
import os

import records
from rensa import RMinHash, RMinHashDeduplicator

shingle = records.words if os.environ.get("PEER_SHINGLES") == "words" else records.characters


def sketch(shingles):
    minhash = RMinHash(num_perm=records.HASHES, seed=42)
    minhash.update(shingles)
    return minhash


def dedup(source, kept, removed):
    deduplicator = RMinHashDeduplicator(records.THRESHOLD, records.HASHES, True)
    flags = deduplicator.add_pairs((name, shingle(text)) for _, name, text in records.read(source))
    with open(kept, "w", encoding="utf-8") as out, open(removed, "w", encoding="utf-8") as gone:
        for keep, (line, name, _) in zip(flags, records.read(source)):
            if keep:
                out.write(line)
            else:
                gone.write(f"{name}\n")


records.main(dedup, lambda path: records.measure(path, shingle, sketch))
