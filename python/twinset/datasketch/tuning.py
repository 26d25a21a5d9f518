"""Chooses bands and rows as datasketch does: those with the least weighted area of errors.

Areas are integrated as by scipy.integrate.quad: by 21 points of Gauss and Kronrod, halving the
interval with the largest error until the total error is small enough. Many choices differ only by
rounding, above all with one-sided weights, so the steps and their order must be the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

Function = Callable[[float], float]

_TOLERANCE = 1.49e-8  # absolute or relative, whichever is met first
_MOST_INTERVALS = 50
_EPSILON = 2.0**-52

# The positive nodes with Kronrod's weights. The first five and their negatives are Gauss's nodes.
_MIDDLE = 0.149445554002916905664936468389821
_POINTS = [
    (0.973906528517171720077964012084452, 0.032558162307964727478818972459390),
    (0.865063366688984510732096688423493, 0.075039674810919952767043140916190),
    (0.679409568299024406234327365114874, 0.109387158802297641899210590325805),
    (0.433395394129247190799265943165784, 0.134709217311473325928054001771707),
    (0.148874338981631210884826001129720, 0.147739104901338491374841515972068),
    (0.995657163025808080735527280689003, 0.011694638867371874278064396062192),
    (0.930157491355708226001207180059508, 0.054755896574351996031381300244580),
    (0.780817726586416897063717578345042, 0.093125454583697605535065465083366),
    (0.562757134668604683339000099272694, 0.123491976262065851077958109585166),
    (0.294392862701460198131126603103866, 0.142775938577060080797094273138717),
]
_GAUSS = [0.066671344308688137593568809893332, 0.149451349150580593145863396957658,
          0.219086362515982043995534934228163, 0.269266719309996355091226921569469,
          0.295524224714752870173815619188769]


def _area(function: Function, low: float, high: float) -> tuple[float, float, float]:
    """The area under a function that is nowhere negative, an estimate of its error, and the area
    between the function and its mean."""
    center, half = 0.5 * (low + high), 0.5 * (high - low)
    middle = function(center)
    values = [(function(center - half * node), function(center + half * node))
              for node, _ in _POINTS]
    kronrod = _MIDDLE * middle
    for (_, weight), (left, right) in zip(_POINTS, values):
        kronrod += weight * (left + right)
    gauss = 0.0
    for weight, (left, right) in zip(_GAUSS, values):
        gauss += weight * (left + right)
    mean = kronrod * 0.5
    spread = _MIDDLE * abs(middle - mean)
    for (_, weight), (left, right) in zip(_POINTS, values):
        spread += weight * (abs(left - mean) + abs(right - mean))
    spread *= half
    error = abs((kronrod - gauss) * half)
    if spread and error:
        error = spread * min(1.0, (200.0 * error / spread) ** 1.5)
    return kronrod * half, max(50.0 * _EPSILON * kronrod * half, error), spread


def _integrate(function: Function, low: float, high: float) -> float:
    area, error, spread = _area(function, low, high)
    if error == 0 or (error <= _allowed(area) and error != spread):
        return area
    intervals = [(error, area, low, high)]
    while len(intervals) < _MOST_INTERVALS:
        worst = max(range(len(intervals)), key=lambda i: intervals[i][0])
        worst_error, worst_area, low, high = intervals[worst]
        middle = 0.5 * (low + high)
        area1, error1, _ = _area(function, low, middle)
        area2, error2, _ = _area(function, middle, high)
        area += area1 + area2 - worst_area
        error += error1 + error2 - worst_error
        halves = [(error1, area1, low, middle), (error2, area2, middle, high)]
        intervals[worst] = halves.pop(error2 > error1)
        intervals += halves
        if error <= _allowed(area):
            break
    return sum(interval[1] for interval in intervals)


def _allowed(area: float) -> float:
    return max(_TOLERANCE, _TOLERANCE * abs(area))


def _choose(num_perm: int, most_rows: int, weights: tuple[float, float],
            false_positives: Callable[[float, float], float],
            false_negatives: Callable[[float, float], float]) -> tuple[int, int]:
    """The first of all possible bands and rows with the least error."""
    least, best = float("inf"), (0, 0)
    false_positive_weight, false_negative_weight = weights
    for b in range(1, num_perm + 1):
        for r in range(1, min(num_perm // b, most_rows) + 1):
            error = false_positives(float(b), float(r)) * false_positive_weight
            if error < least:
                error += false_negatives(float(b), float(r)) * false_negative_weight
            if error < least:
                least, best = error, (b, r)
    return best


@lru_cache(maxsize=64)
def best_bands(threshold: float, num_perm: int, weights: tuple[float, float]) -> tuple[int, int]:
    """Bands and rows for a threshold of Jaccard similarity."""
    return _choose(
        num_perm, num_perm, weights,
        lambda b, r: _integrate(lambda s: 1 - (1 - s**r) ** b, 0.0, threshold),
        lambda b, r: _integrate(lambda s: 1 - (1 - (1 - s**r) ** b), threshold, 1.0))


@lru_cache(maxsize=256)
def best_bands_of_containment(threshold: float, num_perm: int, most_rows: int, ratio: float,
                              weights: tuple[float, float]) -> tuple[int, int]:
    """Bands and rows for a threshold of containment, where indexed sets are `ratio` times as
    large as the query."""
    most = min(ratio, 1.0)  # the largest possible containment
    return _choose(
        num_perm, most_rows, weights,
        lambda b, r: _integrate(lambda t: 1 - (1 - (t / (1 + ratio - t)) ** r) ** b, 0.0,
                                min(threshold, most)),
        lambda b, r: 0.0 if most < threshold else _integrate(
            lambda t: 1 - (1 - (1 - (t / (1 + ratio - t)) ** r) ** b), threshold, most))
