"""Writes the programs of exercise.py as Python, Java or C, in many layouts."""
import ast
from dataclasses import dataclass

from exercise import GIVEN

OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//",
             ast.Mod: "%", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
             ast.NotEq: "!="}
STRENGTH = {"or": 1, "and": 2, "not": 3, "compare": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6,
            "%": 6, "sign": 7, "atom": 8}


def calls(function):
    """The names of the functions that a function calls."""
    return {node.func.id for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}


@dataclass
class Layout:
    """The style of a student, where the language allows several."""
    indent: str = "    "
    brace_below: bool = False    # on a line of its own
    bare: bool = False           # no braces around one statement
    step: str = "+="             # or "=", or "++"
    declare_first: bool = False  # all variables at the top
    printing: int = 0            # one of the language's ways
    blank: float = 0.0           # fraction of statements with an empty line before them
    comments: float = 0.2        # fraction of statements with a comment
    translated: bool = False     # comments are in another language


class Dialect:
    """Writes a program as lines of text, statement by statement."""

    ending = ""
    line_comment = "//"

    def __init__(self, rng, about, comments):
        """`about` has comments for functions by name, `comments` are for any statement."""
        self.rng, self.about, self.comments, self.layout = rng, about, comments, Layout()
        self.lines, self.depth, self.scopes, self.types = [], 0, [], {}

    def program(self, functions):
        for function in functions:
            self.layout = function.layout
            self.function(function)
        return "\n".join(self.lines) + "\n"

    def alone(self, functions):
        """The program without a hand-out."""
        return self.program(functions)

    def line(self, text):
        self.lines.append(self.layout.indent * self.depth + text if text else "")

    def comment(self, texts):
        self.line(f"{self.line_comment} {texts[self.layout.translated]}")

    # ---- expressions: their text, and the precedence of their operator

    def text(self, node, least=0):
        text, strength = self.expression(node)
        return text if strength >= least else f"({text})"

    def expression(self, node):
        return getattr(self, type(node).__name__.lower())(node)

    def name(self, node):
        return node.id, STRENGTH["atom"]

    def binop(self, node):
        sign = OPERATORS[type(node.op)]
        strength = STRENGTH[sign]
        left, right = self.text(node.left, strength), self.text(node.right, strength + 1)
        return f"{left} {self.sign(sign)} {right}", strength

    def compare(self, node):
        strength = STRENGTH["compare"]
        left, right = (self.text(side, strength + 1) for side in (node.left, node.comparators[0]))
        return f"{left} {OPERATORS[type(node.ops[0])]} {right}", strength

    def boolop(self, node):
        word = "and" if isinstance(node.op, ast.And) else "or"
        parts = [self.text(value, STRENGTH[word] + 1) for value in node.values]
        return f" {self.words[word]} ".join(parts), STRENGTH[word]

    def unaryop(self, node):
        if isinstance(node.op, ast.USub):
            return f"-{self.text(node.operand, STRENGTH['sign'])}", STRENGTH["sign"]
        return self.negation(node.operand)

    def call(self, node):
        if isinstance(node.func, ast.Attribute):
            return self.append(self.text(node.func.value), self.text(node.args[0]))
        own = getattr(self, f"call_{node.func.id}", None)
        if own:
            return own(*node.args)
        arguments = ", ".join(self.text(argument) for argument in node.args)
        return f"{node.func.id}({arguments})", STRENGTH["atom"]

    # ---- statements

    def block(self, statements):
        self.depth += 1
        self.scopes.append(set())
        for statement in statements:
            self.statement(statement)
        self.scopes.pop()
        self.depth -= 1

    def statement(self, node):
        if self.rng.random() < self.layout.blank:
            self.line("")
        if self.rng.random() < self.layout.comments:
            self.comment(self.rng.choice(self.comments))
        getattr(self, f"do_{type(node).__name__.lower()}")(node)

    def is_new(self, name):
        """Whether a variable is new; it counts as declared from now on."""
        if any(name in scope for scope in self.scopes):
            return False
        self.scopes[-1].add(name)
        return True

    def do_expr(self, node):
        self.simple(self.text(node.value))

    def do_annassign(self, node):
        self.types[node.target.id] = node.annotation.id
        self.declare(node)

    def do_assign(self, node):
        self.set(node.targets[0], self.text(node.value))

    def do_augassign(self, node):
        sign, step = OPERATORS[type(node.op)], self.layout.step
        if step == "=":
            self.set(node.target, self.text(ast.BinOp(node.target, node.op, node.value)))
        else:
            self.change(node.target, sign, self.text(node.value))

    def do_return(self, node):
        self.simple(f"return {self.text(node.value)}" if node.value else "return")

    def do_break(self, _):
        self.simple("break")


