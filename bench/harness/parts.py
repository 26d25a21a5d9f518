"""The parts of bench/run. A part returns rows: dictionaries with equal keys."""
import hashlib
import json
import os
import random
import re
import shutil
import statistics
import subprocess
from dataclasses import dataclass

from harness import corpus, process
from harness.tools import PEERS_IN_ORDER, ROOT, Workshop

PROTOTYPES = os.path.join(os.path.dirname(ROOT), "shared/prototypes")
YARDSTICKS = {"md5sum": ["md5sum"], "wc -w": ["env", "LC_ALL=C.UTF-8", "wc", "-w"]}


@dataclass
class Bench:
    shop: Workshop
    quick: bool
    repeat: int
    sizes: list  # of collections in the part `growth`
    memory: str
    seed: int
    peers: bool
    say: callable

    def interleave(self, jobs):
        return process.interleave(jobs, self.repeat, say=self.say)

    def yardsticks(self, path):
        """Programs as yardsticks. wc is faster with UTF-8 than with bytes."""
        return {name: lambda command=command: process.run([*command, path])
                for name, command in YARDSTICKS.items()}

    def installable_peers(self, documents):
        """The peers that can be installed and can process so many documents."""
        return [tool for tool in PEERS_IN_ORDER if self.peers and tool.most >= documents
                and self.shop.command(tool)]


# ---- kernels, compared with their prototypes

def kernels(bench):
    text = corpus.real_text(bench.shop.path("real.txt"), 25_000_000)
    jobs = {}
    program = os.path.join(ROOT, "build/release/bench_kernels")
    if os.path.exists(program):
        jobs["twinset"] = lambda: process.run([program, text])
    else:
        bench.say("    not measured: build/release/bench_kernels is not built")
    prototype = build_prototype(bench)
    if prototype:
        jobs["prototype"] = lambda: process.run([prototype, text, "q"], env={"ROWS": "FSS v2"})
    runs = bench.interleave(jobs)
    figures = {}
    for run in runs.get("twinset", []):
        for line in run.out.decode().splitlines():
            kernel, isa, hashes, bytes_, speed = line.split("\t")
            figures.setdefault((f"{kernel} {isa}", hashes, bytes_), []).append(float(speed))
    for run in runs.get("prototype", []):
        line = re.search(r"^FSS v2 +K=128 (.*)$", run.out.decode(), re.M).group(1)
        for bytes_, speed in zip(("1024", "5120", "102400"), re.findall(r"([\d.]+) MB/s", line)):
            figures.setdefault(("prototype FSS v2", "128", bytes_), []).append(float(speed))
    return [{"kernel": kernel, "hashes": hashes, "bytes": bytes_,
             "mb_per_s": statistics.median(speeds)}
            for (kernel, hashes, bytes_), speeds in figures.items()]


def build_prototype(bench):
    source = os.path.join(PROTOTYPES, "cd_bench2.c")
    program = bench.shop.path("cd_bench2")
    if not os.path.exists(source):
        bench.say(f"    not measured: the prototype, there is no {PROTOTYPES}")
        return None
    built = subprocess.run(["gcc", "-O3", "-march=native", "-w", source, "-o", program, "-lm",
                            "-lpthread"], capture_output=True, check=False)
    if built.returncode != 0:
        bench.say("    not measured: the prototype does not build; it needs libxxhash-dev")
        return None
    return program


# ---- text to signature, on one core

def sketch(bench):
    text = corpus.real_text(bench.shop.path("real.txt"), 25_000_000)
    own = build_sketch(bench)
    figures = {}
    for bytes_ in (1024, 5120):
        count = (200_000 if bench.quick else 2_000_000) // bytes_
        documents = corpus.cut(text, bench.shop.path(f"documents-{bytes_}.jsonl"), bytes_, count)
        plain = bench.shop.path(f"documents-{bytes_}.txt")
        with open(text, "rb") as source, open(plain, "wb") as out:
            out.write(source.read(count * bytes_))
        jobs = {"twinset": lambda: process.run([own, plain, bytes_])}
        for tool in bench.installable_peers(0):
            if tool.sketches:
                command = [*bench.shop.command(tool), "sketch", documents]
                jobs[tool.name] = lambda command=command, env=tool.env: process.run(command, env)
        for name, runs in bench.interleave(jobs).items():
            for run in runs:
                for line in run.out.decode().splitlines():
                    given, speed = line.split("\t")
                    figures.setdefault((name, bytes_, given), []).append(float(speed))
    return [{"tool": name, "bytes": bytes_, "from": given, "mb_per_s": statistics.median(speeds)}
            for (name, bytes_, given), speeds in figures.items()]


def build_sketch(bench):
    program = bench.shop.path("sketch")
    library = os.path.join(ROOT, "build/release")
    subprocess.run(["cc", "-std=c17", "-O2", "-I", os.path.join(ROOT, "include"),
                    os.path.join(ROOT, "bench/sketch.c"), "-o", program, "-L", library,
                    "-ltwinset", f"-Wl,-rpath,{library}"], check=True)
    return program


