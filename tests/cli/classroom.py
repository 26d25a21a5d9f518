"""A class of students: honest solutions of one exercise, and copies in many disguises.

Everything is made from a seed, and is equal in every run. An honest student solves each part of
the exercise in one of several ways, and has habits: loops, comparisons, names, layout. A copy is
made from the program of another student. None of this depends on how programs are compared.
"""
import ast
import copy
import random
from dataclasses import dataclass, field, replace

from dialect import LANGUAGES, Layout, calls
from exercise import COMMENTS, GIVEN, PARTS, alternatives, functions

REMARKS = [("now all of them", "jetzt alle durchgehen"), ("this took me long", "das war schwer"),
           ("see the lecture", "siehe Vorlesung"), ("should be right", "müsste stimmen"),
           ("remember this one", "diesen Wert merken"), ("next", "weiter mit dem nächsten"),
           ("careful with the bounds", "Vorsicht mit den Grenzen"), ("done", "fertig"),
           ("what we look for", "was wir suchen"), ("ask about this", "im Tutorium fragen")]
WORDS = ("value mark grade number item entry data list result answer sum total count counter "
         "amount position place pos spot left right begin finish start stop first last "
         "current actual next following temp tmp aux helper hold keep save best top highest max "
         "biggest winner min least size length width steps limit bound edge flag ok found hit "
         "check test ready state row column group block chunk piece part section share rest "
         "middle center average typical spread range diff delta gap jump run streak series chain "
         "score point points level rank tally bucket bin slot cell box pile stack queue heap "
         "table array numbers marks grades values scores entries items elements things").split()


@dataclass
class Work:
    """A program: its functions, each with its layout, and the students it comes from."""
    name: str
    functions: list
    sources: set
    owners: dict = field(default_factory=dict)   # the part that a function belongs to
    entries: dict = field(default_factory=dict)  # the function that a part is called by


# ---- small tools

NEGATED = {ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt, ast.Eq: ast.NotEq,
           ast.NotEq: ast.Eq}
MIRRORED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq,
            ast.NotEq: ast.NotEq}


def parse(text):
    return ast.parse(text).body[0]


def negated(test):
    if isinstance(test, ast.Compare):
        return ast.Compare(test.left, [NEGATED[type(test.ops[0])]()], test.comparators)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)


def names_in(node):
    return {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def names_set(node):
    """The variables that are assigned, and the lists that are changed."""
    found = set()
    for inner in ast.walk(node):
        if isinstance(inner, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)):
            target = inner.targets[0] if isinstance(inner, ast.Assign) else inner.target
            found.add(target.value.id if isinstance(target, ast.Subscript) else target.id)
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            found.add(inner.func.value.id)
    return found


class Blocks(ast.NodeTransformer):
    """Changes every list of statements, the innermost first."""

    def __init__(self, change):
        self.change = change

    def generic_visit(self, node):
        super().generic_visit(node)
        for name in ("body", "orelse"):
            statements = getattr(node, name, None)
            if isinstance(statements, list) and statements:
                setattr(node, name, self.change(statements))
        return node


def change_blocks(functions, change):
    for function in functions:
        Blocks(change).visit(function)


# ---- habits: how the programs of honest students differ

def mirror_comparisons(functions, rng, share):
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Compare) and rng.random() < share:
                node.left, node.comparators = node.comparators[0], [node.left]
                node.ops = [MIRRORED[type(node.ops[0])]()]


def count_by_index(functions, rng, share):
    """for x in xs: becomes a loop over indexes."""
    def change(statements):
        for i, node in enumerate(statements):
            if (isinstance(node, ast.For) and isinstance(node.iter, ast.Name)
                    and rng.random() < share):
                x, xs = node.target.id, node.iter.id
                loop = parse(f"for at_{x} in range(len({xs})):\n    {x}: int = {xs}[at_{x}]")
                loop.body += node.body
                statements[i] = loop
        return statements
    change_blocks(functions, change)


def loops_to_while(functions, rng, share):
    def change(statements):
        result = []
        for node in statements:
            if (isinstance(node, ast.For) and isinstance(node.iter, ast.Call)
                    and rng.random() < share):
                result += as_while(node)
            else:
                result.append(node)
        return result
    change_blocks(functions, change)


