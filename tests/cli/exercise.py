"""An exercise, and the ways in which students solve each of its parts.

Marks are read, sorted, and described by figures. Every part is written in several ways, in a
small typed subset of Python, which dialect.py writes as Python, Java or C: a List grows, a Table
is an array of numbers, show() prints a figure, say() a line, put() a text.
"""
import ast

# Functions that every solution may call; see the hand-outs in dialect.py.
GIVEN = {"read_number", "show", "say", "put", "sqrt", "len", "range", "zeros", "float", "int",
         "List", "Table", "bool", "append"}

# The teacher's comments on the parts, in two languages.
COMMENTS = {
    "read": ("Reads the marks up to the end.", "Liest die Noten bis zum Ende ein."),
    "order": ("Puts the marks in order.", "Sortiert die Noten aufsteigend."),
    "mean": ("Arithmetic mean of the marks.", "Das arithmetische Mittel der Noten."),
    "median": ("The value in the middle.", "Der Wert in der Mitte der Reihe."),
    "mode": ("The mark that most students have.", "Die Note, die am häufigsten vorkommt."),
    "deviation": ("How far they are from the mean.", "Wie weit sie vom Mittel entfernt sind."),
    "find": ("Where a mark stands, or -1.", "An welcher Stelle eine Note steht, sonst -1."),
    "distinct": ("How many different marks there are.", "Wie viele verschiedene Noten es gibt."),
    "bars": ("Draws a bar for every ten marks.", "Zeichnet für je zehn Punkte einen Balken."),
    "report": ("Prints all figures.", "Gibt alle Kennzahlen aus."),
}

PARTS = {}

PARTS["read"] = '''
def read(xs: List):
    x: int = read_number()
    while x != -1:
        if x >= 0 and x <= 100:
            xs.append(x)
        x = read_number()
---
def read(xs: List):
    while True:
        x: int = read_number()
        if x < 0:
            break
        if x > 100:
            say("That is too much, left out")
        else:
            xs.append(x)
---
def read(xs: List):
    n: int = read_number()
    for i in range(n):
        x: int = read_number()
        while x > 100:
            say("This is no mark, try again")
            x = read_number()
        if x >= 0:
            xs.append(x)
---
def valid(x: int) -> bool:
    return x >= 0 and x <= 100

def read(xs: List):
    going: bool = True
    while going:
        x: int = read_number()
        going = x != -1
        if going and valid(x):
            xs.append(x)
---
def read(xs: List):
    bad: int = 0
    x: int = 0
    while x >= 0:
        x = read_number()
        if x > 100:
            bad += 1
        elif x >= 0:
            xs.append(x)
    if bad > 0:
        show("Left out", bad)
---
def read(xs: List):
    x: int = read_number()
    if x == -1:
        return
    if not (x < 0 or x > 100):
        xs.append(x)
    read(xs)
---
def read(xs: List):
    all: List = List()
    x: int = read_number()
    while x > -1:
        all.append(x)
        x = read_number()
    for y in all:
        if y <= 100:
            xs.append(y)
    show("Numbers", len(all))
'''

PARTS["order"] = '''
def order(xs: List):
    for i in range(len(xs)):
        for j in range(0, len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                t: int = xs[j]
                xs[j] = xs[j + 1]
                xs[j + 1] = t
---
def order(xs: List):
    for i in range(1, len(xs)):
        x: int = xs[i]
        j: int = i - 1
        while j >= 0 and xs[j] > x:
            xs[j + 1] = xs[j]
            j -= 1
        xs[j + 1] = x
---
def smallest(xs: List, start: int) -> int:
    low: int = start
    for j in range(start + 1, len(xs)):
        if xs[j] < xs[low]:
            low = j
    return low

def order(xs: List):
    for i in range(len(xs)):
        low: int = smallest(xs, i)
        t: int = xs[low]
        xs[low] = xs[i]
        xs[i] = t
---
def sort_part(xs: List, low: int, high: int):
    if low >= high:
        return
    pivot: int = xs[high]
    wall: int = low
    for i in range(low, high):
        if xs[i] < pivot:
            t: int = xs[i]
            xs[i] = xs[wall]
            xs[wall] = t
            wall += 1
    xs[high] = xs[wall]
    xs[wall] = pivot
    sort_part(xs, low, wall - 1)
    sort_part(xs, wall + 1, high)

def order(xs: List):
    sort_part(xs, 0, len(xs) - 1)
---
def order(xs: List):
    times: Table = zeros(101)
    for x in xs:
        times[x] += 1
    at: int = 0
    for mark in range(101):
        while times[mark] > 0:
            xs[at] = mark
            at += 1
            times[mark] -= 1
---
def order(xs: List):
    gap: int = len(xs) // 2
    while gap > 0:
        for i in range(gap, len(xs)):
            x: int = xs[i]
            j: int = i
            while j >= gap and xs[j - gap] > x:
                xs[j] = xs[j - gap]
                j = j - gap
            xs[j] = x
        gap = gap // 2
---
def merge(xs: List, ys: List, low: int, mid: int, high: int):
    i: int = low
    j: int = mid
    for at in range(low, high):
        if i < mid and (j >= high or xs[i] <= xs[j]):
            ys[at] = xs[i]
            i += 1
        else:
            ys[at] = xs[j]
            j += 1
    for at in range(low, high):
        xs[at] = ys[at]

def merge_sort(xs: List, ys: List, low: int, high: int):
    if high - low < 2:
        return
    mid: int = (low + high) // 2
    merge_sort(xs, ys, low, mid)
    merge_sort(xs, ys, mid, high)
    merge(xs, ys, low, mid, high)

def order(xs: List):
    ys: List = List()
    for x in xs:
        ys.append(x)
    merge_sort(xs, ys, 0, len(xs))
---
def order(xs: List):
    swapped: bool = True
    while swapped:
        swapped = False
        i: int = 1
        while i < len(xs):
            if xs[i - 1] > xs[i]:
                t: int = xs[i]
                xs[i] = xs[i - 1]
                xs[i - 1] = t
                swapped = True
            i += 1
'''