# ---- the whole job

def whole(bench):
    documents = 5_000 if bench.quick else 100_000
    texts = corpus.make(bench.shop.folder, documents, 1000)
    scores = {}

    def scored(name, run, score):
        """A job whose first answer is scored; later answers are equal."""
        def job():
            done = run()
            scores[name] = scores.get(name) or score()
            return done
        return job

    jobs = {
        "twinset dedup": scored("twinset dedup", lambda: bench.shop.dedup(texts, *limits(bench)),
                                lambda: score_dedup(bench, texts)),
        "twinset scan": scored("twinset scan", lambda: bench.shop.scan(texts, *limits(bench)),
                               lambda: score_scan(bench, texts)),
    }
    for tool in bench.installable_peers(0):
        jobs[tool.name] = scored(
            tool.name, lambda tool=tool: bench.shop.dedup_peer(tool, texts),
            lambda tool=tool: corpus.score_removed(texts, bench.shop.removed_by_peer(),
                                                   tool.column))
    jobs.update(bench.yardsticks(texts.path))
    return [whole_row(name, runs, documents, texts, scores.get(name))
            for name, runs in bench.interleave(jobs).items()]


def whole_row(name, runs, documents, texts, score):
    seconds = process.median(runs, "seconds")
    return {
        "tool": name, "documents": documents, "bytes": texts.bytes, "seconds": seconds,
        "cpu": process.median(runs, "cpu"), "peak_mb": process.median(runs, "peak_mb"),
        "us_per_document": seconds / documents * 1e6, "runs": len(runs),
        "recall": score.recall if score else "", "recall_low": score.recall_low if score else "",
        "precision": score.precision if score else "", "found": score.count if score else "",
    }


def limits(bench):
    return "--memory", bench.memory


def score_dedup(bench, texts):
    removals = bench.shop.removals()
    check_kept(texts.path, bench.shop.path("twinset.jsonl"), {row["id"] for row in removals})
    check_stated(texts, [(row["id"], row["kept"]) for row in removals], removals)
    return corpus.score_removed(texts, {row["id"] for row in removals}, "jaccard")


def score_scan(bench, texts):
    found = bench.shop.pairs()
    pairs = [(row["a"], row["b"]) for row in found]
    check_stated(texts, pairs, found)
    return corpus.score_pairs(texts, pairs, "jaccard")


def check_kept(source, kept, removed):
    """Checks that every record is kept, byte for byte and in order, or was named as removed."""
    left = len(removed)
    with open(source, "rb") as before, open(kept, "rb") as after:
        expected = after.readline()
        for line in before:
            if line == expected:
                expected = after.readline()
            elif json.loads(line)["id"] in removed:
                left -= 1
            else:
                raise RuntimeError(f"lost from the output: {line[:80]!r}")
    if expected or left:
        raise RuntimeError(f"{kept}: records that were not in the input, or removed and kept")


def check_stated(texts, pairs, rows):
    """Checks that the similarities that twinset reports are the true ones."""
    for row, similarity in zip(rows, texts.similarities(pairs, "jaccard")):
        if abs(row["similarity"] - similarity) > 1e-9:
            raise RuntimeError(f"stated {row}, but the similarity is {similarity}")


# ---- growth

def growth(bench):
    rows = []
    for documents in bench.sizes:
        bench.say(f"  {documents:,} documents")
        texts = corpus.make(bench.shop.folder, documents, 600)
        jobs = {"twinset dedup": lambda: bench.shop.dedup(texts, *limits(bench))}
        for tool in bench.installable_peers(documents):
            jobs[tool.name] = lambda tool=tool: bench.shop.dedup_peer(tool, texts)
        jobs.update(bench.yardsticks(texts.path))
        for name, runs in bench.interleave(jobs).items():
            score = score_dedup(bench, texts) if name == "twinset dedup" else None
            rows.append(whole_row(name, runs, documents, texts, score))
    return rows


# ---- cores

def cores(bench):
    """Measures the job on 1, 2, 4 ... all cores, by stages."""
    texts = corpus.make(bench.shop.folder, 20_000 if bench.quick else 1_000_000, 600)
    counts = cores_to_try(len(os.sched_getaffinity(0)))
    reports = {count: [] for count in counts}

    def job(count):
        def run():
            path = bench.shop.path("report.json")
            done = bench.shop.dedup(texts, *limits(bench), "-j", str(count), "--report", path)
            with open(path, encoding="utf-8") as file:
                reports[count].append(json.load(file)["stages"])
            return done
        return run

    bench.interleave({f"{count} cores": job(count) for count in counts})
    stages = {count: sum_stages(runs) for count, runs in reports.items()}
    return [cores_row(name, count, stages) for count in counts for name in stages[count]]