def as_while(loop):
    arguments = loop.iter.args
    start, stop = arguments[:2] if len(arguments) > 1 else (ast.Constant(0), arguments[0])
    step = ast.unparse(arguments[2]) if len(arguments) > 2 else "1"
    sign, limit = ("-", ">") if step.startswith("-") else ("+", "<")
    name = loop.target.id
    begin = parse(f"{name}: int = {ast.unparse(start)}")
    around = parse(f"while {name} {limit} {ast.unparse(stop)}: pass")
    around.body = loop.body + [parse(f"{name} {sign}= {step.lstrip('-')}")]
    return [begin, around]


def keep_length(functions):
    """The length of a list that is not changed becomes a variable."""
    for function in functions:
        lists = [argument.arg for argument in function.args.args
                 if argument.annotation.id == "List"]
        for xs in lists:
            uses = [node for node in ast.walk(function) if isinstance(node, ast.Call)
                    and ast.unparse(node) == f"len({xs})"]
            taken = names_in(function) | {argument.arg for argument in function.args.args}
            grows = any(isinstance(node, ast.Attribute) and node.value.id == xs
                        for node in ast.walk(function)) or function.name == "solve"
            if len(uses) < 2 or "len_" + xs in taken or grows:
                continue
            replace_calls(function, f"len({xs})", f"len_{xs}")
            function.body.insert(0, parse(f"len_{xs}: int = len({xs})"))


def replace_calls(function, text, name):
    class Replace(ast.NodeTransformer):
        def visit_Call(self, node):
            self.generic_visit(node)
            return ast.Name(name) if ast.unparse(node) == text else node
    Replace().visit(function)


def keep_result(functions, rng, share):
    """A result becomes a variable before it is returned."""
    for function in functions:
        if not isinstance(function.returns, ast.Name):
            continue

        def change(statements, kind=function.returns.id):
            last = statements[-1]
            if (isinstance(last, ast.Return) and not isinstance(last.value, (ast.Name,
                                                                             ast.Constant))
                    and rng.random() < share):
                named = parse(f"outcome: {kind} = 0")
                named.value = last.value
                return statements[:-1] + [named, ast.Return(ast.Name("outcome"))]
            return statements
        Blocks(change).visit(function)


def turn_choices(functions, rng, share):
    """if a: x else: y becomes if not a: y else: x."""
    for function in functions:
        for node in ast.walk(function):
            if (isinstance(node, ast.If) and node.orelse and rng.random() < share
                    and not isinstance(node.orelse[0], ast.If)):
                node.test = negated(node.test)
                node.body, node.orelse = node.orelse, node.body


def guard_else(functions, rng, share):
    """Statements after an if that returns become its else."""
    def change(statements):
        for i, node in enumerate(statements[:-1]):
            if (isinstance(node, ast.If) and not node.orelse and rng.random() < share
                    and isinstance(node.body[-1], ast.Return)):
                node.orelse = statements[i + 1:]
                return statements[:i + 1]
        return statements
    change_blocks(functions, change)


def name_elements(functions, rng, share):
    """An element that a loop uses twice becomes a variable."""
    def change(statements):
        for node in statements:
            if (not isinstance(node, ast.For) or not isinstance(node.iter, ast.Call)
                    or rng.random() >= share):
                continue
            inside = ast.Module(node.body, [])
            texts = [ast.unparse(inner) for inner in ast.walk(inside)
                     if isinstance(inner, ast.Subscript)]
            for text in sorted(set(texts)):
                xs, at = text[:-1].split("[", 1)
                if (texts.count(text) > 1 and at == node.target.id and at not in names_set(inside)
                        and xs not in names_set(inside)):
                    replace_elements(node, text, f"one_{xs}")
                    node.body.insert(0, parse(f"one_{xs}: int = {text}"))
                    break
        return statements
    change_blocks(functions, change)


def replace_elements(loop, text, name):
    class Replace(ast.NodeTransformer):
        def visit_Subscript(self, node):
            self.generic_visit(node)
            return ast.Name(name) if ast.unparse(node) == text else node
    loop.body = [Replace().visit(node) for node in loop.body]