class Python(Dialect):
    ending = ".py"
    line_comment = "#"
    words = {"and": "and", "or": "or"}
    handout = '''"""Marks: a first program in Python. Hand in this file."""
import math
import sys

WORDS = sys.stdin.read().split()


def read_number():
    """The next number of the input; -1 when there is none."""
    if not WORDS:
        return -1
    word = WORDS.pop(0)
    try:
        return int(word)
    except ValueError:
        print("not a number:", word, file=sys.stderr)
        return -1


# ---- Your functions go below this line.
'''
    handout_end = '''

if __name__ == "__main__":
    marks = []
    solve(marks)
    print("Done.", len(marks), "marks were read.")
'''

    def whole(self, functions):
        return self.handout + self.program(functions) + self.handout_end

    def function(self, node):
        self.scopes, self.types = [set()], {}
        self.line("")
        self.line("")
        if self.layout.comments and node.name in self.about:
            self.comment(self.about[node.name])
        arguments = [argument.arg for argument in node.args.args]
        self.line(f"def {node.name}({', '.join(arguments)}):")
        self.block(node.body)

    def sign(self, sign):
        return sign

    def constant(self, node):
        return (f'"{node.value}"' if isinstance(node.value, str) else str(node.value),
                STRENGTH["atom"])

    def subscript(self, node):
        return f"{self.text(node.value)}[{self.text(node.slice)}]", STRENGTH["atom"]

    def negation(self, operand):
        return f"not {self.text(operand, STRENGTH['not'])}", STRENGTH["not"]

    def append(self, xs, x):
        return f"{xs}.append({x})", STRENGTH["atom"]

    def call_List(self):
        return "[]", STRENGTH["atom"]

    def call_zeros(self, count):
        return f"[0] * {self.text(count, STRENGTH['*'])}", STRENGTH["*"]

    def call_float(self, value):
        return self.expression(value)

    def call_sqrt(self, value):
        return f"math.sqrt({self.text(value)})", STRENGTH["atom"]

    def call_show(self, label, value):
        label, value = label.value, self.text(value)
        return [f'print("{label}:", {value})', f'print(f"{label}: {{{value}}}")',
                f'print("{label}: " + str({value}))',
                f'print("{label}: {{}}".format({value}))'][self.layout.printing % 4], 8

    def call_say(self, text):
        return f"print({self.text(text) if text.value else ''})", 8

    def call_put(self, text):
        return (f'print({self.text(text)}, end="")' if self.layout.printing % 2 else
                f"sys.stdout.write({self.text(text)})"), 8

    def simple(self, text):
        self.line(text)

    def declare(self, node):
        self.set(node.target, self.text(node.value))

    def set(self, target, value):
        self.line(f"{self.text(target)} = {value}")

    def change(self, target, sign, value):
        self.line(f"{self.text(target)} {sign}= {value}")

    def do_if(self, node, word="if"):
        self.line(f"{word} {self.text(node.test)}:")
        self.block(node.body)
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self.do_if(node.orelse[0], "elif")
        elif node.orelse:
            self.line("else:")
            self.block(node.orelse)

    def do_while(self, node):
        self.line(f"while {self.text(node.test)}:")
        self.block(node.body)

    def do_for(self, node):
        self.line(f"for {node.target.id} in {self.text(node.iter)}:")
        self.block(node.body)

    def do_pass(self, _):
        self.line("pass")