PARTS["mean"] = '''
def mean(xs: List) -> float:
    total: int = 0
    for x in xs:
        total += x
    return float(total) / len(xs)
---
def sum_of(xs: List) -> int:
    s: int = 0
    i: int = len(xs)
    while i > 0:
        i -= 1
        s += xs[i]
    return s

def mean(xs: List) -> float:
    if len(xs) == 0:
        return 0.0
    return float(sum_of(xs)) / len(xs)
---
def mean(xs: List) -> float:
    m: float = 0.0
    count: int = 0
    for x in xs:
        count += 1
        m += (x - m) / count
    return m
---
def add_up(xs: List, at: int) -> int:
    if at == len(xs):
        return 0
    return xs[at] + add_up(xs, at + 1)

def mean(xs: List) -> float:
    return 1.0 * add_up(xs, 0) / len(xs)
---
def mean(xs: List) -> float:
    total: float = 0.0
    for i in range(len(xs)):
        total = total + float(xs[i]) / len(xs)
    return total
---
def mean(xs: List) -> float:
    times: Table = zeros(101)
    for x in xs:
        times[x] += 1
    total: int = 0
    for mark in range(1, 101):
        total += mark * times[mark]
    return float(total) / len(xs)
'''

PARTS["median"] = '''
def median(xs: List) -> float:
    mid: int = len(xs) // 2
    if len(xs) % 2 == 1:
        return xs[mid]
    return (xs[mid - 1] + xs[mid]) / 2.0
---
def median(xs: List) -> float:
    low: int = 0
    high: int = len(xs) - 1
    while low < high:
        low += 1
        high -= 1
    return 0.5 * (xs[low] + xs[high])
---
def median(xs: List) -> float:
    a: int = xs[(len(xs) - 1) // 2]
    b: int = xs[len(xs) // 2]
    return float(a + b) / 2
---
def is_even(n: int) -> bool:
    return n % 2 == 0

def median(xs: List) -> float:
    answer: float = 0.0
    if is_even(len(xs)):
        right: int = len(xs) // 2
        answer = float(xs[right]) + xs[right - 1]
        answer = answer / 2
    else:
        answer = xs[(len(xs) - 1) // 2]
    return answer
---
def median(xs: List) -> float:
    for x in xs:
        below: int = 0
        above: int = 0
        for y in xs:
            if y < x:
                below += 1
            if y > x:
                above += 1
        if below * 2 <= len(xs) and above * 2 <= len(xs):
            return x
    return 0.0
---
def kth(xs: List, k: int) -> int:
    left: int = k
    for mark in range(101):
        for x in xs:
            if x == mark:
                if left == 0:
                    return mark
                left -= 1
    return -1

def median(xs: List) -> float:
    half: int = len(xs) // 2
    if half * 2 != len(xs):
        return kth(xs, half)
    return (kth(xs, half - 1) + kth(xs, half)) / 2.0
'''

