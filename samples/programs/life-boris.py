#!/usr/bin/env python3
# Game of Life, exercise sheet 4. The board is a list of lists with a dead border
# around it, so that I never have to ask whether a neighbour exists.
import sys

DEAD, LIVE = 0, 1


class Board:
    def __init__(self, text):
        rows = text.splitlines()
        self.h = len(rows)
        self.w = max([len(r) for r in rows] or [0])
        self.cells = self.empty()
        for y in range(self.h):
            for x in range(len(rows[y])):
                if rows[y][x] == '#':
                    self.cells[y + 1][x + 1] = LIVE

    def empty(self):
        return [[DEAD] * (self.w + 2) for _ in range(self.h + 2)]

    def sum_around(self, y, x):
        c = self.cells
        above = sum(c[y - 1][x - 1:x + 2])
        below = sum(c[y + 1][x - 1:x + 2])
        return above + below + c[y][x - 1] + c[y][x + 1]

    def step(self):
        fresh = self.empty()
        for y in range(1, self.h + 1):
            for x in range(1, self.w + 1):
                n = self.sum_around(y, x)
                if self.cells[y][x] == LIVE and n in (2, 3):
                    fresh[y][x] = LIVE
                elif self.cells[y][x] == DEAD and n == 3:
                    fresh[y][x] = LIVE
        self.cells = fresh

    def __str__(self):
        return '\n'.join(''.join('.#'[v] for v in row[1:-1]) for row in self.cells[1:-1])


board = Board(sys.stdin.read())
times = 1
if len(sys.argv) >= 2:
    times = int(sys.argv[1])
while times > 0:
    board.step()
    print(board, end='\n\n')
    times -= 1
