"""Rankings of the pairs of labelled sets by detectors: a row for each set, part and detector."""
import subprocess

from harness import ranking


def ranked(labelled, part, scores):
    """(score, is_copy) of the labelled pairs. A pair that the detector does not name has the score
    0. `scores` has the scores of each collection."""
    found = [(scores[id(collection)].get(frozenset((pair.a, pair.b)), 0), pair.is_copy)
             for collection, pair in labelled.labelled_pairs(part)]
    for collection in labelled.collections:
        if collection.copies is not None:
            found += ranked_whole(collection, scores[id(collection)])
    return found


def ranked_whole(collection, scores):
    """All pairs of a large collection, most of which the detector does not name."""
    named = [(score, pair in collection.copies) for pair, score in scores.items()]
    missed = len(collection.copies - scores.keys())
    count = len(collection.names)
    rest = count * (count - 1) // 2 - len(named) - missed
    return named + [(0, True)] * missed + [(0, False)] * rest


def row(labelled, part, detector, reading, scores, listed):
    pairs = ranked(labelled, part, scores)
    share = labelled.false_share
    return {
        "set": labelled.name, "part": part, "tool": detector, "reading": reading,
        "pairs": len(pairs), "copies": sum(is_copy for _, is_copy in pairs),
        "average_precision": ranking.average_precision(pairs),
        "best_f1": ranking.best_f1(pairs),
        **default_list(labelled, part, listed),
        "auc": ranking.area(pairs),
        "recall": "" if share is None else ranking.recall(pairs, share),
    }


def default_list(labelled, part, listed):
    """The list of a run without a threshold: its number of pairs, and its quality among labelled
    pairs."""
    if not listed:
        return {"f1": "", "listed": "", "precision": "", "listed_recall": ""}
    known = ranked(labelled, part, listed)
    copies = sum(is_copy for is_in, is_copy in known if is_in)
    count = sum(is_in for is_in, _ in known)
    return {
        "f1": ranking.f1_at(known, 1),
        "listed": sum(len(found) for found in listed.values()),
        "precision": copies / count if count else "",
        "listed_recall": copies / sum(is_copy for _, is_copy in known) if copies else "",
    }


def default_lists(labelled, detector):
    """The default lists of twinset; other detectors have none."""
    if not hasattr(detector, "listed"):
        return {}
    return {id(collection): detector.listed(collection) for collection in labelled.collections}


def measure(labelled, detector):
    """Measures a detector on a set: rows for the set and its parts, for each reading of scores."""
    by_reading = {}
    for collection in labelled.collections:
        for reading, scores in detector.scores(collection).items():
            by_reading.setdefault(reading, {})[id(collection)] = scores
    for scores in by_reading.values():
        for collection in labelled.collections:
            scores.setdefault(id(collection), {})
    listed = default_lists(labelled, detector)
    return [row(labelled, part, detector.name, reading, scores, listed)
            for reading, scores in by_reading.items() for part in ("all", *labelled.parts)]


def measure_all(sets, detectors, say):
    """Measures all detectors on all sets. A detector that fails on a set has no row for it."""
    rows = []
    for labelled in sets:
        say(f"  {labelled.name}")
        for detector in detectors:
            try:
                found = measure(labelled, detector)
            except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
                say(f"    {detector.name} failed: {error}")
                continue
            rows += found
            best = max(found, key=lambda row: (row["part"] == "all", row["average_precision"]))
            say(f"    {detector.name}: {best['average_precision']:.3f} ({best['reading']})")
    return rows
