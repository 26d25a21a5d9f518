"""Signatures of twinset.beam, whole and of the chunks of large documents."""

import random

import pytest
from beam_runs import beam, records  # skips these tests without Beam
from spread import SEED, documents, text
from twinset import _core
from twinset.beam import MergeSignatures, Signatures
from twinset.beam.signatures import cut


CUT = [{}, {"by": "word"}, {"by": "word", "k": "2"}, {"k": "1"}, {"spaces": "keep"},
       {"spaces": "drop"}, {"punctuation": "drop", "by": "word"}, {"scheme": "affine", "k": "20"}]


WHOLE = [{"bag": "1"}, {"quotations": "drop"}, {"bibliography": "drop"}]


def odd_texts():
    chance = random.Random(SEED)
    words = ["".join(chance.choices("abcdefghij,.-\"é", k=chance.randrange(1, 9)))
             for _ in range(4000)]
    yield " ".join(words)
    yield "".join(words)
    yield "  ".join(words) + " \n "
    yield "".join(chance.choices([chr(point) for point in range(0x4E00, 0x4F00)], k=9000))
    yield "".join(chance.choices(("a\u0301", "q\u0308", "\u0928\u0940", " "), k=9000))
    yield " ".join(chance.choices(("рас", "cat", "Αθηνα", "paypаl"), k=3000))  # some look alike
    yield "abc " * 1001 + "x"


@pytest.mark.parametrize("options", CUT + WHOLE, ids=str)
def test_chunks_have_the_shingles_of_the_text(options):
    sketcher, merge, most = _core.Sketcher(options), MergeSignatures(), 0
    for text in odd_texts():
        chunks = cut(text.encode(), options, 1000)
        signatures = [sketcher.text(chunk) for chunk in chunks]
        half = len(chunks) // 2
        accumulators = [merge.create_accumulator() for _ in range(2)]
        for signature in signatures[:half]:
            accumulators[0] = merge.add_input(accumulators[0], signature)
        for signature in signatures[half:]:
            accumulators[1] = merge.add_input(accumulators[1], signature)
        assert merge.extract_output(merge.merge_accumulators(accumulators)) == sketcher.text(text)
        assert max(map(len, chunks)) < 2500 or len(chunks) == 1
        most = max(most, len(chunks))
    assert most > 5 if options in CUT else most == 1


def test_signatures_of_large_documents_are_sketched_in_chunks(run):
    given = dict(documents(20))
    given["large"] = text(random.Random(SEED), 3000)
    found = run(records(given.items()), lambda all: all | Signatures(chunk=1000, k=5)
                | beam.Map(lambda row: {"id": row.id, "hex": row.signature.hex()}))
    sketcher = _core.Sketcher({"k": "5"})
    assert {row["id"]: row["hex"] for row in found} == {
        id: sketcher.text(content).hex() for id, content in given.items()
        if content is not None}
    assert len(found) == len(given) - 1
