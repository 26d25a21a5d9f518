"""Runs twinset.beam on a cluster of Flink that loses a task manager, and compares with the command.

    python/tests/flink_cluster.py FOLDER

FOLDER has the jars of Flink and of Beam's job server (script/long fetches them). A job manager, two
task managers, a job server and a pool of Beam workers run as processes of this machine. In the
middle of the job one task manager is killed and replaced. Exit status 0: the pairs are those that
`twinset scan` finds, and the job was restarted.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.request

from machines import HOST, WAIT, Machines, free_port, is_open
from spread import documents, scanned

OPENED = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in
          ("java.lang", "java.lang.invoke", "java.net", "java.io", "java.nio", "java.text",
           "java.time", "java.util", "java.util.concurrent", "java.util.concurrent.atomic",
           "java.util.concurrent.locks", "sun.nio.ch")]
# Flink's own scripts would compute and set these.
MEMORY = {"task.heap.size": "384m", "task.off-heap.size": "64m", "managed.size": "384m",
          "network.min": "192m", "network.max": "192m", "framework.heap.size": "128m",
          "framework.off-heap.size": "128m", "jvm-metaspace.size": "256m",
          "jvm-overhead.min": "128m", "jvm-overhead.max": "128m"}


class Cluster(Machines):
    """A job manager, task managers, a job server and a pool of workers."""

    def __init__(self, jars, folder):
        super().__init__(folder)
        self.jars = jars
        self.ports = {name: free_port() for name in ("rpc", "rest", "job", "artifact", "pool")}
        self.settings = {
            "jobmanager.rpc.address": HOST, "jobmanager.rpc.port": self.ports["rpc"],
            "rest.address": HOST, "rest.bind-address": HOST, "rest.port": self.ports["rest"],
            "taskmanager.host": HOST, "taskmanager.numberOfTaskSlots": 2,
            "taskmanager.cpu.cores": 1, "heartbeat.interval": 1000, "heartbeat.timeout": 8000,
            "restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": 20,
            "restart-strategy.fixed-delay.delay": "1 s", "io.tmp.dirs": str(folder),
            **{f"taskmanager.memory.{name}": size for name, size in MEMORY.items()},
        }

    def java(self, name, megabytes, main, *arguments):
        self.start(name, "java", f"-Xmx{megabytes}m", *OPENED, "-cp", f"{self.jars}/*", main,
                   *arguments)

    def flink(self, name, megabytes, main):
        settings = [word for key, value in self.settings.items()
                    for word in ("-D", f"{key}={value}")]
        self.java(name, megabytes, f"org.apache.flink.runtime.{main}", "--configDir", self.folder,
                  *settings)

    def start_all(self):
        (self.folder / "config.yaml").write_text("")
        self.flink("jobs", 768, "entrypoint.StandaloneSessionClusterEntrypoint")
        for number in (1, 2):
            self.start_tasks(number)
        self.java("server", 768, "org.apache.beam.runners.flink.FlinkJobServerDriver",
                  f"--flink-master={HOST}:{self.ports['rest']}", f"--job-host={HOST}",
                  f"--job-port={self.ports['job']}", f"--artifact-port={self.ports['artifact']}",
                  "--expansion-port=0", f"--artifacts-dir={self.folder}/artifacts")
        self.start("pool", sys.executable, "-m",
                   "apache_beam.runners.worker.worker_pool_main",
                   f"--service_port={self.ports['pool']}")
        self.wait_for("two task managers", lambda: self.ask("overview").get("taskmanagers") == 2)
        for name in ("job", "pool"):
            self.wait_for(f"the port of the {name}", lambda: is_open(self.ports[name]))

    def start_tasks(self, number):
        self.flink(f"tasks{number}", 768, "taskexecutor.TaskManagerRunner")

    def ask(self, path):
        """The answer of the job manager's REST interface, or {} if there is none."""
        try:
            with urllib.request.urlopen(f"http://{HOST}:{self.ports['rest']}/{path}") as answer:
                return json.load(answer)
        except OSError:
            return {}

    def job(self):
        jobs = self.ask("jobs/overview").get("jobs") or [{}]
        return jobs[0]


def submit(cluster, folder):
    return subprocess.Popen(
        [sys.executable, "-m", "twinset.beam", "--input", "in.jsonl", "--output", "out",
         "--shards", "8", "--runner=PortableRunner",
         f"--job_endpoint={HOST}:{cluster.ports['job']}", "--environment_type=EXTERNAL",
         f"--environment_config={HOST}:{cluster.ports['pool']}", "--parallelism=2"],
        cwd=folder, stderr=open(folder / "client.log", "wb"),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def lose_task_manager(cluster, client):
    """Kills a task manager while the job has tasks on it, and starts another."""
    def in_the_middle():
        if client.poll() is not None:
            raise RuntimeError("the job ended before a task manager could be killed")
        tasks = cluster.job().get("tasks") or {}
        return tasks.get("running", 0) > 0 and 3 * tasks.get("finished", 0) > tasks["total"]

    cluster.wait_for("the middle of the job", in_the_middle)
    tasks = cluster.job()["tasks"]
    cluster.kill("tasks1")
    print(f"killed a task manager: {tasks['finished']} of {tasks['total']} tasks were done")
    cluster.start_tasks(3)


def check(cluster, folder, expected):
    written = sorted(line for path in folder.glob("out-*")
                     for line in path.read_text().splitlines())
    exceptions = cluster.ask(f"jobs/{cluster.job()['jid']}/exceptions")
    assert exceptions.get("root-exception"), "no task was lost with the task manager"
    assert written == sorted(expected), f"{len(written)} lines, not the {len(expected)} expected"
    print(f"the same {len(written)} pairs, though the job had to start anew")


def main():
    jars = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="twinset-flink-"))
    expected = scanned(folder, documents(3000, hot=200, copies=1200))
    cluster = Cluster(jars, folder)
    client = None
    try:
        cluster.start_all()
        client = submit(cluster, folder)
        lose_task_manager(cluster, client)
        assert client.wait(WAIT) == 0, (folder / "client.log").read_text()[-3000:]
        check(cluster, folder, expected)
    except BaseException:
        print(f"logs: {folder}", file=sys.stderr)
        raise
    finally:
        if client and client.poll() is None:
            client.kill()
        cluster.end()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
