"""gaoya's Python package, with its own character 9-shingles and its own choice of bands."""
import records
from gaoya.minhash import MinHashStringIndex


def dedup(source, kept, removed):
    """Indexes and queries all records at once, on all cores. A record is removed if an earlier
    kept record is similar."""
    lines, names, texts = zip(*records.read(source))
    texts = [records.normal(text) for text in texts]
    index = MinHashStringIndex(hash_size=32, jaccard_threshold=records.THRESHOLD, num_bands=None,
                               band_size=None, num_hashes=records.HASHES, analyzer="char",
                               ngram_range=(9, 9), id_container="smallvec")
    numbers = list(range(len(texts)))
    index.par_bulk_insert_docs(numbers, texts)
    gone = set()
    with open(kept, "w", encoding="utf-8") as out, open(removed, "w", encoding="utf-8") as list_:
        for number, found in enumerate(index.par_bulk_query(texts)):
            earlier = [i for i in found if i < number and i not in gone]
            if earlier:
                gone.add(number)
                list_.write(f"{names[number]}\t{names[min(earlier)]}\n")
            else:
                out.write(lines[number])


records.main(dedup)