PARTS["mode"] = '''
def mode(xs: List) -> int:
    best: int = 0
    most: int = 0
    for x in xs:
        count: int = 0
        for y in xs:
            if y == x:
                count += 1
        if count > most:
            most = count
            best = x
    return best
---
def mode(xs: List) -> int:
    times: Table = zeros(101)
    for x in xs:
        times[x] += 1
    winner: int = 0
    for mark in range(1, 101):
        if times[mark] > times[winner]:
            winner = mark
    return winner
---
def mode(xs: List) -> int:
    best: int = xs[0]
    length: int = 1
    longest: int = 1
    for i in range(1, len(xs)):
        if xs[i] == xs[i - 1]:
            length += 1
        else:
            length = 1
        if length > longest:
            longest = length
            best = xs[i]
    return best
---
def how_many(xs: List, x: int) -> int:
    n: int = 0
    for y in xs:
        if x == y:
            n += 1
    return n

def mode(xs: List) -> int:
    result: int = 0
    for mark in range(101):
        if how_many(xs, mark) > how_many(xs, result):
            result = mark
    return result
---
def mode(xs: List) -> int:
    i: int = 0
    best: int = -1
    most: int = 0
    while i < len(xs):
        j: int = i
        while j < len(xs) and xs[j] == xs[i]:
            j += 1
        if j - i > most:
            most = j - i
            best = xs[i]
        i = j
    return best
---
def mode(xs: List) -> int:
    values: List = List()
    times: List = List()
    for x in xs:
        place: int = -1
        for i in range(len(values)):
            if values[i] == x:
                place = i
        if place < 0:
            values.append(x)
            times.append(1)
        else:
            times[place] += 1
    top: int = 0
    for i in range(len(times)):
        if times[i] > times[top]:
            top = i
    return values[top]
'''

PARTS["deviation"] = '''
def deviation(xs: List) -> float:
    m: float = mean(xs)
    total: float = 0.0
    for x in xs:
        total += (x - m) * (x - m)
    return sqrt(total / len(xs))
---
def deviation(xs: List) -> float:
    s: int = 0
    squares: int = 0
    for x in xs:
        s += x
        squares += x * x
    m: float = float(s) / len(xs)
    return sqrt(float(squares) / len(xs) - m * m)
---
def square(x: float) -> float:
    return x * x

def deviation(xs: List) -> float:
    middle: float = mean(xs)
    variance: float = 0.0
    for i in range(len(xs)):
        difference: float = xs[i] - middle
        variance = variance + square(difference) / len(xs)
    return sqrt(variance)
---
def deviation(xs: List) -> float:
    m: float = 0.0
    spread: float = 0.0
    n: int = 0
    for x in xs:
        n += 1
        step: float = x - m
        m = m + step / n
        spread = spread + step * (x - m)
    if n == 0:
        return 0.0
    return sqrt(spread / n)
---
def root(x: float) -> float:
    guess: float = x
    for turn in range(30):
        if guess > 0:
            guess = (guess + x / guess) / 2
    return guess

def deviation(xs: List) -> float:
    m: float = mean(xs)
    v: float = 0.0
    i: int = 0
    while i < len(xs):
        d: float = xs[i] - m
        if d < 0:
            d = -d
        v += d * d
        i += 1
    return root(v / i)
---
def deviation(xs: List) -> float:
    total: float = 0.0
    for x in xs:
        for y in xs:
            total += (x - y) * (x - y)
    pairs: int = len(xs) * len(xs)
    return sqrt(total / (2.0 * pairs))
'''

PARTS["find"] = '''
def find(xs: List, x: int) -> int:
    for i in range(len(xs)):
        if xs[i] == x:
            return i
    return -1
---
def find(xs: List, x: int) -> int:
    low: int = 0
    high: int = len(xs) - 1
    while low <= high:
        mid: int = (low + high) // 2
        if xs[mid] == x:
            return mid
        if xs[mid] < x:
            low = mid + 1
        else:
            high = mid - 1
    return -1
---
def search(xs: List, x: int, low: int, high: int) -> int:
    if low > high:
        return -1
    mid: int = low + (high - low) // 2
    if xs[mid] > x:
        return search(xs, x, low, mid - 1)
    elif xs[mid] < x:
        return search(xs, x, mid + 1, high)
    return mid

def find(xs: List, x: int) -> int:
    return search(xs, x, 0, len(xs) - 1)
---
def find(xs: List, x: int) -> int:
    place: int = -1
    at: int = 0
    while at < len(xs) and place == -1:
        if xs[at] == x:
            place = at
        at += 1
    return place
---
def find(xs: List, x: int) -> int:
    low: int = 0
    size: int = len(xs)
    while size > 0:
        half: int = size // 2
        if xs[low + half] < x:
            low = low + half + 1
            size = size - half - 1
        else:
            size = half
    if low < len(xs) and xs[low] == x:
        return low
    return -1
---
def find(xs: List, x: int) -> int:
    i: int = len(xs) - 1
    while i >= 0:
        if xs[i] == x:
            break
        i -= 1
    return i
'''

