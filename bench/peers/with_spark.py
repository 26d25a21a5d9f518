"""Similar pairs on a cluster of two Spark executors of one core, on this machine.

    with_spark.py prepare IN.jsonl OUT.parquet
    with_spark.py twinset|stages|mllib IN.parquet PAIRS

PAIRS becomes a folder of tab-separated lines: two ids and their similarity. Prints a line of JSON:
seconds from a warm session to the last pair; processor seconds and peak memory of an executor with
its JVM and Python; shuffled bytes; tasks by stage.

Both compare documents by shingles of five words. MLlib is used as in its documentation: words,
shingles, hashed to 2^20 features, MinHashLSH, a self-join. Of pairs with similarity .8, four tables
find .9984, three .992, and twinset's bands .9971: four is the least number that is not worse.
"""
import glob
import json
import os
import sys
import tempfile
import threading
import time

THRESHOLD = 0.8
TABLES = 4
TICK = os.sysconf("SC_CLK_TCK")


# Settings for twinset: the heap, other memory of the JVM, and Python share 1 GB. The work is done
# in Python, so the JVM compiles little. MLlib works in the JVM, whose settings are the defaults.
SMALL = {"spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
         "spark.executorEnv.MALLOC_ARENA_MAX": "1", "spark.reducer.maxSizeInFlight": "16m",
         "spark.shuffle.io.preferDirectBufs": "false",
         "spark.network.maxRemoteBlockSizeFetchToMem": "16m",
         "spark.sql.execution.arrow.maxBytesPerBatch": "4m"}


# The driver only plans. To compile less saves it 4 s of processor time with twinset, 3 with MLlib.
DRIVER = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"


def session(log, **more):
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    from pyspark.sql import SparkSession

    settings = {"spark.executor.memory": "512m", "spark.executor.cores": "1",
                "spark.driver.memory": "2g", "spark.driver.host": "127.0.0.1",
                "spark.driver.extraJavaOptions": DRIVER,
                "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
                "spark.log.level": "ERROR", "spark.sql.shuffle.partitions": "64",
                "spark.eventLog.enabled": "true", "spark.eventLog.compress": "false",
                "spark.eventLog.rolling.enabled": "false", "spark.eventLog.dir": log, **more}
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


# ---- resources of executors

def processes():
    """For each process: its parent, and its seconds with those of ended children."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        found[int(entry)] = int(fields[1]), sum(map(int, fields[11:15])) / TICK
    return found


def held(process):
    """Bytes of memory, where shared pages are divided among the processes that share them."""
    try:
        with open(f"/proc/{process}/smaps_rollup", encoding="utf-8") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Pss:")) * 1024
    except (OSError, StopIteration):
        return 0


def is_below(process, known):
    """Whether a process is a descendant of this one."""
    while process in known and process != os.getpid():
        process = known[process][0]
    return process == os.getpid()


def is_executor(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return b"CoarseGrainedExecutorBackend" in file.read()
    except OSError:
        return False


class Watch(threading.Thread):
    """Watches the executors and their descendants, five times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.peak, self.cpu, self.over = 0, {}, False

    def run(self):
        while not self.over:
            self.look()
            time.sleep(0.2)

    def look(self):
        known = processes()
        executors = [one for one in known if is_executor(one) and is_below(one, known)]
        used = dict.fromkeys(executors, 0)
        for process, (_, seconds) in known.items():
            above = process
            while above in known and above not in used:
                above = known[above][0]
            if above in used:
                used[above] += held(process)
                self.cpu[process] = max(self.cpu.get(process, 0), seconds)
        self.peak = max([self.peak, *used.values()])


def read_log(log):
    """Shuffled bytes, and the seconds of tasks by stage."""
    shuffled, stages = 0, {}
    for path in glob.glob(os.path.join(log, "*")):
        with open(path, encoding="utf-8") as file:
            for event in map(json.loads, file):
                metrics = event.get("Task Metrics")
                if event["Event"] != "SparkListenerTaskEnd" or not metrics:
                    continue
                shuffled += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                info = event["Task Info"]
                stages.setdefault(event["Stage ID"], []).append(
                    (info["Finish Time"] - info["Launch Time"]) / 1000)
    return shuffled, list(stages.values())


# ---- the jobs

def with_twinset(df):
    from twinset.spark import similar_pairs

    return similar_pairs(df, threshold=THRESHOLD, by="word", k=5).select("a", "b", "similarity")


def with_all_stages(df):
    """Runs all stages, even if one task could do the work."""
    from twinset.cluster import alone

    alone.DOCUMENTS = 0
    return with_twinset(df)


def with_mllib(df):
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer
    from pyspark.sql import functions as F

    steps = [RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\W+"),
             NGram(n=5, inputCol="words", outputCol="shingles"),
             HashingTF(inputCol="shingles", outputCol="features", numFeatures=1 << 20, binary=True)]
    # It refuses vectors without features.
    some = F.udf(lambda vector: len(vector.indices) > 0, "boolean")
    prepared = Pipeline(stages=steps).fit(df).transform(df).select("id", "features").filter(
        some("features"))
    model = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=TABLES).fit(prepared)
    joined = model.approxSimilarityJoin(prepared, prepared, 1 - THRESHOLD, "distance")
    return joined.filter("datasetA.id < datasetB.id").select(
        F.col("datasetA.id").alias("a"), F.col("datasetB.id").alias("b"),
        (1 - F.col("distance")).alias("similarity"))


JOBS = {"twinset": with_twinset, "stages": with_all_stages, "mllib": with_mllib}


def measure(job, path, output):
    with tempfile.TemporaryDirectory() as log:
        spark = session(log, **({} if job == "mllib" else SMALL))
        df = spark.read.parquet(path)
        # Starts both executors, and their Python, which both tools use.
        df.limit(1000).repartition(2).mapInArrow(lambda batches: batches, df.schema).count()
        watch = Watch()
        watch.look()
        before = sum(watch.cpu.values())
        watch.start()
        start = time.monotonic()
        JOBS[job](df).write.csv(output, sep="\t")
        seconds = time.monotonic() - start
        watch.over = True
        watch.look()
        spark.stop()
        shuffled, stages = read_log(log)
    return {"seconds": seconds, "cpu": sum(watch.cpu.values()) - before,
            "peak_mb": watch.peak / 1e6, "shuffled_mb": shuffled / 1e6, "stages": stages}


def main(job, path, output):
    if job == "prepare":
        with tempfile.TemporaryDirectory() as log:
            spark = session(log)
            spark.read.schema("id string, text string").json(path).write.parquet(output)
            spark.stop()
        return
    print(json.dumps(measure(job, path, output)))


if __name__ == "__main__":
    main(*sys.argv[1:])
