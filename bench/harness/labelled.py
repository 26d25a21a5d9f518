"""Labelled sets of programs and texts, in which copies are known.

A set has one or more collections, each compared as a whole; labels are for pairs. A collection is
copied to a layout that is the same for every tool: a folder for each language, and in it a file for
each document, or a folder if a document has several files.
"""
import csv
import itertools
import os
import shutil
from dataclasses import dataclass, field

LANGUAGES = {".c": "c", ".cpp": "cpp", ".cs": "csharp", ".d": "d", ".hs": "haskell",
             ".java": "java", ".pas": "pascal", ".dpr": "pascal", ".py": "python",
             ".py3": "python", ".txt": "text"}
LARGE = 600  # documents, which have too many pairs for a list
ENDINGS = {language: ending for ending, language in reversed(LANGUAGES.items())}


@dataclass
class Pair:
    a: str
    b: str
    is_copy: bool
    kind: str = ""


@dataclass
class Collection:
    folder: str  # LANGUAGE/DOCUMENT
    pairs: list = field(default_factory=list)
    names: dict = field(default_factory=dict)  # from the source of a document to its name here
    several: bool = False  # whether a document has several files
    copies: set = None  # two names each, for a large collection, whose other pairs are no copies

    @property
    def languages(self):
        return sorted(os.listdir(self.folder))

    @property
    def joined(self):
        """The folder in which each document is one file, for tools without documents of several."""
        return self.folder + "-joined" if self.several else self.folder

    def add(self, source, language=None):
        """Adds a file. If its language is given, its name has no extension."""
        ending = "" if language else os.path.splitext(source)[1]
        language = language or LANGUAGES[ending]
        name = f"{language}/{len(self.names):04}{ending and ENDINGS[language]}"
        os.makedirs(os.path.join(self.folder, language), exist_ok=True)
        shutil.copyfile(source, os.path.join(self.folder, name))
        self.names[source] = name

    def add_folder(self, source, ending):
        """Adds the files of a folder, in the order of their paths, as a document."""
        self.several = True
        name = f"{LANGUAGES[ending]}/{len(self.names):04}"
        one = os.path.join(self.joined, name + ending)
        os.makedirs(os.path.dirname(one), exist_ok=True)
        with open(one, "wb") as joined:
            for path in files(source, ending):
                target = os.path.join(self.folder, name, os.path.relpath(path, source))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copyfile(path, target)
                with open(path, "rb") as file:
                    joined.write(file.read() + b"\n")
        self.names[source] = name

    def label(self, a, b, is_copy, kind=""):
        """Labels the pair of two sources."""
        self.pairs.append(Pair(self.names[a], self.names[b], is_copy, kind))

    def label_all(self, copies):
        """Labels every pair: those in `copies`, sets of two sources, and all others as no
        copies."""
        copies = {frozenset(pair) for pair in copies}
        if len(self.names) > LARGE:
            self.copies = {frozenset(self.names[source] for source in pair) for pair in copies
                           if pair <= self.names.keys()}
            return
        for a, b in itertools.combinations(self.names, 2):
            self.label(a, b, frozenset((a, b)) in copies)


@dataclass
class Labelled:
    name: str
    collections: list
    parts: dict = field(default_factory=dict)  # from the name of a part to its kinds of pairs
    false_share: float = None  # of pairs that are no copies, at which recall is stated

    def labelled_pairs(self, part):
        """The labelled pairs of a part, each with its collection."""
        return [(collection, pair) for collection in self.collections
                for pair in collection.pairs
                if part == "all" or pair.kind in self.parts[part]]


def files(folder, ending=""):
    return sorted(os.path.join(root, name) for root, _, names in os.walk(folder)
                  for name in names if name.endswith(ending))


def rows(path):
    """The rows of a truth file: the paths of two documents, is_copy, and the kind."""
    base = os.path.dirname(path)
    with open(path, encoding="utf-8", newline="") as file:
        for a, b, is_copy, kind in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield os.path.join(base, a), os.path.join(base, b), is_copy == "1", kind


# ---- the sets

def soco(data, stage, language):
    collection = Collection(os.path.join(stage, "soco-" + language))
    for path in files(os.path.join(data, "soco14/train", language), "." + language):
        collection.add(path)
    truth = os.path.join(data, f"soco14/pairs_train_{language}.tsv")
    collection.label_all([{a, b} for a, b, _, _ in rows(truth)])
    return Labelled("SOCO " + language.title(), [collection])


def conplag(data, stage):
    """Documents of several tasks; only some pairs are labelled."""
    docs = os.path.join(data, "conplag/docs")
    collection = Collection(os.path.join(stage, "conplag"))
    for path in files(docs, ".java"):
        collection.add(path)
    for a, b, is_copy, kind in rows(os.path.join(data, "conplag/pairs.tsv")):
        collection.label(*(os.path.join(docs, os.path.basename(path)) for path in (a, b)),
                        is_copy, kind.split("|")[0])
    return Labelled("ConPlag", [collection],
                    {"train": {"train"}, "validation": {"validation"}})


def vk_cup(data, stage, name, folder, prefix):
    """Each test is a collection, in several languages."""
    home = os.path.join(data, folder)
    copies = [{a, b} for a, b, _, _ in rows(os.path.join(home, "pairs.tsv"))]
    collections = []
    for test in sorted(name for name in os.listdir(home) if name.startswith(prefix)):
        collection = Collection(os.path.join(stage, "vkcup-" + test))
        for path in files(os.path.join(home, test, "sources")):
            collection.add(path)
        collection.label_all(copies)
        collections.append(collection)
    return Labelled(name, collections)


