"""The recipe of docs/cluster.md for PostgreSQL gives the answers of the index."""
import glob
import json
import os
import pwd
import random
import re
import shutil
import subprocess
import sys
import tempfile

import pytest

pytest.importorskip("pyarrow")

TWINSET = os.environ.get("TWINSET", "")
PROGRAMS = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
RECIPE = os.path.join(os.path.dirname(__file__), "../../docs/cluster.md")
WORDS = [f"{a}{b}" for a in "Ba ce Di fö gu ha jé ki".split()
         for b in "lan mer nor pil ras".split()]


def server_user():
    """The user of PostgreSQL, which does not run as root; None for the current user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            pass
    pytest.skip("there is no user that PostgreSQL could run as")


@pytest.fixture(name="database")
def start_database():
    """Starts a server on a socket in a temporary folder. Returns the environment for psql."""
    if not PROGRAMS or not shutil.which("psql"):
        pytest.skip("PostgreSQL is not installed")
    user = server_user()
    folder = tempfile.mkdtemp(dir="/tmp")  # names of sockets are short
    if user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    data = os.path.join(folder, "data")
    control = [os.path.join(PROGRAMS[-1], "pg_ctl"), "--pgdata", data, "--silent", "--wait"]
    subprocess.run([os.path.join(PROGRAMS[-1], "initdb"), "--pgdata", data, "--no-sync", "-U", "me",
                    "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8"],
                   cwd=folder, stdout=subprocess.DEVNULL, check=True, **as_user)
    subprocess.run([*control, "--log", os.path.join(folder, "log"), "--options",
                    f"-c listen_addresses= -c fsync=off -k {folder}", "start"],
                   cwd=folder, check=True, **as_user)
    yield {"PGHOST": folder, "PGUSER": "me", "PGDATABASE": "postgres"}
    subprocess.run([*control, "--mode", "immediate", "stop"], cwd=folder, check=True, **as_user)
    shutil.rmtree(folder)


def blocks(kind):
    """The code blocks of a language in the section of the recipe."""
    with open(RECIPE, encoding="utf-8") as page:
        section = page.read().split("## An index in PostgreSQL")[1].split("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)```", section, re.S)


def write_documents(folder):
    rng = random.Random(5)
    texts = [" ".join(rng.choice(WORDS) for _ in range(rng.randrange(3, 60))) for _ in range(150)]

    def alter(text):
        return " ".join(rng.choice(WORDS) if rng.random() < 0.05 else word for word in text.split())

    for name, chosen in (("crawl", texts), ("new", [alter(text) for text in texts[::3]])):
        with open(folder / f"{name}.jsonl", "w", encoding="utf-8") as file:
            for i, text in enumerate(chosen):
                json.dump({"id": f"{name}/{i}", "text": text, "year": 2020 + i % 5}, file)
                file.write("\n")


def test_recipe(database, tmp_path):
    if not TWINSET:
        pytest.skip("TWINSET does not name the command")
    write_documents(tmp_path)
    paths = [os.path.dirname(TWINSET), os.path.dirname(sys.executable), os.environ["PATH"]]
    environment = {**os.environ, **database, "PATH": os.pathsep.join(paths)}

    def run(*command, **more):
        return subprocess.run(command, cwd=tmp_path, env=environment, check=True, text=True,
                              stdout=subprocess.PIPE, **more).stdout

    (tmp_path / "load.py").write_text(blocks("python")[0], encoding="utf-8")
    tables, query = blocks("sql")
    run("twinset", "index", "add", "crawl.twx", "crawl.jsonl")
    run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-c", tables)
    for commands in (*blocks("console"), *blocks("bash")):
        run("sh", "-e", "-c", commands.replace("$ ", ""))
    answer = run("psql", "-qAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", input=query)
    found = {(a, b, float(similarity)) for a, b, similarity in
             (line.split("\t") for line in answer.splitlines())}
    rows = run("twinset", "index", "query", "crawl.twx", "new.jsonl", "--method", "lsh",
               "--format", "jsonl")
    pairs = [json.loads(row) for row in rows.splitlines()]
    expected = {(pair["b"], pair["a"], pair["similarity"]) for pair in pairs
                if pair["a"].startswith("crawl/") and pair["b"].startswith("new/")}
    assert found == expected and len(found) > 30
    assert run("psql", "-qAt", "-c", "SELECT metadata->>'year' FROM documents WHERE id = 'crawl/7'"
               ) == "2022\n"
