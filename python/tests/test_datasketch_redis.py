"""Indexes in a real Redis server: each package reads the index of the other."""

import pickle
import shutil
import socket
import subprocess
import sys
import time

import pytest
from datasketch_peers import datasketch, dice, similar_sets

from twinset import datasketch as ours

redis = pytest.importorskip("redis", reason="the package redis is not installed")
from redis.backoff import NoBackoff  # noqa: E402
from redis.retry import Retry  # noqa: E402


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not installed")
    port = free_port()
    process = subprocess.Popen(
        ["redis-server", "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir",
         str(tmp_path_factory.mktemp("redis"))], stdout=subprocess.DEVNULL)
    try:
        client = redis.Redis(host="127.0.0.1", port=port)
        for _ in range(1200):
            try:
                client.ping()
                break
            except redis.ConnectionError:
                time.sleep(0.05)
        client.ping()
        yield client
    finally:
        process.terminate()
        process.wait(timeout=60)


def config(server, basename, **more):
    server.flushall()
    kwargs = server.connection_pool.connection_kwargs
    return {"type": "redis", "basename": basename,
            "redis": {"host": kwargs["host"], "port": kwargs["port"]}, **more}


def everything(server):
    readers = {b"hash": server.hgetall, b"list": lambda key: server.lrange(key, 0, -1),
               b"set": server.smembers}
    return {key: readers[server.type(key)](key) for key in server.keys()}


def filled(package, settings, minhashes, **arguments):
    lsh = package.MinHashLSH(num_perm=32, threshold=0.5, storage_config=settings, **arguments)
    for i, minhash in enumerate(minhashes):
        lsh.insert(f"set {i}", minhash)
    return lsh


@pytest.fixture
def minhashes():
    return ours.MinHash.bulk(similar_sets(dice(), 60), num_perm=32)


@pytest.mark.parametrize("session", [False, True])
def test_same_layout(server, minhashes, session):
    contents = []
    for package in (datasketch, ours):
        settings = config(server, b"layout")
        if session:
            lsh = filled(package, settings, [])
            with lsh.insertion_session(buffer_size=11) as context:
                for i, minhash in enumerate(minhashes):
                    context.insert(f"set {i}", minhash)
        else:
            lsh = filled(package, settings, minhashes)
        for i in range(0, 60, 3):
            lsh.remove(f"set {i}")
        contents.append(everything(server))
    assert contents[0] and contents[1] == contents[0]


def test_each_package_reads_the_index_of_the_other(server, minhashes):
    for writer, reader in ((ours, datasketch), (datasketch, ours)):
        settings = config(server, b"shared")
        written = filled(writer, settings, minhashes)
        read = filled(reader, settings, [])
        assert "set 0" in read and "none" not in read and not read.is_empty()
        for minhash in minhashes:
            assert sorted(read.query(minhash)) == sorted(written.query(minhash))
        assert set(read.keys) == set(written.keys)
        assert read.get_counts() == written.get_counts()
        assert read.get_subset_counts("set 1") == written.get_subset_counts("set 1")
        read.remove("set 0")
        assert "set 0" not in written
        written.insert("set 0", minhashes[0])
        assert "set 0" in read.query(minhashes[0])
        with pytest.raises(ValueError, match="already exists"):
            read.insert("set 0", minhashes[0])


def test_as_in_memory(server, minhashes):
    stored = filled(ours, config(server, b"same"), minhashes)
    memory = filled(ours, None, minhashes)
    for minhash in minhashes:
        assert sorted(stored.query(minhash)) == sorted(memory.query(minhash))
        assert stored._query_b(minhash, 2) == memory._query_b(minhash, 2)
        stored.add_to_query_buffer(minhash)
        assert sorted(stored.collect_query_buffer()) == sorted(memory.query(minhash))
    assert stored.prepickle and stored.get_counts() == memory.get_counts()
    assert stored.keys.status()["keyspace_size"] == 60
    assert stored.keys.status()["host"] == "127.0.0.1"