class Braces(Dialect):
    """What Java and C share."""

    words = {"and": "&&", "or": "||"}

    def sign(self, sign):
        return "/" if sign == "//" else sign

    def constant(self, node):
        if isinstance(node.value, bool):
            return self.truth[node.value], STRENGTH["atom"]
        return (f'"{node.value}"' if isinstance(node.value, str) else str(node.value),
                STRENGTH["atom"])

    def negation(self, operand):
        return f"!{self.text(operand, STRENGTH['sign'])}", STRENGTH["sign"]

    def call_float(self, value):
        return f"(double) {self.text(value, STRENGTH['sign'])}", STRENGTH["sign"]

    def typed(self, annotation, name):
        kind = self.type_names[annotation]
        return f"{kind}{'' if kind.endswith('*') else ' '}{name}"

    def head(self, node):
        arguments = ", ".join(self.typed(argument.annotation.id, argument.arg)
                              for argument in node.args.args)
        kind = node.returns.id if isinstance(node.returns, ast.Name) else "None"
        return f"{self.typed(kind, node.name)}({arguments or self.no_arguments})"

    def function(self, node):
        self.types = {argument.arg: argument.annotation.id for argument in node.args.args}
        self.scopes = [set(self.types)]
        self.line("")
        if self.layout.comments and node.name in self.about:
            self.comment(self.about[node.name])
        self.open(self.function_prefix + self.head(node))
        if self.layout.declare_first:
            self.declare_all(node)
        self.block(node.body)
        self.line("}")

    def declare_all(self, function):
        """Declares all plain variables before the first statement."""
        kinds = {}
        for node in ast.walk(function):
            if isinstance(node, ast.AnnAssign) and node.annotation.id in ("int", "float"):
                kinds.setdefault(node.annotation.id, {})[node.target.id] = True
            elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
                kinds.setdefault("int", {})[node.target.id] = True
        self.depth += 1
        for kind, names in kinds.items():
            names = [name for name in names if self.is_new(name)]
            if names:
                self.line(f"{self.type_names[kind]} {', '.join(names)};")
        self.depth -= 1

    def open(self, text):
        if self.layout.brace_below:
            self.line(text)
            self.line("{")
        else:
            self.line(f"{text} {{")

    def nested(self, head, statements, follows=False):
        """Writes a head and its block. `follows`: whether an else comes after it."""
        if self.layout.bare and not follows and len(statements) == 1 and isinstance(
                statements[0], (ast.Return, ast.Break, ast.Assign, ast.AugAssign, ast.Expr)):
            self.line(head)
            self.block(statements)
            return
        self.open(head)
        self.block(statements)
        self.line("}")

    def simple(self, text):
        self.line(f"{text};")

    def declare(self, node):
        name, kind = node.target.id, node.annotation.id
        if not self.is_new(name):
            self.set(node.target, self.text(node.value))
        elif kind == "Table":
            self.simple(self.table(name, self.text(node.value.args[0])))
        else:
            self.simple(f"{self.typed(kind, name)} = {self.text(node.value)}")

    def step(self, target, sign, value):
        if self.layout.step == "=":
            return f"{target} = {target} {sign} {value}"
        if value == "1" and self.layout.step == "++":
            return f"{target}{sign}{sign}"
        return f"{target} {sign}= {value}"

    def do_if(self, node, prefix=""):
        self.nested(f"{prefix}if ({self.text(node.test)})", node.body, bool(node.orelse))
        if not node.orelse:
            return
        start = "else "
        if not self.layout.brace_below and self.lines[-1].strip() == "}":
            self.lines.pop()
            start = "} else "
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            self.do_if(node.orelse[0], start)
        else:
            self.nested(start.rstrip(), node.orelse)

    def do_while(self, node):
        if getattr(node, "as_for", False):
            self.nested(f"for (; {self.text(node.test)};)", node.body)
        else:
            self.nested(f"while ({self.text(node.test)})", node.body)

    def do_for(self, node):
        if isinstance(node.iter, ast.Call):
            self.scopes.append(set())
            self.counted(node)
            self.scopes.pop()
        else:
            self.each(node)

    def counted(self, node):
        name, arguments = node.target.id, [self.text(argument) for argument in node.iter.args]
        start, stop = arguments[-2:] if len(arguments) == 2 else ("0", arguments[0])
        step, sign, limit = "1", "+", "<"
        if len(arguments) == 3:
            start, stop, step = arguments
        if step.startswith("-"):
            step, sign, limit = step[1:], "-", ">"
        kind = f"{self.type_names['int']} " if self.is_new(name) else ""
        self.nested(f"for ({kind}{name} = {start}; {name} {limit} {stop}; "
                    f"{self.step(name, sign, step)})", node.body)

    def do_pass(self, _):
        self.line(";")


