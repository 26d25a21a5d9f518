"""Runs twinset.spark on files in HDFS while a data node is lost, and compares with the command.

    python/tests/hdfs_cluster.py FOLDER

FOLDER has the jars of HDFS (script/long fetches them). A name node and three data nodes run as
processes of this machine, and each block is on two of them. The data node that is first read from
is killed. Exit status 0: the pairs that were written to HDFS are those that `twinset scan` finds,
and all documents were read from the other two nodes after the loss.
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

NODES = ("node1", "node2", "node3")
PARTS = 8
SETTINGS = {
    "dfs.replication": 2, "dfs.namenode.datanode.registration.ip-hostname-check": "false",
    "dfs.namenode.http-address": f"{HOST}:0", "dfs.datanode.address": f"{HOST}:0",
    "dfs.datanode.ipc.address": f"{HOST}:0", "dfs.datanode.hostname": HOST,
}


class Hdfs(Machines):
    """A name node and data nodes."""

    def __init__(self, jars, folder):
        super().__init__(folder)
        self.jars = jars
        self.port = free_port()
        self.address = f"hdfs://{HOST}:{self.port}"
        self.pages = {node: free_port() for node in NODES}

    def java(self, main, *arguments, **settings):
        named = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
        return ["java", "-Xmx256m", "-XX:+UseSerialGC", "-cp", f"{self.folder}:{self.jars}/*",
                f"org.apache.hadoop.{main}", *named, *map(str, arguments)]

    def start_all(self):
        write_settings(self.folder / "core-site.xml", {"fs.defaultFS": self.address})
        write_settings(self.folder / "hdfs-site.xml", SETTINGS)
        of_names = {"dfs.namenode.name.dir": f"file://{self.folder}/names"}
        main = "hdfs.server.namenode.NameNode"
        subprocess.run(self.java(main, "-format", "-nonInteractive", **of_names), check=True,
                       stderr=open(self.folder / "format.log", "wb"))
        self.start("names", *self.java(main, **of_names))
        self.wait_for("the name node", lambda: is_open(self.port))
        for node, page in self.pages.items():
            self.start(node, *self.java("hdfs.server.datanode.DataNode", **{
                "dfs.datanode.data.dir": f"file://{self.folder}/{node}",
                "dfs.datanode.http.address": f"{HOST}:{page}"}))
        self.wait_for("the data nodes", lambda: self.reported().count("Hostname:") == len(NODES))

    def reported(self):
        """What the name node says about the data nodes that live."""
        command = self.java("hdfs.tools.DFSAdmin", "-report", "-live")
        return subprocess.run(command, capture_output=True, text=True).stdout

    def shell(self, *arguments):
        with open(self.folder / "shell.log", "ab") as log:
            return subprocess.run(self.java("fs.FsShell", *arguments), check=True, text=True,
                                  stdout=subprocess.PIPE, stderr=log).stdout

    def bytes_read(self, node):
        """How many bytes a data node has sent to readers."""
        page = (f"http://{HOST}:{self.pages[node]}/jmx"
                "?qry=Hadoop:service=DataNode,name=DataNodeActivity*")
        with urllib.request.urlopen(page) as answer:
            return json.load(answer)["beans"][0]["BytesRead"]


def write_settings(path, settings):
    path.write_text("<configuration>" + "".join(
        f"<property><name>{name}</name><value>{value}</value></property>"
        for name, value in settings.items()) + "</configuration>")


def fill(hdfs, folder):
    """Copies the documents into HDFS, in several files."""
    lines = (folder / "in.jsonl").read_text("utf-8").splitlines(keepends=True)
    (folder / "parts").mkdir()
    for part in range(PARTS):
        (folder / f"parts/{part}.jsonl").write_text("".join(lines[part::PARTS]), "utf-8")
    hdfs.shell("-put", folder / "parts", "/in")


def submit(hdfs, folder):
    settings = {"spark.driver.host": HOST, "spark.ui.enabled": "false",
                "spark.sql.shuffle.partitions": 4,
                "spark.hadoop.dfs.replication": SETTINGS["dfs.replication"]}
    words = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    arguments = ["--master", "local[2]", *map(str, words), "pyspark-shell"]
    return subprocess.Popen(
        [sys.executable, "-m", "twinset.spark", "--input", f"{hdfs.address}/in/*.jsonl",
         "--output", f"{hdfs.address}/out"],
        cwd=folder, stderr=open(folder / "client.log", "wb"),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "SPARK_LOCAL_IP": HOST,
             "PYSPARK_PYTHON": sys.executable, "PYSPARK_SUBMIT_ARGS": " ".join(arguments)})


def lose_data_node(hdfs, client, idle):
    """Kills the first data node that has sent more than it had before the job."""
    def one_that_is_read():
        if client.poll() is not None:
            raise RuntimeError("the job ended before a data node could be killed")
        return next((node for node in NODES if hdfs.bytes_read(node) > idle[node]), None)

    node = hdfs.wait_for("a data node that is read from", one_that_is_read)
    hdfs.kill(node)
    print(f"killed {node}, from which the job had begun to read")
    return {left: hdfs.bytes_read(left) for left in NODES if left != node}


def check(hdfs, folder, left, expected):
    sent = sum(hdfs.bytes_read(node) - before for node, before in left.items())
    size = (folder / "in.jsonl").stat().st_size
    assert sent > size, f"after the loss, {sent} bytes were read, and there are {size}"
    written = sorted(hdfs.shell("-cat", "/out/part-*").splitlines())
    assert written == expected, f"{len(written)} lines, not the {len(expected)} expected"
    print(f"the same {len(written)} pairs, though a data node was lost")


def main():
    jars = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="twinset-hdfs-"))
    expected = sorted(scanned(folder, documents(20_000, hot=200, copies=500)))
    hdfs = Hdfs(jars, folder)
    client = None
    try:
        hdfs.start_all()
        fill(hdfs, folder)
        idle = {node: hdfs.bytes_read(node) for node in NODES}
        client = submit(hdfs, folder)
        left = lose_data_node(hdfs, client, idle)
        assert client.wait(WAIT) == 0, (folder / "client.log").read_text()[-3000:]
        check(hdfs, folder, left, expected)
    except BaseException:
        print(f"logs: {folder}", file=sys.stderr)
        raise
    finally:
        if client and client.poll() is None:
            client.kill()
        hdfs.end()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
