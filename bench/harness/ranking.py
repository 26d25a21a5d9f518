"""Measures of rankings: lists of pairs (score, is_copy).

Pairs with equal scores are one step, whatever their order: the order in which a tool lists pairs of
equal scores does not matter.
"""


def steps(ranked):
    """The steps of a ranking by descending score: (score, copies so far, others so far)."""
    copies = others = 0
    ranked = sorted(ranked, key=lambda pair: -pair[0])
    for rank, (score, is_copy) in enumerate(ranked):
        copies += is_copy
        others += not is_copy
        if rank + 1 == len(ranked) or ranked[rank + 1][0] != score:
            yield score, copies, others


def average_precision(ranked):
    """Precision at each step, weighted by the copies that it adds."""
    every = sum(is_copy for _, is_copy in ranked)
    total = before = 0
    for _, copies, others in steps(ranked):
        total += (copies - before) * copies / (copies + others)
        before = copies
    return total / every if every else 0


def f1(copies, others, every):
    """F1 of a list with so many copies and others, if there are `every` copies."""
    return 2 * copies / (copies + others + every) if every else 0


def best_f1(ranked):
    every = sum(is_copy for _, is_copy in ranked)
    return max(f1(copies, others, every) for _, copies, others in steps(ranked))


def f1_at(ranked, threshold):
    """F1 of the list of pairs with at least this score."""
    listed = [is_copy for score, is_copy in ranked if score >= threshold]
    return f1(sum(listed), len(listed) - sum(listed), sum(is_copy for _, is_copy in ranked))


def area(ranked):
    """The probability that a copy scores higher than another pair; a tie counts half."""
    every = sum(is_copy for _, is_copy in ranked)
    total = before = passed = 0
    for _, copies, others in steps(ranked):
        total += (others - passed) * (before + copies) / 2
        before, passed = copies, others
    return total / (every * (len(ranked) - every)) if every else 0


def recall(ranked, false_share):
    """The fraction of copies found at the lowest threshold with no larger fraction of others."""
    every = sum(is_copy for _, is_copy in ranked)
    allowed = false_share * (len(ranked) - every)
    return max([copies for _, copies, others in steps(ranked) if others <= allowed],
               default=0) / every