class Java(Braces):
    ending = ".java"
    truth = {True: "true", False: "false"}
    type_names = {"int": "int", "float": "double", "bool": "boolean", "List": "List<Integer>",
                  "None": "void"}
    no_arguments = ""
    function_prefix = "static "
    handout = '''/*
 * Marks: a first program in Java. Hand in this file.
 */
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

public class Marks {
    private static final Scanner INPUT = new Scanner(System.in);

    /** The next number of the input; -1 when there is none. */
    static int readNumber() {
        if (!INPUT.hasNext()) {
            return -1;
        }
        String word = INPUT.next();
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException problem) {
            System.err.println("not a number: " + word);
            return -1;
        }
    }

    public static void main(String[] arguments) {
        List<Integer> marks = new ArrayList<>();
        solve(marks);
        System.out.println("Done. " + marks.size() + " marks were read.");
    }

    // ---- Your functions go below this line.
'''
    handout_end = "}\n"

    def whole(self, functions):
        self.depth = 1
        return self.handout + self.program(functions) + self.handout_end

    def alone(self, functions):
        self.depth = 1
        return f"public class Main {{\n{self.program(functions)}}}\n"

    def subscript(self, node):
        xs, at = self.text(node.value), self.text(node.slice)
        if self.types.get(xs) == "Table":
            return f"{xs}[{at}]", STRENGTH["atom"]
        return f"{xs}.get({at})", STRENGTH["atom"]

    def table(self, name, count):
        return f"int[] {name} = new int[{count}]"

    def append(self, xs, x):
        return f"{xs}.add({x})", STRENGTH["atom"]

    def call_List(self):
        return "new ArrayList<>()", STRENGTH["atom"]

    def call_len(self, xs):
        return f"{self.text(xs)}.size()", STRENGTH["atom"]

    def call_sqrt(self, value):
        return f"Math.sqrt({self.text(value)})", STRENGTH["atom"]

    def call_read_number(self):
        return "readNumber()", STRENGTH["atom"]

    def call_show(self, label, value):
        label, value, strong = label.value, self.text(value), self.text(value, STRENGTH["*"])
        return [f'System.out.println("{label}: " + {strong})',
                f'System.out.printf("{label}: %s%n", {value})',
                f'System.out.print("{label}: " + {strong} + "\\n")',
                f'System.out.println(String.format("{label}: %s", {value}))'][
                    self.layout.printing % 4], STRENGTH["atom"]

    def call_say(self, text):
        return f"System.out.println({self.text(text) if text.value else ''})", 8

    def call_put(self, text):
        return f"System.out.print({self.text(text)})", STRENGTH["atom"]

    def set(self, target, value):
        if isinstance(target, ast.Subscript) and self.types.get(target.value.id) != "Table":
            self.simple(f"{target.value.id}.set({self.text(target.slice)}, {value})")
        else:
            self.simple(f"{self.text(target)} = {value}")

    def change(self, target, sign, value):
        if isinstance(target, ast.Subscript) and self.types.get(target.value.id) != "Table":
            self.set(target, f"{self.text(target)} {sign} {value}")
        else:
            self.simple(self.step(self.text(target), sign, value))

    def each(self, node):
        self.scopes.append({node.target.id})
        self.nested(f"for (int {node.target.id} : {self.text(node.iter)})", node.body)
        self.scopes.pop()


