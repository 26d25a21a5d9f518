"""twinset and its peers: their installation, and their commands for the same job.

A tool reads JSON lines, removes records that resemble a kept one (.8; 128 hashes, unless the tool
chooses them), and writes the kept records and a list of the removed ones.
"""
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field

from harness import process
from harness.corpus import BENCH

ROOT = os.path.dirname(BENCH)
PEERS = os.path.join(BENCH, "peers")
TWINSET = os.environ.get("TWINSET", os.path.join(ROOT, "build/release/twinset"))


@dataclass
class Tool:
    name: str
    driver: str  # a program in peers/, or a binary of the Rust package there
    requirements: str = ""  # names the virtual environment
    env: dict = field(default_factory=dict)
    column: str = "jaccard"  # column of the truth for its shingles
    most: int = 1_000_000  # documents in the part `growth`; more would take minutes or gigabytes
    sketches: bool = True  # whether it can make signatures only


PEERS_IN_ORDER = [
    Tool("txtfp 0.3.2, words", "txtfp", column="jaccard_words"),
    Tool("gaoya 0.2.2, Rust", "gaoya"),
    Tool("gaoya 0.2.2, Python", "with_gaoya.py", "gaoya", most=100_000, sketches=False),
    Tool("rensa 0.5.0, words", "with_rensa.py", "rensa", {"PEER_SHINGLES": "words"},
         column="jaccard_words", most=100_000),
    Tool("rensa 0.5.0", "with_rensa.py", "rensa", most=100_000),
    Tool("text-dedup 0.4.0, words", "with_text_dedup.py", "text-dedup", column="jaccard_words",
         most=100_000, sketches=False),
    Tool("datasketch 2.0.0, xxhash", "with_datasketch.py", "datasketch2",
         {"PEER_HASH": "xxhash"}, most=100_000),
    Tool("datasketch 2.0.0", "with_datasketch.py", "datasketch2", most=10_000),
    Tool("datasketch 1.10.0", "with_datasketch.py", "datasketch1", most=10_000),
]


def read(path):
    """The text of a file; empty if there is no such file."""
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def go_on_with_package(program):
    """Runs a program again in the Python that has the package twinset."""
    home = os.path.join(ROOT, "build/python/venv")
    python = os.path.join(home, "bin/python")
    if not os.path.exists(python):
        sys.exit(f"{program}: there is no build/python/venv; run script/test python first")
    if sys.prefix != home:
        os.execv(python, [python, *sys.argv])


def build_twinset():
    """Builds twinset and the benchmark of kernels, unless TWINSET names another build."""
    if "TWINSET" in os.environ:
        return
    for command in (["script/setup", "build"],
                    ["cmake", "--preset", "release", "-DTWINSET_BENCH=ON"],
                    ["cmake", "--build", "--preset", "release"]):
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


class Workshop:
    """The folder in which tools are built and installed once."""

    def __init__(self, folder, say):
        self.folder, self.say = folder, say
        self.commands = {}
        os.makedirs(folder, exist_ok=True)

    def command(self, tool):
        """The command of a tool, or None if it cannot be installed."""
        key = tool.requirements or "rust"
        if key not in self.commands:
            install = self.install_python if tool.requirements else self.install_rust
            try:
                self.commands[key] = install(key)
            except (OSError, subprocess.CalledProcessError) as error:
                why = getattr(error, "stderr", None) or str(error).encode()
                self.say(f"    not measured: {tool.name}: "
                         f"{why.decode(errors='replace').strip().splitlines()[-1]}")
                self.commands[key] = None
        base = self.commands[key]
        if base is None:
            return None
        if tool.requirements:
            return [*base, os.path.join(PEERS, tool.driver)]
        return [os.path.join(*base, tool.driver)]

    def install_python(self, name):
        """Makes a virtual environment with the packages of peers/requirements-NAME.txt."""
        wanted = os.path.join(PEERS, f"requirements-{name}.txt")
        home = os.path.join(self.folder, f"venv-{name}")
        stamp, python = os.path.join(home, "installed.txt"), os.path.join(home, "bin/python")
        listed = read(wanted)
        if read(stamp) != listed:
            self.say(f"    installing {name}")
            shutil.rmtree(home, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", home], check=True, capture_output=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps",
                            "--disable-pip-version-check", "-r", wanted], check=True,
                           capture_output=True)
            shutil.copyfile(wanted, stamp)
        return [python, "-B"]

    def install_rust(self, _name):
        target = os.path.join(self.folder, "cargo")
        self.say("    building the Rust peers")
        subprocess.run(["cargo", "build", "--quiet", "--release", "--locked", "--manifest-path",
                        os.path.join(PEERS, "rust/Cargo.toml")], check=True, capture_output=True,
                       env={**os.environ, "CARGO_TARGET_DIR": target,
                            "RUSTFLAGS": "-C target-cpu=native"})
        return [target, "release"]

    def path(self, name):
        return os.path.join(self.folder, name)

    # ---- jobs

    def dedup_peer(self, tool, corpus):
        command = self.command(tool)
        paths = corpus.path, self.path("kept.jsonl"), self.path("removed.tsv")
        return process.run([*command, "dedup", *paths], env=tool.env)

    def removed_by_peer(self):
        with open(self.path("removed.tsv"), encoding="utf-8") as file:
            return {line.rstrip("\n").split("\t")[0] for line in file}

    def dedup(self, corpus, *more, kill_after=None, name="twinset"):
        """Runs twinset dedup. removals() reads the list of removed records."""
        return process.run([TWINSET, "dedup", corpus.path, "-o", self.path(name + ".jsonl"),
                            "-t", "0.8", "--removed", self.path(name + "-removed.jsonl"),
                            "--quiet", *more], kill_after=kill_after)

    def removals(self, name="twinset"):
        with open(self.path(name + "-removed.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def scan(self, corpus, *more):
        return process.run([TWINSET, "scan", corpus.path, "-t", "0.8", "--method", "lsh",
                            "--format", "jsonl", "-o", self.path("pairs.jsonl"), "--quiet", *more])

    def pairs(self):
        with open(self.path("pairs.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]