def cores_to_try(most):
    return sorted({1 << i for i in range(most.bit_length()) if 1 << i <= most} | {most})


def sum_stages(runs):
    """The medians of the figures of each stage, and of all stages together."""
    figures = {}
    for stages in runs:
        whole = {"name": "all", **{key: sum(stage[key] for stage in stages) for key in TIMES}}
        for stage in [*stages, whole]:
            figures.setdefault(stage["name"], []).append(stage)
    return {name: {key: statistics.median(stage[key] for stage in found) for key in TIMES}
            for name, found in figures.items()}


TIMES = ("seconds", "cpu_seconds", "serial_seconds")


def cores_row(name, count, stages):
    row, one, whole = stages[count][name], stages[1][name], stages[count]["all"]
    times = one["seconds"] / row["seconds"] if row["seconds"] else 1.0
    return {"cores": count, "stage": name, "seconds": row["seconds"], "cpu": row["cpu_seconds"],
            "alone": row["serial_seconds"],
            "alone_of_all": row["serial_seconds"] / whole["cpu_seconds"],
            "times": times, "efficiency": times / count}


# ---- hard cases: one bucket, one document, a killed run

def hot(bench):
    """A hot bucket has too many pairs to score; only pairs with its original are scored."""
    count = 20_000 if bench.quick else 1_000_000
    texts = corpus.make(bench.shop.folder, count, 600, hot=count)
    runs = bench.interleave({"twinset dedup": lambda: bench.shop.dedup(texts, *limits(bench))})
    removals = bench.shop.removals()
    removed = {row["id"] for row in removals}
    check_kept(texts.path, bench.shop.path("twinset.jsonl"), removed)
    check_stated(texts, [(row["id"], row["kept"]) for row in removals], removals)
    rows = [whole_row(name, done, count, texts, None) for name, done in runs.items()]
    for row in rows:
        row["recall"] = corpus.share(copy in removed for copy, _ in texts.planted("jaccard"))
        row["precision"] = corpus.share(removal["similarity"] >= corpus.THRESHOLD
                                        for removal in removals)
        row["found"] = len(removed)
    return rows


def huge(bench):
    """The huge document is a text file, because a JSON line of this size is refused."""
    bytes_ = 20_000_000 if bench.quick else 2_000_000_000
    texts = corpus.make(bench.shop.folder, 999, 600)
    book = bench.shop.path(f"huge-{bytes_}.txt")
    if not os.path.exists(book):
        with open(book + ".part", "wb") as file:
            subprocess.run([corpus.GENERATE, "--documents", str(bytes_ // 600), "--bytes", "600"],
                           stdout=file, check=True)
        os.rename(book + ".part", book)
    runs = bench.interleave({"twinset scan": lambda: bench.shop.scan(texts, book, *limits(bench))})
    rows = [whole_row(name, done, 1000, texts, score_scan(bench, texts))
            for name, done in runs.items()]
    for row in rows:
        row["bytes"] += os.path.getsize(book)
    return rows


def resume(bench):
    """Measures a run that is killed at a random moment and resumed; its bytes must be the same."""
    count = 20_000 if bench.quick else 500_000
    texts = corpus.make(bench.shop.folder, count, 600)
    undisturbed = bench.shop.dedup(texts, *limits(bench))
    expected = digest(bench, "twinset")
    dice = random.Random(bench.seed)
    rows = []
    for _ in range(10):
        checkpoint = bench.shop.path("checkpoint")
        shutil.rmtree(checkpoint, ignore_errors=True)
        forget(bench, "resumed")
        moment = dice.uniform(0, undisturbed.seconds)
        options = (*limits(bench), "--checkpoint", checkpoint)
        killed = bench.shop.dedup(texts, *options, kill_after=moment, name="resumed")
        again = bench.shop.dedup(texts, *options, name="resumed")
        same = digest(bench, "resumed") == expected
        bench.say(f"    killed after {moment:.2f} s, {'same' if same else 'OTHER'} bytes")
        rows.append({"documents": count, "undisturbed": undisturbed.seconds,
                     "killed_after": moment, "was_killed": killed.status == -9,
                     "then_took": again.seconds, "same_bytes": same})
    return rows


def outputs(bench, name):
    return [bench.shop.path(name + ending) for ending in (".jsonl", "-removed.jsonl")]


def forget(bench, name):
    for path in outputs(bench, name):
        if os.path.exists(path):
            os.remove(path)


def digest(bench, name):
    digests = []
    for path in outputs(bench, name):
        so_far = hashlib.sha256()
        with open(path, "rb") as file:
            for chunk in iter(lambda: file.read(1 << 20), b""):
                so_far.update(chunk)
        digests.append(so_far.hexdigest())
    return digests


ALL = {"kernels": kernels, "sketch": sketch, "whole": whole, "growth": growth, "cores": cores,
       "hot": hot, "huge": huge, "resume": resume}
