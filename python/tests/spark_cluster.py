"""Finds similar pairs on a cluster of two executors, and kills one of them during the run.

    spark_cluster.py INPUT.jsonl OUTPUT.jsonl WHEN [CHECKPOINTS]

The executor is killed after WHEN stages have begun. Only a process that this process started,
through Spark, is killed.
"""

import os
import signal
import sys
import threading
import time

from spark_session import session


def parents():
    """The parent of each process."""
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                found[int(entry)] = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pass
    return found


def executors():
    """The executors among the descendants of this process."""
    above, found = parents(), []
    for process in above:
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                is_executor = b"CoarseGrainedExecutorBackend" in file.read()
        except OSError:
            continue
        ancestor = process
        while ancestor in above and ancestor != os.getpid():
            ancestor = above[ancestor]
        if is_executor and ancestor == os.getpid() and process != os.getpid():
            found.append(process)
    return found


def kill_executor(context, when):
    tracker = context.statusTracker()
    while len(executors()) < 2 or max(tracker.getActiveStageIds() or [0]) <= when:
        time.sleep(0.02)
    os.kill(executors()[0], signal.SIGKILL)
    print("killed an executor", flush=True)


def main(given, output, when, checkpoints=None):
    spark = session("local-cluster[2,1,2048]", **{"spark.executor.memory": "1g",
                                                  "spark.executor.cores": "1"})
    from twinset.cluster import alone
    from twinset.spark import similar_pairs
    from twinset.spark.stages import stage

    alone.DOCUMENTS = 0  # small inputs run in all stages, too
    if checkpoints:
        spark.sparkContext.setCheckpointDir(checkpoints)
    threading.Thread(target=kill_executor, args=(spark.sparkContext, int(when)),
                     daemon=True).start()
    df = spark.read.schema("id string, text string").json(given).repartition(4)
    pairs = similar_pairs(df, max_bucket=20)
    lines = pairs.mapInArrow(stage("lines.lines", "jsonl"), "value string").collect()
    with open(output, "w", encoding="utf-8") as out:
        out.writelines(sorted(row["value"] + "\n" for row in lines))
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
