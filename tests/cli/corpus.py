"""Small collections for tests, equal in every run."""
import random

# Difficult text: forms that fold to the same, marks in any order, scripts without spaces,
# invisible characters, all kinds of spaces and line ends.
PIECES = (
    "the quick brown fox jumps over a lazy dog and The End of it "
    "Straße STRASSE ﬁne ﬃ ①② Ⅷ ｆｕｌｌ ½ ™ ℌ 𝐁𝐨𝐥𝐝 İstanbul ıslak ΌΣΟΣ όσος ῼ ῷ "
    "Привет мир ёлка Ёлка café cafe\u0301 o\u0323\u0302 o\u0302\u0323 Å Å "
    "中文字符 日本語 ひらがな カタカナ ｶﾞｷﾞ か\u3099 ไทย ภาษา 한국어 \u1112\u1161\u11ab "
    "zero\u200bwidth soft\u00adhyphen a\u200de\u0301 12,345.67 x=y+z it's «quoted» “so” … – a_b "
    "🙂 👩\u200d👧 e\ufe0f שלום مرحبا ﷺ नमस्ते"
).split(" ")
SPACES = [" "] * 12 + ["\n", "\r\n", "\r", "\t", "  ", "\u00a0", "\u3000", "\u2003", " \n\n "]


def write_words(rng, count):
    return [rng.choice(PIECES) for _ in range(count)]


def change(rng, words, share):
    """Replaces, drops and repeats a fraction of the words."""
    changed = []
    for word in words:
        if rng.random() >= share:
            changed.append(word)
        else:
            changed += rng.choice([[], [rng.choice(PIECES)], [word, word]])
    return changed


def join(rng, words):
    return "".join(word + rng.choice(SPACES) for word in words)


def mixed_texts(seed=1, families=3, members=4):
    """Families of near-copies, with copies that differ only in layout and form, texts shorter
    than a shingle, and invalid UTF-8."""
    rng = random.Random(seed)
    texts = {}
    for family in range(families):
        words = write_words(rng, rng.randrange(60, 120))
        for member in range(members):
            text = join(rng, change(rng, words, rng.choice([0, 0.02, 0.1, 0.3])))
            texts[f"family{family}/text{member}.txt"] = text.encode()
        texts[f"family{family}/copy.txt"] = " ".join(words).encode()
        texts[f"copies/copy{family}.txt"] = "\n".join(words).upper().encode()
    body = " ".join(write_words(rng, 60)).encode()
    broken = b"\xe2\x82 \xf0\x9f\x98 \xc0\xaf\xed\xa0\x80"
    texts["odd/broken.txt"] = body + b"\xff\xfe" + body + broken
    texts["odd/marked.txt"] = b"\xef\xbb\xbf" + body + body
    texts["odd/wide.txt"] = b"\xff\xfe" + (body + body).decode().encode("utf-16-le")
    texts["odd/short.txt"] = b"fox"
    texts["odd/short again.txt"] = b"Fox \n"
    texts["odd/long.txt"] = (b"lorem ipsum \xc3\xa9\xcc\xa3 " * 2000) + body
    texts["odd/a, \"quoted\"\tname\n.txt"] = body
    return texts
