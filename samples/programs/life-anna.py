"""Exercise 4: Conway's Game of Life.

Reads a board from standard input ('#' is a living cell, anything else is dead)
and prints the generations. Usage: python3 life-anna.py [generations] < board
"""
import sys


def read_board(lines):
    """Returns the living cells as a set of (row, column)."""
    alive = set()
    for row, line in enumerate(lines):
        for column, mark in enumerate(line.rstrip("\n")):
            if mark == "#":
                alive.add((row, column))
    return alive


def neighbours(cell):
    row, column = cell
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if down or right:
                yield row + down, column + right


def next_generation(alive):
    # Only a cell beside a living one can change, so the others need no look.
    counts = {}
    for cell in alive:
        for near in neighbours(cell):
            counts[near] = counts.get(near, 0) + 1
    return {cell for cell, count in counts.items()
            if count == 3 or (count == 2 and cell in alive)}


def show(alive, height, width):
    for row in range(height):
        print("".join("#" if (row, column) in alive else "." for column in range(width)))
    print()


def main():
    generations = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    lines = sys.stdin.readlines()
    height, width = len(lines), max((len(line.rstrip("\n")) for line in lines), default=0)
    alive = read_board(lines)
    for _ in range(generations):
        alive = next_generation(alive)
        show(alive, height, width)


if __name__ == "__main__":
    main()
