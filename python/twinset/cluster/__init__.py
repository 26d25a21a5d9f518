"""A scan by lsh in pieces, for engines that run on many machines: twinset.spark, twinset.beam.

Each piece is a function over Arrow record batches that keeps nothing from one call to the next,
so that an engine may run it anywhere, and again after a failure. What an engine has to do is to
bring rows together: by hash, and sorted where it says so. docs/cluster.md has the whole way.

    settings.py    what all pieces go by
    documents.py   texts to identities and buckets
    originals.py   identities to originals and copies
    candidates.py  who meets whom in buckets
    needs.py       each pair once: who is needed where
    verify.py      candidates and their texts to pairs
    clusters.py    what pairs join
    decide.py      what is kept of it
    alone.py       all of it at once, where it fits into one task
    lines.py       pairs as lines
    columns.py     rows and lists without an object for each
    spill.py       what does not fit into memory
    transport.py   lists as strings, for engines that are slow with lists

The answers are those of `twinset scan --method lsh`, byte for byte, however the rows are dealt
out. pyarrow and numpy are needed.
"""