PARTS["distinct"] = '''
def distinct(xs: List) -> int:
    seen: Table = zeros(101)
    count: int = 0
    for x in xs:
        if seen[x] == 0:
            seen[x] = 1
            count += 1
    return count
---
def distinct(xs: List) -> int:
    if len(xs) == 0:
        return 0
    count: int = 1
    for i in range(1, len(xs)):
        if xs[i] != xs[i - 1]:
            count += 1
    return count
---
def holds(ys: List, x: int) -> bool:
    for y in ys:
        if y == x:
            return True
    return False

def distinct(xs: List) -> int:
    ys: List = List()
    for x in xs:
        if not holds(ys, x):
            ys.append(x)
    return len(ys)
---
def distinct(xs: List) -> int:
    different: int = 0
    for i in range(len(xs)):
        repeated: bool = False
        for j in range(i):
            if xs[i] == xs[j]:
                repeated = True
                break
        if not repeated:
            different += 1
    return different
---
def distinct(xs: List) -> int:
    last: int = -1
    n: int = 0
    for x in xs:
        if x != last:
            n += 1
            last = x
    return n
---
def distinct(xs: List) -> int:
    number: int = 0
    for mark in range(101):
        there: bool = False
        i: int = 0
        while i < len(xs) and not there:
            there = xs[i] == mark
            i += 1
        if there:
            number += 1
    return number
'''

PARTS["bars"] = '''
def bars(xs: List):
    rows: Table = zeros(11)
    for x in xs:
        rows[x // 10] += 1
    for r in range(11):
        show("From", r * 10)
        for i in range(rows[r]):
            put("*")
        say("")
---
def bar(length: int):
    while length > 0:
        put("#")
        length -= 1
    say("")

def bars(xs: List):
    low: int = 0
    while low <= 100:
        count: int = 0
        for x in xs:
            if x >= low and x < low + 10:
                count += 1
        bar(count)
        low += 10
---
def bars(xs: List):
    tens: Table = zeros(11)
    most: int = 0
    for i in range(len(xs)):
        row: int = xs[i] // 10
        tens[row] = tens[row] + 1
        if tens[row] > most:
            most = tens[row]
    for height in range(most):
        for r in range(11):
            if tens[r] >= most - height:
                put(" | ")
            else:
                put("   ")
        say("")
---
def bars(xs: List):
    at: int = 0
    for limit in range(9, 110, 10):
        put("up to ")
        show("", limit)
        while at < len(xs) and xs[at] <= limit:
            put("=")
            at += 1
        say("|")
---
def stars(n: int):
    if n > 0:
        put("*")
        stars(n - 1)
    else:
        say("")

def bars(xs: List):
    groups: List = List()
    for i in range(11):
        groups.append(0)
    for x in xs:
        g: int = x // 10
        groups[g] += 1
    for i in range(10, -1, -1):
        stars(groups[i])
'''

PARTS["report"] = '''
def solve(xs: List):
    read(xs)
    order(xs)
    show("Mean", mean(xs))
    show("Median", median(xs))
    show("Mode", mode(xs))
    show("Deviation", deviation(xs))
    show("Place of 50", find(xs, 50))
    show("Different", distinct(xs))
    bars(xs)
---
def figures(xs: List):
    m: float = mean(xs)
    d: float = deviation(xs)
    show("Average", m)
    show("Spread", d)
    show("Median", median(xs))
    common: int = mode(xs)
    show("Most frequent", common)

def solve(xs: List):
    read(xs)
    order(xs)
    figures(xs)
    show("Kinds", distinct(xs))
    if find(xs, 50) >= 0:
        say("Somebody just passed")
    bars(xs)
---
def solve(xs: List):
    read(xs)
    if len(xs) == 0:
        say("No marks")
        return
    order(xs)
    bars(xs)
    show("The mean is", mean(xs))
    show("The deviation is", deviation(xs))
    place: int = find(xs, 50)
    if place == -1:
        say("Nobody has 50")
    else:
        show("50 stands at", place)
    show("There are so many marks", distinct(xs))
    show("The median is", median(xs))
    show("Most have", mode(xs))
---
def line(times: int):
    for i in range(times):
        put("-")
    say("")

def solve(xs: List):
    read(xs)
    order(xs)
    line(20)
    show("Count", len(xs))
    show("Least", xs[0])
    show("Mean", mean(xs))
    line(20)
    show("Mode", mode(xs))
    show("Median", median(xs))
    show("Distinct", distinct(xs))
    line(20)
    show("Deviation", deviation(xs))
    show("Fifty", find(xs, 50))
    bars(xs)
---
def basic(xs: List):
    average: float = mean(xs)
    middle: float = median(xs)
    show("average", average)
    show("middle", middle)
    if average > middle:
        say("a few are very good")
    else:
        say("a few are very bad")

def rest(xs: List):
    show("mode", mode(xs))
    show("sigma", deviation(xs))
    show("values", distinct(xs))
    show("fifty", find(xs, 50))

def solve(xs: List):
    read(xs)
    order(xs)
    basic(xs)
    rest(xs)
    bars(xs)
'''


