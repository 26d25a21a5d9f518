"""A server for a test, on a free port of the loopback interface."""
import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import unittest
import urllib.parse

from command import CRASHES, TWINSET, Case, environment, restore_signals

PATIENCE = 120  # seconds: a server that takes longer hangs


def is_built_in():
    """Whether this command was built with its server."""
    done = subprocess.run([TWINSET, "serve", "index", "--listen", "nowhere"], capture_output=True,
                          check=False, timeout=PATIENCE)
    return b"without its server" not in done.stderr


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """A running server."""

    def __init__(self, folder, *arguments, index="index.twx"):
        self.process = subprocess.Popen(
            [TWINSET, "serve", os.path.join(folder, index), "--listen", "127.0.0.1:0",
             *arguments], stderr=subprocess.PIPE, cwd=folder, env=environment(None),
            preexec_fn=restore_signals)
        line = self.process.stderr.readline().decode()
        found = re.search(r"at (https?)://127\.0\.0\.1:(\d+)/", line)
        if found is None:
            self.process.kill()
            raise AssertionError(line + self.process.communicate()[1].decode())
        self.is_tls, self.port = found[1] == "https", int(found[2])

    def connection(self):
        if self.is_tls:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE,
                                               context=context)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, method, path, body=None, token=None, **headers):
        """Sends a request. A body that is no bytes is sent as JSON."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        connection = self.connection()
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def send(self, request, end=b""):
        """Sends raw bytes, and reads until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), PATIENCE) as client:
            client.sendall(request)
            if end:
                client.sendall(end)
            got = b""
            while True:
                try:
                    more = client.recv(65536)
                except ConnectionResetError:
                    break
                if not more:
                    break
                got += more
            return got

    def add(self, *documents, **options):
        return self.ask("POST", "/v1/documents", {"documents": list(documents)}, **options)

    def query(self, text, **members):
        return self.ask("POST", "/v1/query", {"text": text, **members})

    def document(self, identifier, method="GET"):
        return self.ask(method, "/v1/documents/" + urllib.parse.quote(identifier, safe=""))

    def stop(self, number=signal.SIGTERM):
        """Stops the server. Returns its status and its messages."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        _, said = self.process.communicate(timeout=PATIENCE)
        if self.process.returncode in CRASHES or b"Sanitizer" in said:
            raise AssertionError(f"crashed: {self.process.returncode}\n{said.decode()}")
        return self.process.returncode, said.decode()


@unittest.skipUnless(is_built_in(), "this command was built without its server")
class ServerCase(Case):
    def serve(self, *arguments, **options):
        server = Server(self.folder, *arguments, **options)
        self.addCleanup(server.process.stderr.close)
        self.addCleanup(server.process.kill)
        self.addCleanup(self.check_end, server)
        return server

    def check_end(self, server):
        """Checks that the server stops in order, whatever requests it had."""
        if server.process.returncode is None:
            self.assertEqual(server.stop(), (0, ""))

    def assert_refused(self, answer, status):
        self.assertEqual(answer.status, status, answer.body)
        self.assertGreater(len(answer.json["error"]), 10)
