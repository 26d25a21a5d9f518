"""How well a ranking agrees with what is known: pairs of (score, whether it is a copy).

Pairs of one score are one step, whatever their order: a tool that cannot tell two pairs apart
gains nothing by the order in which it happens to name them.
"""


def steps(ranked):
    """From the highest score down: (score, copies so far, others so far)."""
    copies = others = 0
    ranked = sorted(ranked, key=lambda pair: -pair[0])
    for place, (score, is_copy) in enumerate(ranked):
        copies += is_copy
        others += not is_copy
        if place + 1 == len(ranked) or ranked[place + 1][0] != score:
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
    """Of a list with so many copies and others in it, where there are `every` copies."""
    return 2 * copies / (copies + others + every) if every else 0


def best_f1(ranked):
    every = sum(is_copy for _, is_copy in ranked)
    return max(f1(copies, others, every) for _, copies, others in steps(ranked))


def f1_at(ranked, threshold):
    """Of the list of those that score at least so much."""
    listed = [is_copy for score, is_copy in ranked if score >= threshold]
    return f1(sum(listed), len(listed) - sum(listed), sum(is_copy for _, is_copy in ranked))


def area(ranked):
    """The chance that a copy scores higher than another pair; a tie is half a chance."""
    every = sum(is_copy for _, is_copy in ranked)
    total = before = passed = 0
    for _, copies, others in steps(ranked):
        total += (others - passed) * (before + copies) / 2
        before, passed = copies, others
    return total / (every * (len(ranked) - every)) if every else 0


def recall(ranked, false_share):
    """Copies found by the lowest threshold that lets through no larger share of the others."""
    every = sum(is_copy for _, is_copy in ranked)
    allowed = false_share * (len(ranked) - every)
    return max([copies for _, copies, others in steps(ranked) if others <= allowed],
               default=0) / every
