"""Generates Java programs, some of which are disguised copies of others.

Each is generated from random statements and expressions, so that no two share a passage by chance;
a quarter of the statements are idioms that all programs have. A program is a function of the seed
and its number.
"""
import copy
import os
import random
import re
import shutil
from dataclasses import dataclass, field

KINDS = ("renamed", "reordered", "padded", "rewritten", "merged")
SHARE = 0.05  # fraction of programs that are copies

NOUNS = ("account area batch border bucket cache cell chart count cursor delta depth edge entry "
         "event factor field frame graph group guard height index item key label layer level "
         "limit list margin mark mass node offset order owner page part path point pool price "
         "queue rank rate ratio record region result route row score seed segment shape share "
         "signal size slot source span speed stack state step stock sum table target tick token "
         "total track tree unit value vector vertex weight width window word zone").split()
VERBS = ("add adjust apply build check clear collect combine compute count derive drop emit "
         "expand fetch fill filter find fold gather grow join load mark measure merge move "
         "normalize parse pick plan push rank read reduce remove reset resolve scale scan score "
         "select shift smooth sort split store sum swap take trace trim update visit").split()


@dataclass
class Block:
    """A head with statements in braces. A statement is a line or a block."""
    head: str
    body: list


@dataclass
class Loop:
    """A loop from a start while a test holds, written as `for` or as `while`."""
    start: str
    test: str
    step: str
    body: list
    as_while: bool = False


@dataclass
class Program:
    name: str
    fields: list = field(default_factory=list)
    methods: list = field(default_factory=list)
    names: set = field(default_factory=set)  # all names of the program


# ---- growing

class Grower:
    def __init__(self, dice):
        self.dice = dice
        self.program = Program(self.word().title() + self.word().title())
        self.program.names.add(self.program.name)
        self.numbers, self.arrays, self.callable = [], [], []  # names in scope

    def word(self, words=NOUNS):
        return self.dice.choice(words)

    def fresh(self, words=NOUNS):
        """A name that is new in this program."""
        while True:
            name = self.word(words) + self.word().title()
            if name not in self.program.names:
                self.program.names.add(name)
                return name

    def some(self):
        return self.dice.choice(self.numbers)

    def cell(self):
        array = self.dice.choice(self.arrays)
        return f"{array}[{self.some()} % {array}.length]"

    def call(self, depth):
        two = f"({self.number(depth)}, {self.number(depth)})"
        return self.dice.choice(["Math.max", "Math.min", "Math.floorMod", *self.callable]) + two

    def number(self, depth=0):
        """An expression."""
        kind = self.dice.randrange(10 if depth < 2 else 5)
        if kind < 2:
            return str(self.dice.randrange(1, 1000))
        if kind < 5:
            return self.some()
        if kind < 8:
            sign = self.dice.choice("+-*/%")
            return f"{self.number(depth + 1)} {sign} {self.number(depth + 1)}"
        return self.cell() if kind == 8 else self.call(depth + 1)

    def test(self):
        parts = [f"{self.some()} {self.dice.choice(['<', '>', '<=', '>=', '==', '!='])} "
                 f"{self.number(1)}" for _ in range(self.dice.choice([1, 1, 2]))]
        return self.dice.choice([" && ", " || "]).join(parts)

    def body(self, depth):
        before = len(self.numbers)
        body = [self.statement(depth + 1) for _ in range(self.dice.randrange(1, 4))]
        del self.numbers[before:]
        return body

    def statement(self, depth=0):
        if self.dice.random() < 0.25:
            return self.idiom()
        kind = self.dice.randrange(10 if depth < 2 else 6)
        if kind < 2:
            value, name = self.number(), self.fresh()
            self.numbers.append(name)
            return f"int {name} = {value};"
        if kind < 4:
            return f"{self.some()} {self.dice.choice(['=', '+=', '-=', '*='])} {self.number()};"
        if kind == 4:
            return f"{self.cell()} = {self.number()};"
        if kind == 5:
            return f"System.out.println({self.call(1)});"
        if kind == 6:
            return self.loop(depth)
        if kind == 7:
            return Block(f"while ({self.test()})", self.body(depth))
        return Block(f"if ({self.test()})", self.body(depth))

    def loop(self, depth):
        start, i = self.number(1), self.fresh()
        self.numbers.append(i)
        loop = Loop(f"int {i} = {start}", f"{i} < {self.number(1)}",
                    self.dice.choice([f"{i}++", f"{i} += {self.dice.randrange(2, 9)}"]),
                    self.body(depth))
        self.numbers.remove(i)
        return loop

    def idiom(self):
        """Statements that every program has, with other names."""
        array, i, some = self.dice.choice(self.arrays), self.fresh(), self.some()
        every = f"int {i} = 0", f"{i} < {array}.length", f"{i}++"
        return self.dice.choice([
            Loop(*every, [f"{some} += {array}[{i}];"]),
            Loop(*every, [f"{array}[{i}] = 0;"]),
            Loop(*every, [f"{array}[{i}] = {i};"]),
            Loop(*every, [Block(f"if ({array}[{i}] > {some})", [f"{some} = {array}[{i}];"])]),
            Loop(*every, [Block(f"if ({array}[{i}] == {some})", [f"return {i};"])]),
            Block(f"if ({array} == null)", ["throw new IllegalStateException();"]),
            Block(f"if ({some} < 0)", ["return -1;"]),
            Block(f"for (int {i} : {array})", [f'System.out.print({i} + " ");']),
            f'System.out.println("{i}: " + {some});',
            f"{some}++;",
        ])

    def method(self, lines):
        given = [self.fresh(), self.fresh()]
        name = self.fresh(VERBS)
        fields = len(self.numbers)
        self.numbers += given
        body = []
        while len(lines_of(body)) < lines - 3:
            body.append(self.statement())
        body.append(f"return {self.number()};")
        del self.numbers[fields:]
        self.callable.append(name)
        return Block(f"int {name}(int {given[0]}, int {given[1]})", body)

    def grow(self, lines):
        program = self.program
        for _ in range(1 + lines // 50):
            self.numbers.append(self.fresh())
            self.arrays.append(self.fresh())
            program.fields += [f"private int {self.numbers[-1]} = {self.dice.randrange(100)};",
                               f"private int[] {self.arrays[-1]} = "
                               f"new int[{self.dice.randrange(4, 400)}];"]
        while size(program) < lines - 5:
            program.methods.append(
                self.method(min(self.dice.randrange(8, 25), lines - size(program))))
        return program


# ---- disguises, all with other names

def rename(program, dice):
    new = Grower(dice)
    names = {name: new.fresh() for name in sorted(program.names)}
    names[program.name] = new.program.name
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, names)) + r")\b")

    def change(node):
        for name, value in vars(node).items():
            if isinstance(value, str):
                setattr(node, name, pattern.sub(lambda found: names[found[0]], value))
            elif isinstance(value, list):
                setattr(node, name, [pattern.sub(lambda found: names[found[0]], one)
                                     if isinstance(one, str) else change(one) for one in value])
        return node

    change(program)
    program.names = set(names.values())


