"""Exercise 4: Conway's Game of Life.

Reads a grid from standard input ('#' is a living field, anything else is dead)
and prints the rounds. Usage: python3 life-dora.py [rounds] < grid
"""
import sys


def parse_grid(text):
    """Returns the living fields as a set of (y, x)."""
    living = set()
    for y, string in enumerate(text):
        for x, char in enumerate(string.rstrip("\n")):
            if char == "#":
                living.add((y, x))
    return living


def around(field):
    y, x = field
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                yield y + dy, x + dx


def evolve(living):
    # Only a field beside a living one can change, so the others need no look.
    total = {}
    for field in living:
        for other in around(field):
            total[other] = total.get(other, 0) + 1
    return {field for field, n in total.items()
            if n == 3 or (n == 2 and field in living)}


def draw(living, rows, cols):
    for y in range(rows):
        print("".join("#" if (y, x) in living else "." for x in range(cols)))
    print()


def run():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    text = sys.stdin.readlines()
    rows, cols = len(text), max((len(string.rstrip("\n")) for string in text), default=0)
    living = parse_grid(text)
    for _ in range(rounds):
        living = evolve(living)
        draw(living, rows, cols)


if __name__ == "__main__":
    run()