def shuffle_independent(functions, rng, share):
    """Independent neighbouring statements are swapped."""
    def change(statements):
        statements = list(statements)
        for i in range(len(statements) - 1):
            if independent(*statements[i:i + 2]) and rng.random() < share:
                statements[i:i + 2] = reversed(statements[i:i + 2])
        return statements
    change_blocks(functions, change)


def independent(a, b):
    plain = (ast.Assign, ast.AugAssign, ast.AnnAssign)
    shows = all(isinstance(node, ast.Expr) and isinstance(node.value.func, ast.Name)
                and node.value.func.id == "show" for node in (a, b))
    if shows:
        return True
    if not isinstance(a, plain) or not isinstance(b, plain):
        return False
    if (calls(a) | calls(b)) - GIVEN or "read_number" in calls(a) | calls(b):
        return False
    return not (names_set(a) & names_in(b) or names_set(b) & names_in(a))


def invent(rng, old, keep):
    """A new name: the old one, or a random one."""
    if rng.random() < keep:
        return old
    name = rng.choice(WORDS)
    if rng.random() < 0.6:
        name += "_" + rng.choice(WORDS)
    return name


def rename(work, rng, keep=0.0, choose=invent):
    """Renames all names, except a fraction that is kept, and the functions that the hand-out
    calls."""
    mapping = {}
    taken = GIVEN | {"solve", "marks"}

    def new_name(old):
        if old in GIVEN or old == "solve":
            return old
        if old not in mapping:
            name = choose(rng, old, keep)
            while name in taken:
                name = choose(rng, old, keep)
            mapping[old] = name
            taken.add(name)
        return mapping[old]

    for function in work.functions:
        function.name = new_name(function.name)
        for node in ast.walk(function):
            if isinstance(node, ast.Name):
                node.id = new_name(node.id)
            elif isinstance(node, ast.arg):
                node.arg = new_name(node.arg)
    work.owners = {new_name(name): part for name, part in work.owners.items()}
    work.entries = {part: new_name(name) for part, name in work.entries.items()}


# ---- students

def choose_layout(rng):
    return Layout(indent=rng.choice(["    ", "    ", "  ", "\t"]), brace_below=rng.random() < 0.3,
                  bare=rng.random() < 0.4, step=rng.choice(["+=", "=", "++", "++"]),
                  declare_first=rng.random() < 0.25, printing=rng.randrange(12),
                  blank=rng.choice([0, 0, 0.1, 0.2]), comments=rng.choice([0, 0.1, 0.3]))