def bodies(nodes):
    """The lists of statements in nodes, the inner ones first."""
    for node in nodes:
        if not isinstance(node, str):
            yield from bodies(node.body)
            yield node.body


def pad(program, dice):
    """Adds a statement without effect after a third of the statements."""
    for body in bodies(program.methods):
        for index in range(len(body) - 1, 0, -1):
            if dice.random() < 0.33:
                body.insert(index, f"int spare{index} = {dice.randrange(100)};")


def rewrite_loops(program):
    for body in bodies(program.methods):
        for node in body:
            if isinstance(node, Loop):
                node.as_while = True


def disguise(original, kind, other, dice):
    """A disguised copy of an original, or of half of it if it is merged with another program."""
    program = copy.deepcopy(original)
    if kind == "merged":
        half = max(1, len(program.methods) // 2)
        program.methods[half:] = copy.deepcopy(other.methods[:half])
        program.fields += other.fields
        program.names |= other.names
    if kind == "reordered":
        dice.shuffle(program.methods)
        dice.shuffle(program.fields)
    if kind == "padded":
        pad(program, dice)
    if kind == "rewritten":
        rewrite_loops(program)
    rename(program, dice)
    return program


# ---- writing

def write(node, indent=1):
    """The lines of a statement."""
    space = "    " * indent
    if isinstance(node, str):
        return [space + node]
    if isinstance(node, Block):
        return [f"{space}{node.head} {{", *lines_of(node.body, indent + 1), space + "}"]
    inner = lines_of(node.body, indent + 1)
    if node.as_while:
        return [f"{space}{node.start};", f"{space}while ({node.test}) {{", *inner,
                f"{space}    {node.step};", space + "}"]
    return [f"{space}for ({node.start}; {node.test}; {node.step}) {{", *inner, space + "}"]


def lines_of(nodes, indent=1):
    return [line for node in nodes for line in write(node, indent)]


def size(program):
    return len(lines_of(program.fields)) + len(lines_of(program.methods)) + len(program.methods)


def text(program):
    parts = [lines_of(program.fields), *(write(method) for method in program.methods)]
    return "".join([f"class {program.name} {{\n",
                    "\n".join("".join(line + "\n" for line in part) for part in parts), "}\n"])


def make(folder, count, lines, seed=1):
    """Writes programs. Returns the names of (copy, original), two for a merged copy, and the mean
    number of lines."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    copies = int(count * SHARE)
    programs = [Grower(random.Random(f"{seed} {number}")).grow(lines)
                for number in range(count - copies)]
    dice = random.Random(seed)
    names = [f"{number:04}.java" for number in dice.sample(range(count), count)]
    sources = dice.sample(range(count - copies), 2 * copies)
    pairs = []
    for first, second in zip(sources[:copies], sources[copies:]):
        kind = KINDS[len(programs) % len(KINDS)]
        for source in (first, second) if kind == "merged" else (first,):
            pairs.append((names[len(programs)], names[source]))
        programs.append(disguise(programs[first], kind, programs[second], dice))
    written = 0
    for name, program in zip(names, programs):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            content = text(program)
            file.write(content)
            written += content.count("\n")
    return pairs, written / count
