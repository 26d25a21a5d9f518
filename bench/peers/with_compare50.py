"""compare50, all pairs: `with_compare50.py FOLDER [PASSAGES]`.

It ranks by its pass `structure`, as its command does. PASSAGES is the number of best pairs whose
passages are found; the command finds those of 50.
"""
import os
import sys

import compare50
from compare50 import passes
from compare50._data import Preprocessor  # the only way to chain the preprocessors of a pass


def submission(path, preprocessor):
    """The submission of a file or a folder, as the command makes it."""
    folder, files = os.path.dirname(path), [os.path.basename(path)]
    if os.path.isdir(path):
        folder = path
        files = sorted(os.path.relpath(os.path.join(root, name), path)
                       for root, _, names in os.walk(path) for name in names)
    return compare50.Submission(folder, files, preprocessor=preprocessor)


def main(folder, passages="0"):
    preprocessor = Preprocessor(passes.structure.preprocessors)
    names = {}
    for name in sorted(os.listdir(folder)):
        names[submission(os.path.join(folder, name), preprocessor)] = name
    scores = compare50.rank(list(names), [], set(), passes.structure, n=len(names) ** 2)
    compare50.compare(scores[:int(passages)], set(), passes.structure)
    print("a\tb\tstructure")
    for score in scores:
        print(names[score.sub_a], names[score.sub_b], score.score, sep="\t")


main(*sys.argv[1:])
