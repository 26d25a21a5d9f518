"""copydetect with its defaults, all pairs: `with_copydetect.py FOLDER`.

It finds the passages of every pair as it compares them.
"""
import os
import sys

from copydetect import CopyDetector


def main(folder):
    detector = CopyDetector(test_dirs=[folder], silent=True, autoopen=False)
    detector.run()
    names = [os.path.basename(path) for path in detector.test_files]
    print("a\tb\tmean\tmaximum\tminimum\toverlap")
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            one, other = detector.similarity_matrix[i, j]
            if one > 0:
                print(a, b, (one + other) / 2, max(one, other), min(one, other),
                      detector.token_overlap_matrix[i, j], sep="\t")


main(*sys.argv[1:])
