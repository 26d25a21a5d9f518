"""copydetect with its defaults, all pairs: `with_copydetect.py FOLDER`.

It finds the passages of every pair when it compares them.
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
            first, second = detector.similarity_matrix[i, j]
            if first > 0:
                print(a, b, (first + second) / 2, max(first, second), min(first, second),
                      detector.token_overlap_matrix[i, j], sep="\t")


main(*sys.argv[1:])