# ---- exercises so small that there are few ways

TINY = {}

TINY["sum"] = '''
def sum(xs: List) -> int:
    total: int = 0
    for x in xs:
        total += x
    return total
---
def sum(xs: List) -> int:
    total: int = 0
    for i in range(len(xs)):
        total += xs[i]
    return total
---
def sum(xs: List) -> int:
    total: int = 0
    i: int = 0
    while i < len(xs):
        total += xs[i]
        i += 1
    return total
---
def sum(xs: List) -> int:
    if len(xs) == 0:
        return 0
    total: int = xs[0]
    for i in range(1, len(xs)):
        total += xs[i]
    return total
---
def sum(xs: List) -> int:
    total: int = 0
    for i in range(len(xs) - 1, -1, -1):
        total += xs[i]
    return total
---
def sum_from(xs: List, at: int) -> int:
    if at >= len(xs):
        return 0
    return xs[at] + sum_from(xs, at + 1)

def sum(xs: List) -> int:
    return sum_from(xs, 0)
'''

TINY["fizzbuzz"] = '''
def fizzbuzz(n: int):
    for i in range(1, n + 1):
        if i % 3 == 0 and i % 5 == 0:
            say("FizzBuzz")
        elif i % 3 == 0:
            say("Fizz")
        elif i % 5 == 0:
            say("Buzz")
        else:
            show("", i)
---
def fizzbuzz(n: int):
    for i in range(1, n + 1):
        if i % 15 == 0:
            say("FizzBuzz")
        elif i % 5 == 0:
            say("Buzz")
        elif i % 3 == 0:
            say("Fizz")
        else:
            show("", i)
---
def fizzbuzz(n: int):
    for i in range(1, n + 1):
        if i % 3 == 0:
            put("Fizz")
        if i % 5 == 0:
            put("Buzz")
        if i % 3 != 0 and i % 5 != 0:
            show("", i)
        say("")
---
def fizzbuzz(n: int):
    i: int = 1
    while i <= n:
        said: bool = False
        if i % 3 == 0:
            put("Fizz")
            said = True
        if i % 5 == 0:
            put("Buzz")
            said = True
        if not said:
            show("", i)
        i += 1
---
def fizzbuzz(n: int):
    for i in range(1, n + 1):
        if i % 3 == 0:
            if i % 5 == 0:
                say("FizzBuzz")
            else:
                say("Fizz")
        elif i % 5 == 0:
            say("Buzz")
        else:
            show("", i)
'''

TINY["reverse"] = '''
def reverse(xs: List):
    for i in range(len(xs) // 2):
        t: int = xs[i]
        xs[i] = xs[len(xs) - 1 - i]
        xs[len(xs) - 1 - i] = t
---
def reverse(xs: List):
    i: int = 0
    j: int = len(xs) - 1
    while i < j:
        t: int = xs[i]
        xs[i] = xs[j]
        xs[j] = t
        i += 1
        j -= 1
---
def reverse(xs: List) -> List:
    ys: List = List()
    for i in range(len(xs) - 1, -1, -1):
        ys.append(xs[i])
    return ys
---
def reverse(xs: List) -> List:
    ys: List = List()
    i: int = len(xs)
    while i > 0:
        i -= 1
        ys.append(xs[i])
    return ys
---
def reverse_from(xs: List, low: int, high: int):
    if low < high:
        t: int = xs[low]
        xs[low] = xs[high]
        xs[high] = t
        reverse_from(xs, low + 1, high - 1)

def reverse(xs: List):
    reverse_from(xs, 0, len(xs) - 1)
'''


def alternatives(part):
    """The source texts of the ways to solve a part."""
    return (PARTS.get(part) or TINY[part]).split("---\n")


def functions(part, way):
    """The functions of a way to solve a part. The last is the part, the others its helpers."""
    return ast.parse(alternatives(part)[way]).body
