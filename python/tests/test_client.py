"""twinset.client with a server of the command."""
import os
import re
import signal
import subprocess

import pytest

from twinset.client import Client, ServerError

TWINSET = os.environ.get("TWINSET", "")
TEXT = "The bridge over the river was built in a single year, of stone from the hill behind it. "


@pytest.fixture
def url(tmp_path):
    if not TWINSET:
        pytest.skip("TWINSET does not name the command")
    server = subprocess.Popen([TWINSET, "serve", str(tmp_path / "index.twx"), "--listen",
                               "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    line = server.stderr.readline()
    if "without its server" in line:
        pytest.skip("the command was built without its server")
    yield re.search(r"http://[\d.:]+", line)[0]
    server.send_signal(signal.SIGTERM)
    assert server.wait(60) == 0
    server.stderr.close()


def test_every_call(url):
    with Client(url) as client:
        documents = ({"id": f"d/{i}", "text": f"{TEXT * 3}{i}", "year": i} for i in range(250))
        assert client.add(documents) == {"added": 250, "known": 0, "skipped": []}
        assert client.stats()["documents"] == 250
        matches = client.query(TEXT * 3 + "7", threshold=0.5, top=3)
        assert [match["id"] for match in matches][:1] == ["d/7"]
        assert matches[0]["similarity"] == 1.0 and matches[0]["metadata"] == {"year": 7}
        assert client.get("d/7")["text"] == TEXT * 3 + "7"
        pair = client.compare({"id": "d/7"}, {"text": TEXT})["pairs"][0]
        assert 0 < pair["similarity"] < 1
        assert client.clusters() == []
        assert client.remove("d/7") and not client.remove("d/7")
        assert client.get("d/7") is None


def test_refusals(url):
    with Client(url) as client:
        with pytest.raises(ServerError, match="number from 0 to 1") as refusal:
            client.query("text", threshold=2)
        assert refusal.value.status == 422
        with pytest.raises(ServerError, match="is missing"):
            client.add([{"id": "a"}])
        assert client.stats()["documents"] == 0
    with pytest.raises(ValueError, match="address of a server"):
        Client("127.0.0.1:8080")
