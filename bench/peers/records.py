"""Helpers of the peers in Python: they read records, and write records.

    PEER dedup IN.jsonl KEPT.jsonl REMOVED.tsv
    PEER sketch IN.jsonl
"""
import json
import re
import sys
import time

THRESHOLD = 0.8
HASHES = 128


def read(path):
    """The lines of a file, each with its id and text."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            yield line, record["id"], record["text"]


def normal(text):
    """ASCII text as twinset normalises it."""
    return " ".join(text.lower().split())


def characters(text):
    text = normal(text)
    return [text[i:i + 9] for i in range(max(len(text) - 8, 1))]


def words(text):
    found = re.findall(r"\w+", text.lower())
    return [" ".join(found[i:i + 5]) for i in range(max(len(found) - 4, 1))]


def dedup(find_or_keep, source, kept, removed):
    """Removes duplicates. find_or_keep(id, text) returns the id of a similar record, or keeps this
    one."""
    with open(kept, "w", encoding="utf-8") as out, open(removed, "w", encoding="utf-8") as gone:
        for line, name, text in read(source):
            original = find_or_keep(name, text)
            if original is None:
                out.write(line)
            else:
                gone.write(f"{name}\t{original}\n")


def megabytes_per_second(sketch, texts, inputs):
    """The speed of one core for signatures of these inputs, which are made from the texts."""
    megabytes, done, seconds = sum(len(text.encode()) for text in texts) / 1e6, 0, 0
    start = time.process_time()
    while seconds < 0.5:
        for given in inputs:
            sketch(given)
        done += megabytes
        seconds = time.process_time() - start
    return done / seconds


def measure(path, shingle, sketch):
    """Prints the speed from texts, and from shingles."""
    texts = [text for _, _, text in read(path)]
    shingled = [shingle(text) for text in texts]
    print(f"text\t{megabytes_per_second(lambda text: sketch(shingle(text)), texts, texts)}")
    print(f"shingles\t{megabytes_per_second(sketch, texts, shingled)}")


def main(on_dedup, on_sketch=None):
    task, *paths = sys.argv[1:]
    {"dedup": on_dedup, "sketch": on_sketch}[task](*paths)
