"""python -m twinset.beam: files, messages and exit status."""

import bz2
import gzip
import json
import lzma
import os
import pathlib
import random
import socket
import subprocess
import sys
from itertools import islice

import pytest
from beam_runs import FINE, as_json, beam, beam_command  # skips these tests without Beam
import pyarrow as pa
from spread import SEED, documents, scanned, text
from twinset import _core
from twinset.beam.__main__ import main
from twinset.beam.files import blocks, find_names, kind_of, lines_of


def test_parquet(tmp_path):
    import pyarrow.parquet as parquet

    given = documents(80)
    table = pa.table({"url": [name for name, _ in given], "body": [content for _, content in given],
                      "other": list(range(len(given)))})
    for number in range(2):
        parquet.write_table(table.slice(number * 40, 40 + 40 * number),
                            tmp_path / f"part{number}.parquet")
    written, messages = beam_command(tmp_path, "--input", "part*.parquet", "--id", "url", "--text",
                                 "body")
    assert sorted(written) == sorted(scanned(tmp_path, given))
    assert f"{len(given)} documents" in messages


def test_kept_lines_are_unchanged(tmp_path):
    model = text(random.Random(SEED))
    lines = [json.dumps({"x": 1.50, "id": id, "text": content}) + " " for id, content in
             (("b", model), ("a", model), ("c", None), ("d", "\ud800 " + model[::-1]))]
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n\n")
    written, messages = beam_command(tmp_path, "dedup", "--input", "in.jsonl")
    assert sorted(written) == sorted(lines[1:])
    assert "1 removed" in messages


def test_files_are_read_by_their_type(tmp_path, capsys, monkeypatch):
    """The pattern does not matter. Output goes into a folder, and replaces no files."""
    monkeypatch.chdir(tmp_path)
    line = json.dumps({"id": "%s", "text": text(random.Random(SEED))}) + "\n"
    (tmp_path / "in" / "below").mkdir(parents=True)
    (tmp_path / "in/a.json").write_text("\ufeff" + line % "a")
    (tmp_path / "in/below/b.ndjson").write_text(line % "b")
    assert main(["--input", "in", "--output", "new/"]) == 2
    assert f"in is a folder; {tmp_path}/in/** are all files below it" in capsys.readouterr().err
    written = {}
    for verb in ("dedup", "pairs"):
        assert main([verb, "--input", "in/**", "--output", f"{verb}/"]) == 0
        [path] = (tmp_path / verb).iterdir()
        [written[verb]] = path.read_text().splitlines()
    assert written["dedup"] == (line % "a").rstrip() and '"b": "b"' in written["pairs"]
    capsys.readouterr()
    assert main(["--input", "in/**", "--output", "pairs/"]) == 2
    assert f"{tmp_path}/pairs/part-00000-of-00001.jsonl is there already" in capsys.readouterr().err
    assert kind_of(["x.jsonl/part-0"], "x.jsonl/*") == kind_of(["A.JSON.gz"], "*") == "JSON lines"
    (tmp_path / "in/readme").write_text("x")
    assert main(["--input", "in/**", "--output", "new/"]) == 2
    assert "are of several kinds: JSON lines, documents; take" in capsys.readouterr().err


def test_files_are_documents(tmp_path):
    model = text(random.Random(SEED))
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(model if name != "b" else "Something else.")
    written, _ = beam_command(tmp_path, "clusters", "--input", "*.txt")
    assert sorted((json.loads(line) for line in written), key=as_json) == [
        {"id": str(tmp_path / f"{name}.txt"), "cluster": 1, "size": 2} for name in "ac"]


@pytest.mark.parametrize("name, pack", [("gz", gzip.compress), ("bz2", bz2.compress),
                                        ("xz", lzma.compress),
                                        ("zst", lambda data: pa.compress(data, "zstd", True))])
