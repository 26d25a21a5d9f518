"""The steps of a scan by lsh, for engines that run on many machines: twinset.spark, twinset.beam.

Each step is a function over Arrow record batches that stores nothing between calls, so that an
engine may run it anywhere, and again after a failure. The engine brings rows together: by hash, and
sorted where a step says so. docs/cluster.md describes all steps.

    settings.py    the settings of all steps
    documents.py   texts to identities and buckets
    originals.py   identities to originals and copies
    candidates.py  buckets to candidate pairs
    needs.py       each candidate pair once, and the texts that it needs
    verify.py      candidates and their texts to pairs
    clusters.py    pairs to clusters
    decide.py      the documents that are kept of a cluster
    spans.py       the spans that are cut from kept texts
    alone.py       all steps in a single task, for a small collection
    lines.py       pairs as lines
    columns.py     rows and lists without an object for each
    spill.py       batches in temporary files
    transport.py   lists as strings, for engines that are slow with lists

The results are those of `twinset scan --method lsh`, byte for byte, however rows are distributed.
The package needs pyarrow and numpy.
"""