class C(Braces):
    ending = ".c"
    truth = {True: "1", False: "0"}
    type_names = {"int": "int", "float": "double", "bool": "int", "List": "List *",
                  "None": "void"}
    no_arguments = "void"
    function_prefix = ""
    handout = '''/*
 * Marks: a first program in C. Hand in this file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 1000

typedef struct {
    int items[MOST];
    int count;
} List;

void solve(List *marks);

List *new_list(void)
{
    return calloc(1, sizeof(List));
}

void append(List *list, int value)
{
    if (list->count == MOST) {
        fprintf(stderr, "too many numbers\\n");
        exit(1);
    }
    list->items[list->count++] = value;
}

/* The next number of the input; -1 when there is none. */
int read_number(void)
{
    int number;
    return scanf("%d", &number) == 1 ? number : -1;
}

int main(void)
{
    List *marks = new_list();
    solve(marks);
    printf("Done. %d marks were read.\\n", marks->count);
    return 0;
}

/* ---- Your functions go below this line. */
'''
    handout_end = ""

    def whole(self, functions):
        return self.handout + self.heads(functions) + self.program(functions)

    def program(self, functions):
        self.fraction_calls = {function.name for function in functions
                               if isinstance(function.returns, ast.Name)
                               and function.returns.id == "float"}
        return super().program(functions)

    def heads(self, functions):
        """The declarations of all functions, if one is called before its definition."""
        there = set()
        for function in functions:
            there.add(function.name)
            if not there.issuperset(calls(function) - GIVEN):
                return "\n" + "".join(f"{self.head(one)};\n" for one in functions)
        return ""

    def function(self, node):
        self.fractions = {argument.arg for argument in node.args.args
                          if argument.annotation.id == "float"}
        self.fractions.update(inner.target.id for inner in ast.walk(node)
                              if isinstance(inner, ast.AnnAssign)
                              and inner.annotation.id == "float")
        super().function(node)

    def is_fraction(self, node):
        return (isinstance(node, ast.Name) and node.id in self.fractions or
                isinstance(node, ast.Call) and node.func.id in self.fraction_calls)

    def subscript(self, node):
        xs, at = self.text(node.value), self.text(node.slice)
        if self.types.get(xs) == "Table":
            return f"{xs}[{at}]", STRENGTH["atom"]
        return f"{xs}->items[{at}]", STRENGTH["atom"]

    def table(self, name, count):
        return f"int {name}[{count}] = {{0}}"

    def append(self, xs, x):
        return f"append({xs}, {x})", STRENGTH["atom"]

    def call_List(self):
        return "new_list()", STRENGTH["atom"]

    def call_len(self, xs):
        return f"{self.text(xs)}->count", STRENGTH["atom"]

    def call_show(self, label, value):
        form = "%f" if self.is_fraction(value) else "%d"
        label, value = label.value, self.text(value)
        return [f'printf("{label}: {form}\\n", {value})',
                f'printf("%s: {form}\\n", "{label}", {value})',
                f'fprintf(stdout, "{label}: {form}\\n", {value})'][
                    self.layout.printing % 3], STRENGTH["atom"]

    def call_say(self, text):
        if self.layout.printing % 2:
            return f"puts({self.text(text)})", STRENGTH["atom"]
        return f'printf("{text.value}\\n")', STRENGTH["atom"]

    def call_put(self, text):
        if self.layout.printing % 3 and len(text.value) == 1:
            return f"putchar('{text.value}')", STRENGTH["atom"]
        return f'printf("{text.value}")', STRENGTH["atom"]

    def set(self, target, value):
        self.simple(f"{self.text(target)} = {value}")

    def change(self, target, sign, value):
        self.simple(self.step(self.text(target), sign, value))

    def each(self, node):
        """A loop by an index, or by a pointer."""
        xs, x = self.text(node.iter), node.target.id
        self.scopes.append({x})
        if self.layout.printing % 2:
            self.open(f"for (int at_{x} = 0; at_{x} < {xs}->count; at_{x}++)")
            inside = f"int {x} = {xs}->items[at_{x}];"
        else:
            self.open(f"for (int *p_{x} = {xs}->items; p_{x} < {xs}->items + {xs}->count; "
                      f"p_{x}++)")
            inside = f"int {x} = *p_{x};"
        self.depth += 1
        self.line(inside)
        self.depth -= 1
        self.block(node.body)
        self.line("}")
        self.scopes.pop()


LANGUAGES = {"python": Python, "java": Java, "c": C}
