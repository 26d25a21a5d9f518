"""A scan by lsh in pieces, for engines that run on many machines.

Each piece is a function over Arrow record batches that keeps nothing from one call to the next,
so that an engine may run it anywhere, and again after a failure. What an engine has to do is to
bring rows together: by hash, and sorted where it says so.

    settings.py    what all pieces go by
    documents.py   texts to identities and buckets
    runs.py        rows of one key: copies, originals, candidates
    verify.py      candidates and their texts to pairs
    clusters.py    what pairs join
    decide.py      what is kept of it
    lines.py       pairs as lines

The answers are those of `twinset scan --method lsh`, byte for byte, however the rows are dealt
out. pyarrow is needed.
"""