def test_truncated_compressed_files(tmp_path, name, pack):
    path, data = tmp_path / f"in.{name}", b"a line\r\nand another\n" * 900_000
    packed = pack(data)
    path.write_bytes(packed + packed)  # concatenated files are one file
    assert b"".join(blocks(str(path))) == data + data
    assert list(islice(lines_of(str(path)), 3)) == ["a line", "and another", "a line"]
    path.write_bytes(packed[:len(packed) // 2])
    with pytest.raises(_core.InputError, match=rf"{path} cannot be read: it breaks off"):
        list(lines_of(str(path)))


def test_truncated_files_with_two_processes(tmp_path):
    for file in range(2):  # longer than the first block that is read
        packed = gzip.compress(b"".join(b'{"id": "%d-%d", "text": "x"}\n' % (file, number)
                                        for number in range(3000)))
        (tmp_path / f"{file}.jsonl.gz").write_bytes(packed[:len(packed) - 100 * file])
    written, messages = beam_command(
        tmp_path, "--input", "*.jsonl.gz", "--runner=FnApiRunner",
        "--direct_running_mode=multi_processing", "--direct_num_workers=2", status=2)
    assert messages == f"twinset: {tmp_path}/1.jsonl.gz cannot be read: it breaks off"
    assert not written


def test_records_are_read_until_all_names_are_found():
    rest = iter([["id"], ["text", "x"], ["y"]])
    assert find_names(rest, ["id", "text"]) == ["id", "text", "x"] and next(rest) == ["y"]


def without_texts(folder):
    """Writes four documents as JSON lines and as Parquet: two are equal, and two have no text."""
    import pyarrow.parquet as parquet

    model = text(random.Random(SEED))
    given = [{"id": "a", "text": model}, {"id": "b"}, {"id": "c", "text": None},
             {"id": "d", "text": model}]
    (folder / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in given))
    parquet.write_table(pa.Table.from_pylist([given[0], given[2]]), folder / "0.parquet")
    parquet.write_table(pa.Table.from_pylist([given[1]]), folder / "1.parquet")
    parquet.write_table(pa.Table.from_pylist([given[3]]), folder / "2.parquet")


@pytest.mark.parametrize("verb, pattern", [("pairs", "in.jsonl"), ("pairs", "*.parquet"),
                                           ("dedup", "*.parquet")])
def test_records_without_a_text_are_skipped_and_counted(tmp_path, capsys, monkeypatch, verb,
                                                        pattern):
    monkeypatch.chdir(tmp_path)
    without_texts(tmp_path)
    words = [verb, "--input", pattern, "--shards", "2", "--output"]
    assert main([*words, "out"]) == 0
    assert "4 documents" in (messages := capsys.readouterr().err) and "2 null texts" in messages
    written = "".join(path.read_text() for path in tmp_path.glob("out-*"))
    assert written.count("\n") == {"pairs": 1, "dedup": 3}[verb]
    for more, field in ((["--text", "body"], "'body' for the text"), (["--id", "x"], "'x' for")):
        assert main([*words, "other", *more]) == 2
        assert f"there is no field {field}" in (messages := capsys.readouterr().err), messages
        assert messages.endswith("; there are id, text\n")


def test_errors_of_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pathlib.Path("in.jsonl").write_text('{"id": "a", "text": "b"}\nnot so\n')
    pathlib.Path("half.jsonl").write_text(json.dumps({"id": "\ud800", "text": "b"}) + "\n")
    pathlib.Path("torn.parquet").write_text("PAR1 and no more")
    pathlib.Path("other.jsonl").write_text('{"id": "a", "text": "\xe9"}\n', "latin-1")
    for words, messages in (
            ("--input in.jsonl --treshold .8", "no option --treshold; did you mean --threshold?"),
            ("--input in.jsonl --common 0.5", "--common is an option of the command"),
            ("--input in.jsonl --min-passage 25", "here, dedup cuts them"),
            ("--input in.jsonl --method exact", "pairs are found by lsh"),
            ("pears --input in.jsonl", "there is no 'pears' here; take pairs, clusters, dedup"),
            ("--input in.jsonl half.jsonl --runner FnApiRunner",
             "--input takes one pattern, in quotation marks if it has a *; there is half.jsonl"),
            ("--input in.jsonl --input=half.jsonl", "--input takes one pattern"),
            ("clusters --input in.jsonl --format csv", "only pairs are written as csv and tsv"),
            ("--input none.jsonl", "there are no files like"),
            ("--input none*.txt --output not/there/yet", "there are no files like"),
            ("--input none.jsonl --output in.jsonl/below/out",
             f"nothing can be written to {tmp_path}/in.jsonl: it is a file"),
            ("--input none.jsonl --output /proc/none/out", "nothing can be written to /proc: "),
            ("--input none.jsonl --output nowhere://x/out",
             "nothing can be written to nowhere://x/out: Unable to get filesystem"),
            ("--input none.jsonl --output out[1]/x", "Beam cannot write names with * ? or ["),
            ("--input torn.parquet", "not a parquet file"),
            ("--input half.jsonl", "it has half a character"),
            ("--input other.jsonl", "a string of the input is not UTF-8"),
            ("--input in.jsonl", "a line is no JSON")):
        words = words if "--output" in words else f"{words} --output out"
        assert main(words.split()) == 2
        assert messages in capsys.readouterr().err.splitlines()[-1]
    assert not [path for name in ("out*", "twinset-*", "not") for path in tmp_path.glob(name)]


def test_ctrl_c(tmp_path, monkeypatch):
    """Beam reports it as an error of the interrupted step."""
    (tmp_path / "in.jsonl").write_text(as_json(FINE))
    error = RuntimeError("KeyboardInterrupt [while running 'parse']")
    monkeypatch.setattr(beam.Pipeline, "run", lambda _: (_ for _ in ()).throw(error))
    with pytest.raises(KeyboardInterrupt):
        main(["--input", f"{tmp_path}/in.jsonl", "--output", f"{tmp_path}/out"])


def test_a_worker_without_the_package(tmp_path):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    (tmp_path / "in.jsonl").write_text(as_json(FINE))
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "twinset.py").write_text(
        "raise ModuleNotFoundError(\"No module named 'twinset'\")")
    # The pool starts its workers as `python`.
    found_first = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    pool = subprocess.Popen(
        [sys.executable, "-m", "apache_beam.runners.worker.worker_pool_main",
         f"--service_port={port}"], stderr=subprocess.DEVNULL,
        env={**os.environ, "PATH": found_first, "PYTHONPATH": str(tmp_path / "none")})
    try:
        _, messages = beam_command(tmp_path, "--input", "in.jsonl", "--runner=PortableRunner",
                               "--job_endpoint=embed", "--environment_type=EXTERNAL",
                               f"--environment_config=localhost:{port}", status=2)
    finally:
        pool.terminate()
        pool.wait()
    assert "a worker has no twinset" in messages and "docs/cluster.md" in messages
