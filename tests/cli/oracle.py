"""The expected results of twinset, computed by brute force.

The rules for text and every number of a result are written again from their description, without
code of the engine: all pairs are compared, as Python sets of shingles. This is fast enough for a
few hundred small documents.

Python has Unicode 14, the engine a later version: texts must be valid in both.
"""
import hashlib
import math
import os
import random
import statistics
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

# ---- text

WHITE_SPACE = {
    *range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F,
    0x205F, 0x3000,
}
DEFAULT_IGNORABLE = {
    0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810),
    *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164,
    *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0, *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4),
    *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000),
}
# Thai, Han and Kana, whose words are not separated by spaces.
UNSPACED = [
    (0x0E01, 0x0E4E), (0x3005, 0x3007), (0x3021, 0x3029), (0x3041, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0xFF66, 0xFF9D), (0x1AFF0, 0x1B16F),
    (0x20000, 0x323AF),
]
BYTE_ORDER_MARKS = [
    (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe\0\0", "utf-32-le"), (b"\0\0\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"),
]


@dataclass
class Rules:
    """Options that change a result, by their names on the command line."""
    by: str = "char"
    k: int = 0
    case: str = "fold"
    spaces: str = "squeeze"
    punctuation: str = "keep"
    stop: list = field(default_factory=list)  # lines of the file
    threshold: float = 0.5
    measure: str = "jaccard"
    bag: bool = False
    common: float = 1.0

    def __post_init__(self):
        self.k = self.k or (5 if self.by == "word" else 9)


def decode(raw):
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return raw[len(mark):].decode(encoding, "replace")
    return raw.decode("utf-8", "replace")


def fold(text):
    """Unicode's toNFKC_Casefold."""
    while True:
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKD", text).casefold())
        if folded == text:
            return text
        text = folded


def normalise(text, rules):
    """The normal form of a text, before it is divided into tokens. White space is unchanged."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = "".join(c for c in text if ord(c) not in DEFAULT_IGNORABLE)
    text = fold(text) if rules.case == "fold" else unicodedata.normalize("NFC", text)
    if rules.punctuation != "keep":
        instead = " " if rules.punctuation == "space" else ""
        text = "".join(instead if unicodedata.category(c)[0] in "PS" else c for c in text)
    if rules.by == "word" or rules.spaces != "keep":
        text = "".join(" " if ord(c) in WHITE_SPACE else c for c in text)
    return text


def is_unspaced(c):
    return any(low <= ord(c) <= high for low, high in UNSPACED)


def split_words(text):
    """Pairs (segment, whether it is a word), whose segments joined are the text."""
    segments = []
    for c in text:
        is_word = unicodedata.category(c)[0] in "LMN"
        alone = not is_word or is_unspaced(c)
        if segments and not alone and segments[-1][1] and not segments[-1][2]:
            segments[-1][0] += c
        else:
            segments.append([c, is_word, alone])
    return [(segment, is_word) for segment, is_word, _ in segments]


def stops(word, patterns):
    return any(len(word) == len(pattern) and all(p in ("?", c) for p, c in zip(pattern, word))
               for pattern in patterns)


def tokens(text, rules):
    text = normalise(text, rules)
    if rules.by == "char" and not rules.stop:
        return list(space(text, rules))
    keep = Rules(by=rules.by, case=rules.case, spaces=rules.spaces)
    patterns = [normalise(line.rstrip(), keep) for line in rules.stop if line[:1] != "#"]
    kept = [(segment, is_word) for segment, is_word in split_words(text)
            if not (is_word and stops(segment, patterns))]
    if rules.by == "word":
        return [segment for segment, is_word in kept if is_word]
    return list(space("".join(segment for segment, _ in kept), rules))


def space(text, rules):
    if rules.spaces == "keep":
        return text
    return (" " if rules.spaces == "squeeze" else "").join(filter(None, text.split(" ")))


def shingles(words, rules):
    """Shingles in the order of the text. A text of fewer than k tokens is one shingle."""
    glue = " " if rules.by == "word" else ""
    if len(words) < rules.k:
        return [glue.join(words)] if words else []
    return [glue.join(words[i:i + rules.k]) for i in range(len(words) - rules.k + 1)]


# ---- documents

@dataclass
class Document:
    name: str
    raw: bytes
    role: str = "new"  # or old, like, ignore
    group: str = ""


def find(path, role="new"):
    """The documents of a file or a folder, each with its submission."""
    if os.path.isfile(path):
        return [Document(path, read(path), role, os.path.dirname(path))]
    found = []
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if name[0] != "."]
        for name in names:
            file = os.path.join(folder, name)
            below = os.path.relpath(file, path)
            group = os.path.join(path, below.split("/")[0]) if "/" in below else ""
            if name[0] != ".":
                found.append(Document(file, read(file), role, group))
    return found


def read(path):
    with open(path, "rb") as file:
        return file.read()


# ---- results

@dataclass
class Prepared:
    document: Document
    tokens: list
    sequence: list  # of shingles
    elements: Counter = None  # shingles that are not excluded; in a set every count is 1
    letters: str = ""  # the sequence, a letter for each shingle


def prepare(documents, rules):
    """Prepares documents in the order of their names, without empty ones."""
    whole, excluded = [], set()
    for document in sorted(documents, key=lambda document: os.fsencode(document.name)):
        words = tokens(decode(document.raw), rules)
        sequence = shingles(words, rules)
        if document.role == "ignore":
            excluded.update(sequence)
        elif words:
            whole.append(Prepared(document, words, sequence))
    spread = Counter(s for entry in whole for s in set(entry.sequence) - excluded)
    excluded |= {s for s, n in spread.items() if Fraction(n, len(whole)) > exact(rules.common)}
    for entry in whole:
        kept = [s for s in entry.sequence if s not in excluded]
        entry.elements = Counter(kept if rules.bag else set(kept))
    spell(whole, excluded)
    return whole


def spell(whole, excluded):
    """Spells documents as strings. An excluded shingle becomes a distinct letter in each
    document."""
    numbers = {}
    for i, entry in enumerate(whole):
        entry.letters = "".join(
            chr(0x10000 + (i if s in excluded
                           else len(whole) + numbers.setdefault(s, len(numbers))))
            for s in entry.sequence)


def exact(number):
    """The exact value of a decimal number."""
    return Fraction(repr(number))


def weights_of(prepared):
    """The weights of elements, the n-th occurrences of shingles: the fewer documents have an
    element, the more it weighs."""
    spread = Counter((s, n) for entry in prepared for s, count in entry.elements.items()
                     for n in range(count))
    documents = len(prepared)
    return {element: round(65536 * math.log1p(documents / having))
            for element, having in spread.items()}


def weigh(elements, weights):
    return sum(weights[s, n] for s, count in elements.items() for n in range(count))


def similarity(a, b, rules, weights):
    """The similarity as a fraction; 0 if nothing is shared."""
    if a.tokens == b.tokens:
        return Fraction(1)
    shared = a.elements & b.elements
    if not shared:
        return Fraction(0)
    if rules.measure == "weighted":
        return Fraction(weigh(shared, weights), weigh(a.elements | b.elements, weights))
    if rules.measure == "containment":
        return Fraction(shared.total(), min(a.elements.total(), b.elements.total()))
    return Fraction(shared.total(), (a.elements | b.elements).total())


def longest_run(a, b):
    """The length of the longest common run of two strings."""
    best = 0
    for start in range(len(a)):
        while start + best < len(a) and a[start:start + best + 1] in b:
            best += 1
    return best


def longest_passage(a, b, rules):
    """Tokens in the longest run of shared shingles without an excluded one."""
    run = longest_run(*sorted((a.letters, b.letters), key=len))
    return run and min(run + rules.k - 1, len(a.tokens))


def is_wanted(a, b, any_like):
    roles = {a.role, b.role}
    if roles == {"old"} or (any_like and "like" not in roles):
        return False
    return not a.group or a.group != b.group


def agreeing(a, b):
    """The number of slots of two signatures that are equal and not empty."""
    return sum(x == y != 0xFFFFFFFF for x, y in zip(a, b))


def agreement(a, b):
    return agreeing(a, b) / len(a)


def describe(a, b, rules, weights, signatures=None):
    """All fields of a pair, except its cluster."""
    same = a.tokens == b.tokens
    shared, union = (a.elements & b.elements).total(), (a.elements | b.elements).total()
    a_size, b_size = a.elements.total(), b.elements.total()
    names = a.document.name, b.document.name
    return {
        "a": names[0],
        "b": names[1],
        "similarity": float(similarity(a, b, rules, weights)),
        "jaccard": 1.0 if same else shared / union if union else 0.0,
        "containment_a": 1.0 if same else shared / a_size if a_size else 0.0,
        "containment_b": 1.0 if same else shared / b_size if b_size else 0.0,
        "shared": shared,
        "union": union,
        "estimate": agreement(*(signatures[name] for name in names)) if signatures else None,
        "longest": longest_passage(a, b, rules),
    }


def scan(documents, rules, signatures=None, is_candidate=None):
    """Pairs and clusters as the json format has them. With `is_candidate`, a predicate on two
    signatures, only pairs that it accepts are found, and identical texts."""
    prepared = prepare(documents, rules)
    weights = weights_of(prepared)
    any_like = any(entry.document.role == "like" for entry in prepared)
    threshold = exact(rules.threshold)
    pairs, joined = [], []
    for i, a in enumerate(prepared):
        for j in range(i + 1, len(prepared)):
            b = prepared[j]
            value = similarity(a, b, rules, weights)
            if not value or value < threshold or not is_wanted(a.document, b.document, any_like):
                continue
            if is_candidate and a.tokens != b.tokens and not is_candidate(
                    signatures[a.document.name], signatures[b.document.name]):
                continue
            pairs.append(describe(a, b, rules, weights, signatures))
            joined.append((i, j))
    clusters = find_clusters(prepared, joined, rules, weights)
    number = {name: cluster["id"] for cluster in clusters for name in cluster["members"]}
    for pair in pairs:
        pair["cluster"] = number[pair["a"]]
    pairs.sort(key=lambda pair: (-pair["similarity"], os.fsencode(pair["a"]),
                                 os.fsencode(pair["b"])))
    return {"documents": len(prepared), "names": [entry.document.name for entry in prepared],
            "pairs": pairs, "clusters": clusters}


def find_clusters(prepared, joined, rules, weights):
    members = {i: [i] for i in range(len(prepared))}
    for i, j in joined:
        if members[i] is not members[j]:
            both = members[i] + members[j]
            for k in both:
                members[k] = both
    groups = sorted({tuple(sorted(group)) for group in members.values() if len(group) > 1},
                    key=lambda group: (-len(group), group))
    return [describe_cluster(number, [prepared[i] for i in group], rules, weights)
            for number, group in enumerate(groups, 1)]


def describe_cluster(number, members, rules, weights):
    table = [[similarity(a, b, rules, weights) for b in members] for a in members]
    scores = [sum(row) for row in table]
    return {
        "id": number,
        "size": len(members),
        "members": [entry.document.name for entry in members],
        "representative": members[scores.index(max(scores))].document.name,
        "min_similarity": float(min(min(row) for row in table)),
    }


# ---- programs

def program_words(tokens):
    """The first, second, fourth, eighth... occurrence of each token, except punctuation."""
    times = Counter(token for token in tokens if token not in set(";(){},[]."))
    return {("word", token, 2**n) for token, count in times.items()
            for n in range(count.bit_length())}


def program_structure(tokens, k=8):
    """Every k tokens in a row: the first, second, fourth, eighth... occurrence. One that begins
    less than 32 tokens after the last occurrence does not count."""
    times, last = Counter(), {}
    for i in range(len(tokens) - k + 1):
        shingle = tuple(tokens[i:i + k])
        times[shingle] += i - last.get(shingle, -32) >= 32
        last[shingle] = i
    return {("tokens", shingle, 2**n) for shingle, count in times.items()
            for n in range(count.bit_length())}


def weigh_program_shingles(programs):
    """Weights by docs/programs.md: a shingle that no third program has weighs 1, a word 1.6."""
    count, having = len(programs), Counter(s for shingles in programs for s in shingles)

    def rarity(n):
        return 1 if n < 3 else math.log((count + 1) / (n - 1)) / math.log(count + 1)
    return {s: rarity(n) + (0.6 if s[0] == "word" else 0) for s, n in having.items()
            if count < 20 or n <= 0.9 * count}, having


def program_similarities(programs):
    """The similarity of every two sets of shingles, by their indexes."""
    weights, having = weigh_program_shingles(programs)
    programs = [shingles & weights.keys() for shingles in programs]
    sizes = [sum(weights[s] for s in shingles) for shingles in programs]
    count, mean = len(programs), sum(sizes) / len(programs)

    shared = {(a, b): sum(weights[s] for s in programs[a] & programs[b])
              for a in range(count) for b in range(count) if a != b}
    usual = [statistics.median(shared[a, b] / min(sizes[a], sizes[b])
                               for b in range(count) if b != a) for a in range(count)]

    def by_chance(a, b):
        others = sum(weights[s] * (having[s] - 1 - (s in programs[b])) for s in programs[a])
        return others / (count - 2 + 5) * sizes[b] / mean

    def similarity(a, b):
        both, smaller = shared[a, b], min(sizes[a], sizes[b])
        union = sizes[a] + sizes[b] - both
        chance = min(by_chance(a, b), by_chance(b, a))
        if count >= 10:
            chance = min(chance, usual[a] * smaller, usual[b] * smaller)
        chance += 5 * 0.2 * smaller / (count - 2 + 5)
        chance = min(1.25 * chance, both)
        whole = (both - chance) / (union - chance)
        excess = (both - chance) / (min(smaller + 10, union) - chance)
        return (whole + min(excess / 0.25, 1)) / 2
    return {(a, b): similarity(a, b) for a in range(count) for b in range(a)}


# ---- bands

def shares_band(a, b, bands, rows):
    return any(a[i:i + rows] == b[i:i + rows] for i in range(0, bands * rows, rows))


# ---- signatures of the schemes that other programs define

def md5_signature(sequence, hashes):
    """--scheme md5 --shingle-hash md5: slot i is the least MD5 of i and the shingle's MD5."""
    def number(data, size):
        return int.from_bytes(hashlib.md5(data).digest()[:size], "little")

    values = {number(shingle.encode(), 8) for shingle in sequence}
    return [min(number(f"{slot}{value}".encode(), 4) for value in values)
            for slot in range(hashes)]


def datasketch1_signature(sequence, hashes, seed=1):
    """(a x + b) mod 2^61 - 1 with a, b from MT19937, over the first bytes of SHA-1."""
    state = [seed]
    for i in range(1, 624):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + i) % 2**32)
    generator = random.Random()
    generator.setstate((3, (*state, 624), None))
    prime = 2**61 - 1

    def below(limit):
        while True:
            drawn = (generator.getrandbits(32) << 32 | generator.getrandbits(32)) & prime
            if drawn < limit:
                return drawn

    values = {int.from_bytes(hashlib.sha1(shingle.encode()).digest()[:4], "little")
              for shingle in sequence}
    functions = [(1 + below(prime - 1), below(prime)) for _ in range(hashes)]
    return [min((a * x + b) % 2**64 % prime % 2**32 for x in values) for a, b in functions]
