"""Documents for experiments, generated from a seed, or read from a data set."""

import os
import pathlib
import random
from itertools import accumulate

# 50 words, whose random orders have the similarities of S1: under 20% from k = 7.
WORDS = """
ancient harbour towns drew merchants sailors and young fiddlers whose evening stories travelled
further than their ships children listened beside burning lanterns and learned distant songs
before breakfast nobody wrote these voices down yet every family still keeps a melody a warning
one recipe the colour of morning rain there
""".split()


def permutations(count: int, seed: int) -> list[str]:
    """Documents that are random orders of WORDS."""
    dice = random.Random(seed)
    return [" ".join(dice.sample(WORDS, len(WORDS))) for _ in range(count)]


def pages(count: int, words: int, seed: int) -> list[str]:
    """Texts of so many words, whose frequencies follow Zipf's law. Every tenth text is the text
    before it with a word in fifty replaced, like an edited mirror of a page."""
    dice = random.Random(seed)
    vocabulary = invented_words(5000, dice)
    weights = list(accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))
    texts: list[list[str]] = []
    for number in range(count):
        if number % 10 == 9:
            text = list(texts[-1])
            for position in dice.sample(range(words), words // 50):
                text[position] = dice.choice(vocabulary)
        else:
            text = dice.choices(vocabulary, cum_weights=weights, k=words)
        texts.append(text)
    return [" ".join(text) for text in texts]


def invented_words(count: int, dice: random.Random) -> list[str]:
    """Distinct words of one to four syllables."""
    words: dict[str, None] = {}
    while len(words) < count:
        syllables = range(dice.randint(1, 4))
        words["".join(dice.choice("bdfgklmnprstvz") + dice.choice("aeiou") for _ in syllables)
              + dice.choice(["", "n", "r", "s"])] = None
    return list(words)


def coms535(data: str | os.PathLike[str] | None, pattern: str = "*") -> dict[str, str]:
    """S2's newsgroup posts by name: NAME.txt, and NAME.txt.copy1 to 7, which begin with a
    random line. `data` is the folder of data sets; None: the folder that TWINSET_DATA names."""
    folder = pathlib.Path(data or os.environ.get("TWINSET_DATA", ""), "coms535", "docs")
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no {folder}: unpack the set coms535 into a folder DIR, "
                                "and name that by --data DIR or the environment's TWINSET_DATA")
    paths = sorted(folder.glob(pattern))
    return {path.name: path.read_text(encoding="latin-1") for path in paths}