def test_deletion_session_leaves_nothing(server, minhashes):
    lsh = filled(ours, config(server, b"gone"), minhashes)
    with lsh.deletion_session(buffer_size=7) as session:
        for i in range(60):
            session.remove(f"set {i}")
        with pytest.raises(ValueError, match="does not exist"):
            session.remove("none")
    assert lsh.is_empty() and everything(server) == {}


def test_unpickled_keys(server, minhashes):
    contents = []
    for package in (datasketch, ours):
        lsh = package.MinHashLSH(num_perm=32, threshold=0.5, prepickle=False,
                                 storage_config=config(server, b"plain"))
        lsh.insert(b"a", minhashes[0])
        assert lsh.query(minhashes[0]) == [b"a"] and b"a" in lsh
        for key in ("a", 1):
            with pytest.raises(TypeError, match="bytes keys"):
                lsh.insert(key, minhashes[0])
        contents.append(everything(server))
    assert contents[1] == contents[0]


def test_pickles_connect_again(server, minhashes):
    lsh = filled(ours, config(server, b"pickled"), minhashes)
    loaded = pickle.loads(pickle.dumps(lsh))
    assert sorted(loaded.query(minhashes[0])) == sorted(lsh.query(minhashes[0]))
    loaded.remove("set 0")
    assert "set 0" not in lsh


def test_merge(server, minhashes):
    settings = config(server, b"one")
    first = filled(ours, settings, minhashes[:30])
    other = ours.MinHashLSH(num_perm=32, threshold=0.5, prepickle=True)
    for i in range(30, 60):
        other.insert(f"set {i}", minhashes[i])
    first.merge(other, check_overlap=True)
    assert len(first.keys) == 60 and "set 59" in first.query(minhashes[59])


def test_hash_function(server, minhashes):
    contents = []
    for package in (datasketch, ours):
        filled(package, config(server, b"hashed"), minhashes, hashfunc=lambda band: band[:4])
        contents.append(everything(server))
    assert contents[1] == contents[0]


def test_ensemble(server, minhashes):
    found = []
    for package in (datasketch, ours):
        ensemble = package.MinHashLSHEnsemble(threshold=0.5, num_perm=32, num_part=3, m=4,
                                              storage_config=config(server, b"parts"))
        ensemble.index([(f"set {i}", minhash, 20 + i) for i, minhash in enumerate(minhashes)])
        answers = [sorted(ensemble.query(minhash, 20 + i)) for i, minhash in enumerate(minhashes)]
        found.append((answers, everything(server)))
    assert found[1] == found[0]


def test_settings_from_the_environment(server, minhashes, monkeypatch):
    settings = config(server, b"environment", redis_buffer={"transaction": False})
    port = settings["redis"]["port"]
    settings["redis"] = {"host": {"env": "TWINSET_TEST_NO_SUCH", "default": "127.0.0.1"},
                         "port": {"env": "TWINSET_TEST_PORT"}}
    monkeypatch.setenv("TWINSET_TEST_PORT", str(port))
    lsh = filled(ours, settings, minhashes[:2])
    assert lsh.query(minhashes[1])


def test_random_names_differ(server, minhashes):
    settings = config(server, b"")
    del settings["basename"]
    first, second = (filled(ours, settings, minhashes[:1]) for _ in range(2))
    assert len(first.keys) == len(second.keys) == 1
    assert len({key[:11] for key in everything(server)}) == 2


def test_no_server():
    lsh = ours.MinHashLSH(num_perm=32, threshold=0.5, storage_config={
        "type": "redis", "redis": {"host": "127.0.0.1", "port": free_port(),
                                   "retry": Retry(NoBackoff(), 0)}})
    with pytest.raises(redis.ConnectionError):
        lsh.insert("a", ours.MinHash(32))


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ImportError, match="pip install redis"):
        ours.MinHashLSH(storage_config={"type": "redis", "redis": {}})
