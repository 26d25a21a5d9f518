"""Families of records, and a test case that keeps them in an index."""
import json

from command import Case

WORDS = [f"{a}{b}" for a in "ba ce di fo gu ha je ki lo mu na pe ri so tu".split()
         for b in "lan mer nor pil ras sev tim vok wun xir zab".split()]


def families(rng, count):
    """Families of similar records, some identical, some with numeric ids."""
    records = []
    while len(records) < count:
        base = [rng.choice(WORDS) for _ in range(rng.randrange(5, 90))]
        for _ in range(rng.choice([1, 1, 1, 2, 3, 5])):
            words = [rng.choice(WORDS) if rng.random() < rng.choice([0, 0.02, 0.1]) else word
                     for word in base]
            number = len(records)
            records.append({"id": number if number % 7 == 0 else f"r{number:05}",
                            "text": " ".join(words), "author": f"a{number % 40}"})
    return records[:count]


class Index(Case):
    def write_records(self, name, records):
        self.write(name, "".join(json.dumps(record) + "\n" for record in records))

    def objects(self, name):
        return [json.loads(line) for line in self.read(name).splitlines()]

    def add(self, *arguments):
        result = self.succeed("index", "add", *arguments)
        return result.text.splitlines()[-1]

    def verify(self, index, documents):
        self.assertEqual(self.succeed("index", "verify", index).text,
                         f"{documents} documents, nothing wrong\n")