def classes(data, stage, name, folder, truth="pairs.tsv", language=None):
    """Each folder is a collection. If it has a truth file, all other pairs are no copies."""
    home = os.path.join(data, folder)
    known = os.path.join(data, truth) if truth else None
    copies = [{a, b} for a, b, is_copy, _ in rows(known) if is_copy] if known else []
    collections = []
    for name_ in sorted(os.listdir(home)):
        if not os.path.isdir(os.path.join(home, name_)):
            continue
        collection = Collection(os.path.join(stage, f"{folder}-{name_}".replace("/", "-")))
        for path in files(os.path.join(home, name_)):
            collection.add(path, language)
        collection.label_all(copies)
        collections.append(collection)
    return Labelled(name, collections)


def conplag_raw(data, stage):
    collection = Collection(os.path.join(stage, "conplag-raw"))
    docs = os.path.join(data, "conplag_raw/docs")
    for path in files(docs, ".java"):
        collection.add(path)
    for a, b, is_copy, kind in rows(os.path.join(data, "conplag_raw/pairs.tsv")):
        collection.label(*(os.path.join(docs, os.path.basename(path)) for path in (a, b)),
                        is_copy, kind.split("|", maxsplit=1)[0])
    return Labelled("ConPlag raw", [collection])


def obfuscated(data, stage, name, kind):
    """Programs of people, and copies by one tool: each copy with its original, and all pairs of
    people's programs."""
    home = os.path.join(data, "obfuscated")
    truth = [(a, b) for a, b, _, of in rows(os.path.join(home, "pairs.tsv")) if of == kind]
    collections = []
    for task, ending in (("Progpedia19", ".java"), ("z5z1", ".cpp")):
        if not os.path.isdir(os.path.join(home, task, kind)):
            continue
        collection = Collection(os.path.join(stage, f"obfuscated-{kind}-{task}"))
        folders = {which: [os.path.join(home, task, which, each)
                           for each in sorted(os.listdir(os.path.join(home, task, which)))]
                   for which in ("human", kind)}
        for folder in (*folders["human"], *folders[kind]):
            collection.add_folder(folder, ending)
        for a, b in itertools.combinations(folders["human"], 2):
            collection.label(a, b, False)
        for a, b in truth:
            if a in collection.names and b in collection.names:
                collection.label(a, b, True)
        collections.append(collection)
    return Labelled(name, collections)


LEVELS = ("L1", "L2", "L3", "L4", "L5", "L6")


def ir_plag(data, stage):
    """Each task is a collection; the relation of each program to the original is known."""
    home = os.path.join(data, "ir_plag")
    collections = {}
    for task in sorted(os.listdir(os.path.join(home, "IR-Plag-Dataset"))):
        collections[task] = Collection(os.path.join(stage, "ir-plag-" + task))
        for path in files(os.path.join(home, "IR-Plag-Dataset", task), ".java"):
            collections[task].add(path)
    for a, b, is_copy, kind in rows(os.path.join(home, "pairs.tsv")):
        task = os.path.relpath(a, home).split(os.sep)[1]
        collections[task].label(a, b, is_copy, kind)
    return Labelled("IR-Plag", list(collections.values()),
                    {level: {level, "non"} for level in LEVELS}, false_share=0.01)


BASES = ("1", "2", "3", "4")


def simplag(data, stage):
    """Each variant is compared with its own base, and with other bases."""
    home = os.path.join(data, "simplag_java")
    bases = {base: os.path.join(home, "Base Programs", base) for base in BASES}
    variants = {}
    for base in BASES:
        folder = os.path.join(home, "Variant Programs", base)
        variants.update((os.path.join(folder, name), base) for name in sorted(os.listdir(folder)))
    collection = Collection(os.path.join(stage, "simplag"))
    for folder in (*bases.values(), *variants):
        collection.add_folder(folder, ".java")
    for variant, own in variants.items():
        for base, folder in bases.items():
            collection.label(variant, folder, base == own,
                            f"program {own}" if base == own else "others")
    parts = [f"program {base}" for base in BASES]
    return Labelled("SimPlag", [collection], {part: {part, "others"} for part in parts},
                    false_share=0)


def short_answers(data, stage):
    """Prose: each answer is compared with the source of its question."""
    docs = os.path.join(data, "short_answers/docs")
    collection = Collection(os.path.join(stage, "short-answers"))
    for path in files(docs, ".txt"):
        collection.add(path)
    for a, b, is_copy, kind in rows(os.path.join(data, "short_answers/pairs.tsv")):
        collection.label(*(os.path.join(docs, os.path.basename(path)) for path in (a, b)),
                        is_copy, kind)
    return Labelled("short answers", [collection])


def programs(data, stage):
    """All sets of programs, copied from the folder of data to the common layout."""
    shutil.rmtree(stage, ignore_errors=True)
    return [soco(data, stage, "c"), soco(data, stage, "java"), conplag(data, stage),
            vk_cup(data, stage, "VK Cup", "vkcup2015", "sample-"), ir_plag(data, stage),
            simplag(data, stage)]


def unseen(data, stage):
    """Sets that were not used to develop the score."""
    return [vk_cup(data, stage, "VK Cup finals", "vkcup2015_finals", "final-"),
            classes(data, stage, "SOCO large C", "soco14_large/c", "soco14_large/pairs_c.tsv", "c"),
            classes(data, stage, "SOCO large Java", "soco14_large/java",
                    "soco14_large/pairs_java.tsv", "java"),
            conplag_raw(data, stage),
            obfuscated(data, stage, "inserted", "insert"),
            obfuscated(data, stage, "refactored", "refactor"),
            obfuscated(data, stage, "rewritten", "gptobf"),
            classes(data, stage, "homework", "homework", "homework/pairs.tsv"),
            classes(data, stage, "honest", "honest", None)]
