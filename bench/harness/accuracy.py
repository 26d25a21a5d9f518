"""How well detectors rank the pairs of labelled sets: a row for each set, part and detector."""
import subprocess

from harness import ranking


def ranked(labelled, part, scores):
    """(score, whether it is a copy) of what is known; a pair that was not named has 0.
    `scores` has those of each collection."""
    return [(scores[id(collection)].get(frozenset((pair.a, pair.b)), 0), pair.is_copy)
            for collection, pair in labelled.known(part)]


def row(labelled, part, detector, reading, scores, thresholds):
    pairs = ranked(labelled, part, scores)
    share = labelled.false_share
    return {
        "set": labelled.name, "part": part, "tool": detector, "reading": reading,
        "pairs": len(pairs), "copies": sum(is_copy for _, is_copy in pairs),
        "average_precision": ranking.average_precision(pairs),
        "best_f1": ranking.best_f1(pairs),
        "f1": default_f1(labelled, part, scores, thresholds) if thresholds else "",
        "threshold": min(thresholds.values()) if thresholds else "",
        "highest_threshold": max(thresholds.values()) if thresholds else "",
        "auc": ranking.area(pairs),
        "recall": "" if share is None else ranking.recall(pairs, share),
    }


def default_f1(labelled, part, scores, thresholds):
    """Where each collection has a threshold of its own: what is listed is one step above the
    rest."""
    listed = {collection: {pair: score >= thresholds[collection] for pair, score in found.items()}
              for collection, found in scores.items()}
    return ranking.f1_at(ranked(labelled, part, listed), 1)


def default_thresholds(labelled, detector):
    """twinset alone is asked where it would draw the line."""
    if not hasattr(detector, "threshold"):
        return {}
    return {id(collection): detector.threshold(collection) for collection in labelled.collections}


def measure(labelled, detector):
    """One detector on one set: rows for all of it and its parts, by each way to read it."""
    by_reading = {}
    for collection in labelled.collections:
        for reading, scores in detector.scores(collection).items():
            by_reading.setdefault(reading, {})[id(collection)] = scores
    for scores in by_reading.values():
        for collection in labelled.collections:
            scores.setdefault(id(collection), {})
    thresholds = default_thresholds(labelled, detector)
    return [row(labelled, part, detector.name, reading, scores, thresholds)
            for reading, scores in by_reading.items() for part in ("all", *labelled.parts)]


def measure_all(sets, detectors, say):
    """A detector that fails on a set has no row for it."""
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
