"""Spans that repeat an earlier record, found by comparing every run of words with every other."""
import json
import unicodedata


def is_word(char):
    return unicodedata.category(char)[0] in "LMN"


def is_unspaced(char):
    return any(first <= char <= last for first, last in
               ["\u3400\u9fff", "\u0e01\u0e4e", "\u3041\u30ff"])


def find_words(text):
    """The words of a text, each with its start and end."""
    found, start = [], None
    for i, char in enumerate(text + " "):
        alone = i < len(text) and is_unspaced(char)
        if start is not None and (alone or not is_word(char)):
            found.append((text[start:i].casefold(), start, i))
            start = None
        if alone:
            found.append((char, i, i + 1))
        elif start is None and is_word(char):
            start = i
    return found


def cut(text, covered, words):
    """A text without the covered words, by docs/matching.md."""
    out, at, i = "", 0, 0
    while i < len(words):
        if not covered[i]:
            i += 1
            continue
        start = words[i][1]
        while i < len(words) and covered[i]:
            end = words[i][2]
            i += 1
        while end < len(text) and not is_word(text[end]):
            end += 1
            if text[end - 1].isspace() and not (end < len(text) and text[end].isspace()):
                break
        out += text[at:start]
        if (out and end < len(text) and is_word(out[-1]) and is_word(text[end])
                and not is_unspaced(out[-1]) and not is_unspaced(text[end])):
            out += " "
        at = end
    return out + text[at:]


class Spans:
    """The texts without runs of `length` words that an earlier text has."""

    def __init__(self, texts, length, old=()):
        self.words = [find_words(text) for text in texts]
        self.covered, self.texts, self.first = [], [], {}
        for number, text in enumerate([*old, *texts], -len(old)):
            words = find_words(text)
            covered = [False] * len(words)
            runs = [tuple(word[0] for word in words[i:i + length])
                    for i in range(len(words) - length + 1)]
            for i, run in enumerate(runs):
                if self.first.get(run, (number, 0))[0] != number and number >= 0:
                    covered[i:i + length] = [True] * length
            for i, run in enumerate(runs):
                self.first.setdefault(run, (number, i))
            if number >= 0:
                self.covered.append(covered)
                self.texts.append(cut(text, covered, words))

    def is_emptied(self, i):
        return bool(self.words[i]) and all(self.covered[i])


def check(case, texts, length, *options, old=()):
    """Fails unless the command finds exactly the spans that brute force finds, and cuts them by
    docs/matching.md. No two texts may be similar as a whole."""
    spans = Spans(texts, length, old)
    records = [{"id": str(i), "text": text} for i, text in enumerate(texts)]
    case.write("in.jsonl", "".join(json.dumps(record, ensure_ascii=bool(i % 2)) + "\n"
                                   for i, record in enumerate(records)))
    arguments = ["in.jsonl", "-t", "1", "--min-passage", str(length), *options]
    if old:
        case.write("old.jsonl", "".join(json.dumps({"id": f"old{i}", "text": text}) + "\n"
                                        for i, text in enumerate(old)))
        arguments += ["--old", "old.jsonl"]
    result = case.succeed("dedup", *arguments, "-o", "out.jsonl", "--removed", "removed.jsonl")
    check_left(case, spans, records, read(case, "out.jsonl"))
    check_words(case, spans, result)
    case.succeed("dedup", *arguments, "-o", "all.jsonl", "--annotate")
    annotated = read(case, "all.jsonl")
    for i, record in enumerate(annotated):
        check_spans(case, spans, length, [*texts[:i]], old, record)
    listed = {line["id"]: line["spans"] for line in read(case, "removed.jsonl")}
    case.assertEqual(listed, {record["id"]: record["twinset_spans"] for record in annotated
                              if record["twinset_spans"]})
    return result


def read(case, name):
    return [json.loads(line) for line in case.read(name).splitlines()]


def check_left(case, spans, records, left):
    expected = [{**record, "text": spans.texts[i]} for i, record in enumerate(records)
                if not spans.is_emptied(i)]
    case.assertEqual([record["id"] for record in left], [record["id"] for record in expected])
    for found, wanted in zip(left, expected):
        case.assertEqual(found, wanted)


def check_words(case, spans, result):
    words = sum(map(len, spans.words))
    covered = sum(map(sum, spans.covered))
    case.assertRegex(result.messages, rf"words {words}, cut {covered} in \d+ spans? of "
                                      rf"{sum(map(any, spans.covered))} records?\n")


def check_spans(case, spans, length, earlier, old, record):
    """Checks that spans are word for word in an earlier record, and cover the expected words."""
    i = int(record["id"])
    words, covered = spans.words[i], [False] * len(spans.words[i])
    offsets = {len(record["text"][:word[1]].encode()): n for n, word in enumerate(words)}
    for span in record["twinset_spans"]:
        at = offsets[span["start"]]
        case.assertGreaterEqual(span["words"], length)
        covered[at:at + span["words"]] = [True] * span["words"]
        is_old = span["first"].startswith("old")
        source = old[int(span["first"][3:])] if is_old else earlier[int(span["first"])]
        here = record["text"].encode()[span["start"]:span["end"]].decode()
        there = source.encode()[span["first_start"]:span["first_end"]].decode()
        case.assertEqual([word[0] for word in find_words(here)],
                         [word[0] for word in find_words(there)])
        case.assertEqual(len(find_words(here)), span["words"])
        run = tuple(word[0] for word in words[at:at + length])
        first = spans.first[run][0]
        case.assertEqual(span["first"], f"old{first + len(old)}" if first < 0 else str(first))
    case.assertEqual(covered, spans.covered[i])