def choose_ways(rng, parts, others):
    """Chooses a way for each part. Two students take the same way in at most one of five parts:
    honest students share ideas, but not half of their functions."""
    alike = [0] * len(others)
    ways = []
    for i, part in enumerate(parts):
        closed = {other[i] for other, count in zip(others, alike) if count >= len(parts) // 5}
        open_ways = [way for way in range(len(alternatives(part))) if way not in closed]
        if not open_ways:
            return choose_ways(rng, parts, others)
        ways.append(rng.choice(open_ways))
        alike = [count + (other[i] == ways[i]) for other, count in zip(others, alike)]
    return ways


def study(seed, number, ways, parts=tuple(PARTS)):
    """The honest solution of one student."""
    rng = random.Random(f"{seed} student {number}")
    work = Work(f"student{number:02}", [], {number})
    layout = choose_layout(rng)
    for part, way in zip(parts, ways):
        add_part(work, part, functions(part, way))
    leave_out_missing(work)
    for habit in (mirror_comparisons, count_by_index, name_elements, loops_to_while, keep_result,
                  turn_choices, guard_else, shuffle_independent):
        habit(work.functions, rng, rng.choice([0, 0, 0.3, 0.7]))
    if rng.random() < 0.4:
        keep_length(work.functions)
    if rng.random() < 0.3:
        rng.shuffle(work.functions)
    rename(work, rng, keep=rng.choice([0, 0.2, 0.4]))
    for function in work.functions:
        function.layout = layout
    return work


def study_all(seed, count, parts=tuple(PARTS)):
    rng, ways = random.Random(f"{seed} ways"), []
    for _ in range(count):
        ways.append(choose_ways(rng, parts, ways))
    return [study(seed, number, chosen, parts) for number, chosen in enumerate(ways)]


def add_part(work, part, functions):
    """Adds a part with its helpers. Helpers of several parts with the same name stay distinct."""
    taken = {function.name for function in work.functions}
    names = {function.name: f"{part}_{function.name}" for function in functions
             if function.name in taken}
    rename_functions(functions, names)
    work.functions += functions
    work.owners.update((function.name, part) for function in functions)
    work.entries[part] = functions[-1].name


def rename_functions(functions, names):
    for function in functions:
        function.name = names.get(function.name, function.name)
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                node.func.id = names.get(node.func.id, node.func.id)


def leave_out_missing(work):
    """For a smaller exercise, removes the calls of parts that it does not have."""
    there = {function.name for function in work.functions} | GIVEN

    def change(statements):
        kept = [node for node in statements if calls(node) <= there]
        return kept or [ast.Pass()]
    change_blocks(work.functions, change)


# ---- copies

def take(original, name):
    """An unchanged copy under another name."""
    work = copy.deepcopy(original)
    work.name, work.sources = name, set(original.sources)
    return work


def renamed(work, rng):
    rename(work, rng)


def reordered(work, rng):
    rng.shuffle(work.functions)
    shuffle_independent(work.functions, rng, 0.8)


def reformatted(work, rng):
    """A copy with another layout and other comments."""
    for function in work.functions:
        old = function.layout
        function.layout = replace(old, indent="\t" if old.indent != "\t" else "  ",
                                  brace_below=not old.brace_below, blank=0.3, comments=0.6,
                                  translated=True)


def leaves(node):
    """Whether the statements after a statement are never reached."""
    if isinstance(node, ast.If):
        return bool(node.orelse) and leaves(node.body[-1]) and leaves(node.orelse[-1])
    return isinstance(node, (ast.Return, ast.Break))


def padded(work, rng):
    """A copy with a statement without effect after every line."""
    counter = [0]

    def dead():
        counter[0] += 1
        name, number = f"extra{counter[0]}", rng.randrange(2, 99)
        return ast.parse(rng.choice([
            f"{name}: int = {number}",
            f"{name}: int = {number} + {rng.randrange(9)}",
            f"{name}: float = {number}.5",
            f"{name}: int = {number}\n{name} += 1",
            f"{name}: int = {number}\nif {name} < 0:\n    {name} = 0",
            f"{name}: bool = {number} > {rng.randrange(100, 200)}",
            f"for {name} in range({rng.randrange(1, 4)}):\n    pass"])).body

    def change(statements):
        result = []
        for node in statements:
            if leaves(node):
                result += dead() + [node]
            else:
                result += [node] + dead()
        return result
    change_blocks(work.functions, change)


def relooped(work, rng):
    """A copy in which for becomes while, and while becomes for."""
    def change(statements):
        result = []
        for node in statements:
            if isinstance(node, ast.While) and not getattr(node, "was_for", False):
                node.as_for = True
            if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
                begin, loop = as_while(node)
                loop.was_for = True
                result += [begin, loop]
            else:
                result.append(node)
        return result
    count_by_index(work.functions, rng, 1)
    change_blocks(work.functions, change)


def revalued(work, rng):
    """A copy with other numbers and texts."""
    for function in work.functions:
        for node in ast.walk(function):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                node.value = " ".join(rng.choice(WORDS) for _ in range(2))
            elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
                if node.value not in (True, False, 0, 1, 2):
                    node.value += rng.randrange(1, 5)


def replace_parts(work, other, parts):
    """Replaces the functions of some parts by those of another work, unchanged."""
    kept = [function for function in work.functions if work.owners[function.name] not in parts]
    taken = copy.deepcopy([function for function in other.functions
                           if other.owners[function.name] in parts])
    names = {function.name: function.name + "_too" for function in taken}
    names.update((other.entries[part], work.entries[part]) for part in other.entries)
    owners = {names[function.name]: other.owners[function.name] for function in taken}
    rename_functions(taken, names)
    work.owners = {**{function.name: work.owners[function.name] for function in kept}, **owners}
    work.functions = taken + kept
    work.sources |= other.sources


DISGUISES = {"renamed": renamed, "reordered": reordered, "reformatted": reformatted,
             "padded": padded, "relooped": relooped, "revalued": revalued}
COMBINED = [("renamed", "reordered", "reformatted"), ("renamed", "relooped", "revalued"),
            ("reordered", "padded", "reformatted"), ("renamed", "reordered", "relooped")]


class Class:
    """Honest solutions, and copies of the first of them (merged: of the first two)."""

    def __init__(self, language, seed=1, honest=25):
        self.language, self.seed = language, seed
        *self.honest, partial = study_all(seed, honest + 1)
        original, second = self.honest[:2]
        self.copies = [self.disguise(original, [name]) for name in DISGUISES]
        self.copies += [self.disguise(original, names) for names in COMBINED]
        rng = random.Random(f"{seed} parts")
        merged = take(second, "merged")
        replace_parts(merged, original, half(rng))
        partial.name = "partial"
        replace_parts(partial, original, half(rng))
        self.copies += [merged, partial]

    def disguise(self, original, names):
        work = take(original, "+".join(names))
        for name in names:
            DISGUISES[name](work, random.Random(f"{self.seed} {work.name}"))
        return work

    def files(self):
        """File names and their contents."""
        return {self.file_name(work): self.write(work) for work in self.honest + self.copies}

    def file_name(self, work):
        return work.name + LANGUAGES[self.language].ending

    def write(self, work):
        return write(work, self.language, self.seed)

    def handout(self):
        dialect = LANGUAGES[self.language]
        return dialect.handout + dialect.handout_end

    def pairs(self):
        """File names of all pairs, and whether they are honest, a copy with its original, or
        neither: two copies of the same work."""
        works = self.honest + self.copies
        kinds = {}
        for i, a in enumerate(works):
            for b in works[i + 1:]:
                pair = tuple(sorted((self.file_name(a), self.file_name(b))))
                if not a.sources & b.sources:
                    kinds[pair] = "honest"
                elif a in self.honest:
                    kinds[pair] = "copy"
        return kinds


def half(rng):
    """A random half of the parts."""
    return set(rng.sample([part for part in PARTS if part != "report"], len(PARTS) // 2))


def write(work, language, seed=1):
    rng = random.Random(f"{seed} {work.name} {language}")
    about = {name: COMMENTS[part] for part, name in work.entries.items()}
    return LANGUAGES[language](rng, about, REMARKS).whole(work.functions)


# ---- an exercise of a few lines

USUAL = {"xs": "list lst a arr numbers nums values data xs".split(),
         "ys": "result reversed new other b out ys".split(),
         "total": "sum total s result acc t res".split(), "x": "x n v num value e".split(),
         "i": "i i i i k idx index".split(), "j": "j j j k end last".split(),
         "t": "tmp temp t h swap".split(), "n": "n n limit max count".split(),
         "said": "found flag done printed".split(), "low": "i l left low".split(),
         "high": "j r right high".split(), "at": "i pos at start".split()}


def usual_name(rng, old, _):
    """The most usual name."""
    return rng.choice(USUAL.get(old, [old, old + "_" + rng.choice("abcdef")]))


def solve_tiny(exercise, seed, number):
    """The solution of a student who has seen no other."""
    rng = random.Random(f"{seed} {exercise} {number}")
    work = Work(f"student{number:03}", [], {number})
    add_part(work, exercise, functions(exercise, rng.randrange(len(alternatives(exercise)))))
    for habit in (mirror_comparisons, count_by_index, keep_result, turn_choices,
                  shuffle_independent):
        habit(work.functions, rng, rng.choice([0, 0, 0, 0.5]))
    rename(work, rng, choose=usual_name)
    layout = choose_layout(rng)
    for function in work.functions:
        function.layout = replace(layout, declare_first=False)
    return work


def write_tiny(exercise, language, count=200, seed=1):
    """File names and their contents."""
    dialect = LANGUAGES[language]
    return {work.name + dialect.ending: dialect(random.Random(work.name), {}, REMARKS).alone(
                work.functions)
            for work in (solve_tiny(exercise, seed, number) for number in range(count))}
