"""`sketch`: signatures, as other programs read them."""
import json
import struct
import unittest

import corpus
import oracle
from command import Case

SCHEMES = ["fss", "affine", "modular", "jenkins", "md5", "datasketch1", "datasketch2"]


class Sketch(Case):
    def sketch(self, *arguments):
        return [json.loads(line)
                for line in self.succeed("sketch", *arguments).text.splitlines()]

    def write_mixed(self):
        for name, text in corpus.mixed_texts(families=1).items():
            self.write("docs/" + name, text)

    def test_the_published_vector_of_datasketch(self):
        """MinHash(num_perm=4, seed=1).update(b"Hello") of datasketch 1.x."""
        self.write("hello", "Hello")
        self.assertEqual(
            self.sketch("hello", "--scheme", "datasketch1", "-n", "4", "--by", "char", "-k", "5",
                        "--case", "keep"),
            [{"id": "hello", "scheme": "datasketch1", "seed": 1, "shingles": 1,
              "signature": [734825475, 960773806, 359816889, 342714745]}])

    def check_signatures(self, signature, *options):
        self.write_mixed()
        rules = oracle.Rules(k=5)
        lines = self.sketch("docs", "-k", "5", "-n", "9", *options)
        documents = sorted(oracle.find(self.path("docs")), key=lambda document: document.name)
        self.assertEqual([self.path(line["id"]) for line in lines],
                         [document.name for document in documents])
        for line, document in zip(lines, documents):
            sequence = oracle.shingles(oracle.tokens(oracle.decode(document.raw), rules), rules)
            self.assertEqual(line["shingles"], len(set(sequence)))
            if len(sequence) < 5000:
                self.assertEqual(line["signature"], signature(sequence, 9), line["id"])

    def test_datasketch1_is_as_described(self):
        self.check_signatures(oracle.datasketch1_signature, "--scheme", "datasketch1")
        self.check_signatures(lambda sequence, n: oracle.datasketch1_signature(sequence, n, 42),
                              "--scheme", "datasketch1", "--seed", "42")

    def test_md5_is_as_described(self):
        self.check_signatures(oracle.md5_signature, "--scheme", "md5", "--shingle-hash", "md5")

    def test_schemes_and_seeds_differ(self):
        self.write("text", "a text of some length, long enough for a few shingles")
        seen = set()
        for scheme in SCHEMES:
            for seed in ("1", "2", "4294967295"):
                line, = self.sketch("text", "--scheme", scheme, "--seed", seed)
                self.assertEqual((line["scheme"], line["seed"], len(line["signature"])),
                                 (scheme, int(seed), 256))
                self.assertTrue(all(0 <= slot < 2**32 for slot in line["signature"]))
                if scheme != "md5":  # it has no seed
                    seen.add(tuple(line["signature"]))
        self.assertEqual(len(seen), 3 * (len(SCHEMES) - 1))

    def test_binary_has_the_values_of_jsonl(self):
        self.write_mixed()
        lines = self.sketch("docs", "-n", "33")
        self.succeed("sketch", "docs", "-n", "33", "--format", "binary", "-o", "out.sig")
        data = oracle.read(self.path("out.sig"))
        self.assertEqual(self.succeed("sketch", "docs", "-n", "33", "--format", "binary").out, data)
        magic, version, hashes, count, parameters, *parts = struct.unpack_from("<8sIIQQQQQQ", data)
        self.assertEqual((magic, version, hashes, count), (b"TWSKETCH", 1, 33, len(lines)))
        self.assertTrue(all(part % 64 == 0 for part in parts))
        self.assertEqual(json.loads(data[64:64 + parameters])["hashes"], 33)
        slots, shingles, offsets, names = parts
        starts = struct.unpack_from(f"<{count + 1}q", data, offsets)
        found = [{"id": data[names + starts[i]:names + starts[i + 1]].decode(),
                  "scheme": "fss", "seed": 1,
                  "shingles": struct.unpack_from("<Q", data, shingles + 8 * i)[0],
                  "signature": list(struct.unpack_from("<33I", data, slots + 4 * 33 * i))}
                 for i in range(count)]
        self.assertEqual(found, lines)
        self.check_trailer(data, starts[-1])

    def check_trailer(self, data, names_length):
        length, size, checksum, magic = struct.unpack("<QQQ8s", data[-32:])
        state = 14695981039346656037
        for byte in data[:-16]:
            state = (state ^ byte) * 1099511628211 % 2**64
        self.assertEqual((length, size, checksum, magic),
                         (names_length, len(data), state, b"TWSKETCH"))

    def test_a_document_of_a_template_has_the_empty_signature(self):
        """A document that is all template has the empty signature."""
        self.write("text", "all of this is in the handout")
        self.write("handout", "all of this is in the handout")
        line, = self.sketch("text", "--ignore", "handout", "-n", "3")
        self.assertEqual((line["shingles"], line["signature"]), (0, [2**32 - 1] * 3))


if __name__ == "__main__":
    unittest.main()
