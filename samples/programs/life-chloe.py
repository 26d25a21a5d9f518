"""Life on a short tape: each row of the board is one whole number, a bit a cell."""
import sys


def to_bits(row, width):
    return int("".join("1" if c == "#" else "0" for c in row.ljust(width)) or "0", 2)


def step_row(above, here, below, width):
    """The rule for a whole row at once, by adding eight shifted copies bit by bit."""
    ones = twos = fours = 0
    copies = [above << 1, above, above >> 1, here << 1, here >> 1,
              below << 1, below, below >> 1]
    for bits in copies:
        # A tiny adder in every column. Past seven it wraps to zero, which is
        # harmless: eight neighbours kill a cell just as none do.
        carry = ones & bits
        ones ^= bits
        fours ^= twos & carry
        twos ^= carry
    two_or_three = twos & ~fours
    return two_or_three & (ones | here) & ((1 << width) - 1)


def step(world, width):
    padded = [0] + world + [0]
    return [step_row(padded[i - 1], padded[i], padded[i + 1], width)
            for i in range(1, len(padded) - 1)]


def picture(world, width):
    if width == 0:
        return ""
    table = str.maketrans("01", ".#")
    return "".join(format(row, f"0{width}b").translate(table) + "\n" for row in world)


rows = sys.stdin.read().splitlines()
width = max(map(len, rows), default=0)
world = [to_bits(row, width) for row in rows]
for _ in range(int((sys.argv[1:] or ["1"])[0])):
    world = step(world, width)
    print(picture(world, width))
