"""twinset serve: answers of the API, and invalid requests."""
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
import unittest

from command import SAMPLES
from serving import PATIENCE, ServerCase

POLLS = 600  # attempts to see what the server does soon after an answer

READ, WRITE = "read-token-0123456789", "write-token-0123456789"


def sample(name):
    with open(os.path.join(SAMPLES, "essays", name), encoding="utf-8") as file:
        return file.read()


ORIGINAL, COPY, OTHER = sample("bridges-original.txt"), sample("bridges-verbatim.txt"), sample(
    "chess.txt")


class Documents(ServerCase):
    def test_documents_are_added_queried_and_removed(self):
        server = self.serve()
        added = server.add({"id": "bridges", "text": ORIGINAL, "year": 2025, "author": "Ada"},
                           {"id": "chess", "text": OTHER})
        self.assertEqual((added.status, added.json),
                         (200, {"added": 2, "known": 0, "skipped": []}))
        again = server.add({"id": "bridges", "text": ORIGINAL})
        self.assertEqual(again.json, {"added": 0, "known": 1, "skipped": []})
        self.assertEqual(server.ask("GET", "/v1/stats").json["documents"], 2)

        matches = server.query(COPY, threshold=0.3).json["matches"]
        self.assertEqual([match["id"] for match in matches], ["bridges"])
        self.assertAlmostEqual(matches[0]["similarity"], 0.629092416079569)
        self.assertEqual(matches[0]["metadata"], {"year": 2025, "author": "Ada"})
        for passage in matches[0]["passages"]:
            for side, text in (("a", COPY), ("b", ORIGINAL)):
                start, end = passage[side]["bytes"]
                first, last = passage[side]["lines"]
                cut = text.encode()[start:end].decode()
                self.assertEqual(cut.count("\n"), last - first)
        self.assertGreater(sum(passage["tokens"] for passage in matches[0]["passages"]), 200)

        kept = server.document("bridges").json
        self.assertEqual((kept["text"], kept["metadata"]["year"]), (ORIGINAL, 2025))
        self.assertEqual(server.document("bridges", "DELETE").json, {"removed": 1})
        self.assert_refused(server.document("bridges"), 404)
        self.assert_refused(server.document("bridges", "DELETE"), 404)
        self.assertEqual(server.query(COPY, threshold=0.3).json, {"matches": []})

    def test_the_answer_is_that_of_compare(self):
        server = self.serve()
        server.add({"id": "bridges", "text": ORIGINAL})
        answer = server.ask("POST", "/v1/compare",
                            {"a": {"id": "bridges"}, "b": {"text": COPY}}).json
        self.write("a", ORIGINAL)
        self.write("b", COPY)
        wanted = json.loads(self.succeed("compare", "a", "b", "--format", "json").text)
        for result in (answer, wanted):
            del result["pairs"][0]["estimate"]  # an index has signatures of another length
        self.assertEqual(answer["pairs"], wanted["pairs"])
        self.assert_refused(server.ask("POST", "/v1/compare",
                                       {"a": {"id": "none"}, "b": {"text": COPY}}), 404)

    def test_a_document_is_not_compared_with_its_earlier_version(self):
        server = self.serve()
        server.add({"id": "bridges", "text": ORIGINAL})
        self.assertEqual(server.query(COPY, threshold=0.3, id="bridges").json, {"matches": []})

    def test_every_method_and_an_empty_text(self):
        server = self.serve()
        server.add({"id": "bridges", "text": ORIGINAL})
        for method in ("auto", "lsh", "exact"):
            matches = server.query(COPY, threshold=0.5, method=method).json["matches"]
            self.assertEqual([match["id"] for match in matches], ["bridges"], method)
        self.assert_refused(server.query(COPY, method="guess"), 422)
        self.assert_refused(server.query(COPY, method="lsh", threshold=0), 422)
        schemas = server.ask("GET", "/openapi.json").json["components"]["schemas"]
        self.assertEqual(schemas["Query"]["not"]["properties"],
                         {"threshold": {"maximum": 0}, "method": {"enum": ["lsh"]}})
        for text in ("", " \n"):
            self.assertEqual(server.query(text).json, {"matches": []})

    def test_ids_of_all_kinds(self):
        server = self.serve()
        for identifier in ("a/b", "../../etc/passwd", "ä ö", "50%", "a?b#c", ".", "x" * 1024):
            with self.subTest(identifier):
                self.assertEqual(server.add({"id": identifier, "text": OTHER + identifier})
                                 .json["added"], 1)
                self.assertEqual(server.document(identifier).json["id"], identifier)
                self.assertEqual(server.document(identifier, "DELETE").status, 200)

    def test_refused_documents_are_named(self):
        server = self.serve()
        server.add({"id": "one", "text": ORIGINAL})
        answer = server.add({"id": "one", "text": OTHER}, {"id": "empty", "text": ""},
                            {"id": "two", "text": COPY}).json
        self.assertEqual((answer["added"], answer["known"]), (1, 0))
        self.assertEqual([row["id"] for row in answer["skipped"]], ["one", "empty"])

    def test_metadata_is_returned_unchanged(self):
        """Large and long numbers are unchanged; only white space is removed."""
        server = self.serve()
        metadata = (r'{"n":123456789012345678901234567890,"x":1.10,"\u0069 d":"a \u00e9, }",'
                    r'"list":[{"text":"[ {"},-0.0,null],"object":{"id":1}}')
        spaced = metadata[1:-1].replace(',"', ' ,\n\t"').replace("null]", " null ]")
        body = (r'{"documents": [{"\u0069d": "a", "group": "g" , ' + spaced +
                ', "text": "A bridge."}, {"id": "b", "text": "A road."}]}')
        self.assertEqual(server.ask("POST", "/v1/documents", body.encode()).json["added"], 2)
        self.assertIn(b'"metadata": ' + metadata.encode(), server.document("a").body)
        self.assertIsNone(server.document("b").json["metadata"])

    def test_texts_of_all_kinds_are_returned(self):
        server = self.serve()
        texts = ("a\0b" * 20, "\"\\\b\f\n\r\t\x1b" * 9, "日本語のテキスト" * 9, "😀" * 30)
        for i, text in enumerate(texts):
            server.add({"id": f"d{i}", "text": text})
            self.assertEqual(server.document(f"d{i}").json["text"], text)


class Batches(ServerCase):
    def test_a_long_body_takes_little_memory(self):
        """The body has about 60 MB in chunks, which end within documents."""
        server = self.serve("--max-document", "1M")
        seed = random.randrange(1 << 30)
        dice = random.Random(seed)
        words = ["".join(dice.choices("abcdefghij", k=7)) for _ in range(2000)]
        sent = 0

        def body():
            nonlocal sent
            yield b'{ "documents" : ['
            for i in range(60):
                text = " ".join(dice.choices(words, k=400)) + ' "} ] { \\'
                filler = json.dumps("x" * 999000)  # metadata
                sent += 1
                yield (b", " if i else b"") + json.dumps(
                    {"id": f"d{i}", "text": text}).encode()[:-1] + b', "note": ' \
                    + filler.encode() + b"}"
            yield b"] }\n"

        connection = server.connection()
        connection.request("POST", "/v1/documents", body(),
                           {"Content-Type": "application/json"}, encode_chunked=True)
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200, seed)
        self.assertEqual(json.loads(answer.read())["added"], sent, seed)
        connection.close()

    def test_documents_added_before_an_error_are_counted(self):
        server = self.serve()
        documents = [{"id": f"d{i}", "text": f"{OTHER} {i}"} for i in range(250)]
        body = json.dumps({"documents": documents}).encode()[:-2] + b', {"id": 7}]}'
        answer = server.ask("POST", "/v1/documents", body)
        self.assert_refused(answer, 422)
        self.assertEqual(answer.json["added"], 200)  # two batches of a hundred
        self.assertEqual(server.ask("GET", "/v1/stats").json["documents"], 200)
        again = server.add(*documents)
        self.assertEqual((again.json["added"], again.json["known"]), (50, 200))

    def test_invalid_batches(self):
        server = self.serve()
        for body, status in (
                (b"", 400), (b"{", 400), (b"[]", 400), (b"null", 400), (b'"documents"', 400),
                (b'{"documents": [}', 400), (b'{"documents": [{"id": "a", "text": "b"},]}', 400),
                (b'{"documents": [{"id": "a" "text": "b"}]}', 400),
                (b'{"documents": [{"id": "a", "text": "b"} {"id": "c", "text": "d"}]}', 400),
                (b'{"documents": [{"id": "a", "text": "b"}', 400),
                (b'{"documents": [{"id": "a", "text": "b"}]', 400),
                (b'{"documents": []} x', 400), (b'{"documents": [], "more": 1}', 400),
                (b'{"other": [], "documents": []}', 400), (b'{"documents": ["a"]}', 400),
                (b'{"documents": [{"id": "a", "text": "\xff"}]}', 400),
                (b'{"documents": [{"id": "a", "id": "b", "text": "c"}]}', 400),
                (b'{"documents": [{"id": "a"}]}', 422), (b'{"documents": [{"text": "a"}]}', 422),
                (b'{"documents": [{"id": 1, "text": "a"}]}', 422),
                (b'{"documents": [{"id": "", "text": "a"}]}', 422),
                (b'{"documents": [{"id": "a\\u0000b", "text": "a"}]}', 422),
                (b'{"documents": [{"id": "a", "text": null}]}', 422),
                (b'{"documents": [{"id": "a", "text": "b", "x": ' + b"[" * 3000 + b"]" * 3000
                 + b"}]}", 400),
                (b'{"documents": [{"id": "a", "text": "b", "x": [' + b"0," * 20000 + b"0]}]}",
                 400)):
            with self.subTest(body[:60]):
                self.assert_refused(server.ask("POST", "/v1/documents", body), status)
        self.assertEqual(server.ask("GET", "/v1/stats").json["documents"], 0)
        self.assertEqual(server.ask("POST", "/v1/documents", b' {"documents":[ ] } ').json,
                         {"added": 0, "known": 0, "skipped": []})


class BadRequests(ServerCase):
    def test_invalid_queries(self):
        server = self.serve()
        for body, status in (
                (b"{", 400), (b"", 400), (b'{"text": "a"', 400), (b"[]", 422), (b"{}", 422),
                (b'{"text": 1}', 422), (b'{"text": "a", "threshold": 2}', 422),
                (b'{"text": "a", "threshold": "0.5"}', 422), (b'{"text": "a", "top": 0}', 422),
                (b'{"text": "a", "top": 1.5}', 422), (b'{"text": "a", "other": 1}', 422),
                (b'{"text": "a", "passages": 1}', 422), (b'{"text": "a", "threshold": NaN}', 400),
                (b'{"text": "a", "x": [' + b"[]," * 40000 + b"[]]}", 422)):
            with self.subTest(body[:40]):
                self.assert_refused(server.ask("POST", "/v1/query", body), status)
        for body in ({}, {"a": {"text": "x"}}, {"a": "x", "b": "y"}, {"a": {}, "b": {}},
                     {"a": {"text": "x"}, "b": {"id": "x", "text": {}}},
                     {"a": {"text": "x", "id": "y"}, "b": {"text": "x"}}):
            with self.subTest(body):
                self.assert_refused(server.ask("POST", "/v1/compare", body), 422)
        for limit in ("0", "x", "-1", "1001", ""):
            with self.subTest(limit):
                self.assert_refused(server.ask("GET", f"/v1/clusters?limit={limit}"), 400)

    def test_paths_and_methods(self):
        server = self.serve()
        for path in ("/x", "/v1", "/v1/", "/v1/documents/", "//", "/v1/query/", "/..",
                     "/../../etc/passwd", "/%2e%2e/etc/passwd", "/v1/../healthz", "/healthz/",
                     "/Healthz", "/index.html"):
            with self.subTest(path):
                self.assert_refused(server.ask("GET", path), 404)
        for path in ("/%", "/%4", "/%zz", "/v1/documents/a%00b", "/v1/documents/%0a"):
            with self.subTest(path):
                self.assert_refused(server.ask("GET", path), 400)
        for method, path, allowed in (("POST", "/", "GET, HEAD"), ("PUT", "/v1/query", "POST"),
                                      ("GET", "/v1/documents", "POST"),
                                      ("PATCH", "/v1/documents/a", "GET, HEAD, DELETE"),
                                      ("OPTIONS", "/v1/query", "POST"),
                                      ("DELETE", "/v1/stats", "GET, HEAD")):
            with self.subTest(f"{method} {path}"):
                answer = server.ask(method, path)
                self.assert_refused(answer, 405)
                self.assertEqual(answer.headers["Allow"], allowed)
        head = server.ask("HEAD", "/v1/stats")
        self.assertEqual((head.status, head.body), (200, b""))

    def test_bodies_by_their_headers(self):
        server = self.serve("--max-document", "1M", "--max-body", "2M")
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""):
            with self.subTest(kind):
                self.assert_refused(server.ask("POST", "/v1/query", b"{}", Content_Type=kind), 415)
        self.assert_refused(server.ask("POST", "/v1/query", b"{}", Content_Encoding="gzip"), 415)
        self.assertEqual(server.query("a" * 900000).status, 200)
        self.assert_refused(server.query("a" * 1100000), 413)
        self.assert_refused(server.add({"id": "a", "text": "b" * 1100000}), 413)
        self.assert_refused(server.ask("POST", "/v1/documents", b"x" * (3 << 20)), 413)
        got = server.send(b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                          b"Content-Type: application/json\r\n\r\n")
        self.assertIn(b" 411 ", got.split(b"\r\n")[0])
        got = server.send(b"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\n"
                          b"Content-Type: application/json\r\nContent-Length: 99999999999\r\n"
                          b"Expect: 100-continue\r\n\r\n")
        self.assertIn(b" 413 ", got.split(b"\r\n")[0])

    def test_a_chunked_body_that_grows_too_large(self):
        server = self.serve("--max-document", "1M")
        connection = server.connection()
        connection.request("POST", "/v1/query", (b"x" * 100000 for _ in range(20)),
                           {"Content-Type": "application/json"}, encode_chunked=True)
        self.assertEqual(connection.getresponse().status, 413)
        connection.close()

    def test_requests_that_are_no_http(self):
        server = self.serve()
        for request in (b"\x16\x03\x01\x02\x00\x01\x00", b"GET\r\n\r\n", b"\r\n" * 10,
                        b"GET / HTTP/9.9\r\n\r\n", b"GET /" + b"a" * 100000,
                        b"POST /v1/query HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\n",
                        b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
                        b"Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
                        b"zz\r\n"):
            with self.subTest(request[:30]):
                with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as client:
                    try:
                        client.sendall(request)
                        client.shutdown(socket.SHUT_WR)
                        while client.recv(65536):
                            pass
                    except OSError:
                        pass
        self.assertEqual(server.ask("GET", "/healthz").status, 200)


class Tokens(ServerCase):
    def tokens(self, content=f"# who may\nread {READ} ada\n\nwrite {WRITE} ben\n", mode=0o600):
        path = self.write("tokens", content)
        os.chmod(path, mode)
        return path

    def test_reading_and_writing(self):
        server = self.serve("--token-file", self.tokens(), "--audit", self.path("audit"))
        batch = {"documents": [{"id": "a", "text": OTHER}]}
        for path in ("/healthz", "/readyz", "/", "/openapi.json"):
            self.assertEqual(server.ask("GET", path).status, 200, path)
        for path in ("/v1/stats", "/metrics", "/v1/documents/a", "/nothing"):
            self.assertEqual(server.ask("GET", path).status,
                             404 if path == "/nothing" else 401, path)
            self.assertIn(server.ask("GET", path, token=READ).status, (200, 404), path)
        for token in (READ[:-1], READ + "0", READ.upper(), "", "x" * 512, "x" * 1000, "\x7f"):
            answer = server.ask("GET", "/v1/stats", token=token)
            self.assert_refused(answer, 401)
            self.assertIn("Bearer", answer.headers["WWW-Authenticate"])
        for given in ("Basic " + READ, READ, "Bearer"):
            self.assert_refused(server.ask("GET", "/v1/stats", Authorization=given), 401)
        self.assert_refused(server.ask("POST", "/v1/documents", batch, token=READ), 403)
        self.assert_refused(server.ask("DELETE", "/v1/documents/a", token=READ), 403)
        self.assertEqual(server.ask("POST", "/v1/documents", batch, token=WRITE).status, 200)
        self.assertEqual(server.ask("POST", "/v1/query", {"text": OTHER}, token=READ)
                         .json["matches"][0]["id"], "a")
        server.stop()
        lines = [json.loads(line) for line in self.read("audit").splitlines()]
        self.assertIn(("ben", "POST", "/v1/documents", 200, 1),
                      [(line["user"], line["method"], line["path"], line["status"],
                        line.get("added")) for line in lines])
        for secret in (READ, WRITE, "Bearer", OTHER[:40]):
            self.assertNotIn(secret.encode(), self.read("audit"))
        self.assertEqual(os.stat(self.path("audit")).st_mode & 0o777, 0o600)

    def test_the_longest_token(self):
        server = self.serve("--token-file", self.tokens("read " + "x" * 512))
        self.assertEqual(server.ask("GET", "/v1/stats", token="x" * 512).status, 200)
        self.assert_refused(server.ask("GET", "/v1/stats", token="x" * 511), 401)

    def test_files_of_tokens(self):
        for content, mode, says in (("", 0o600, "no token"), ("read short", 0o600, "tokens:1"),
                                    (f"\nadmin {READ}", 0o600, "tokens:2"),
                                    (f"read {READ}", 0o644, "chmod 600"),
                                    ("read " + "x" * 513, 0o600, "512 characters or fewer"),
                                    ("read " + "x" * 2000, 0o600, "too long")):
            with self.subTest(says):
                self.fail_with(2, "serve", "i", "--listen", "127.0.0.1:0", "--token-file",
                               self.tokens(content, mode), says=says)


class Origins(ServerCase):
    def test_foreign_pages_are_refused(self):
        server = self.serve()
        own = f"127.0.0.1:{server.port}"
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"},
                        {"Origin": f"https://{own}"}, {"Host": "evil.example"},
                        {"Host": f"evil.example:{server.port}"}, {"Host": "127.0.0.1.evil.example"},
                        {"Host": "localhost.evil.example"}):
            with self.subTest(headers):
                for method, path in (("GET", "/v1/stats"), ("GET", "/"),
                                     ("DELETE", "/v1/documents/a")):
                    answer = server.ask(method, path, **headers)
                    self.assert_refused(answer, 403)
                    self.assertNotIn("Access-Control-Allow-Origin", answer.headers)
        for headers in ({"Origin": f"http://{own}"}, {"Host": f"localhost:{server.port}"}):
            self.assertEqual(server.ask("GET", "/v1/stats", **headers).status, 200)

    def test_the_page_is_guarded(self):
        answer = self.serve().ask("GET", "/")
        if answer.status == 404:
            self.skipTest("built without the page")
        page = answer.body.decode()
        self.assertIn("default-src 'none'", page)
        self.assertNotRegex(page, r"unsafe-(inline|eval)")
        self.assertEqual(answer.headers["Content-Security-Policy"], "frame-ancestors 'none'")
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")


class Start(ServerCase):
    def certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=localhost",
                        "-keyout", "key.pem", "-out", "cert.pem"], cwd=self.folder, check=True,
                       capture_output=True)

    def test_other_machines_need_tokens_and_tls(self):
        for listen in ("0.0.0.0:0", "[::]:0"):
            for more in ((), ("--token-file", "tokens")):
                self.fail_with(2, "serve", "i", "--listen", listen, *more,
                               says="give --token-file, --tls-cert and --tls-key, or --insecure")
        self.assertEqual(self.entries(), [])

    def test_invalid_addresses(self):
        for listen in ("8080", ":8080", "127.0.0.1", "127.0.0.1:", "::1:80", "127.0.0.1:x",
                       "127.0.0.1:70000"):
            with self.subTest(listen):
                self.fail_with(2, "serve", "i", "--listen", listen, says=listen)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.fail_with(2, "serve", "i", "--listen", f"127.0.0.1:{taken.getsockname()[1]}",
                           says="in use")

    def test_invalid_options(self):
        for arguments in (("--timeout", "0"), ("--timeout", "x"), ("--connections", "0"),
                          ("--max-body", "x"), ("--quota", "-1"), ("--tls-cert", "x")):
            with self.subTest(arguments):
                self.fail_with(2, "serve", "i", "--listen", "127.0.0.1:0", *arguments,
                               says=arguments[0])
        self.fail_with(2, "serve", says="one index")
        self.fail_with(2, "serve", "a", "b", says="one index")

    def test_tls(self):
        self.certificate()
        server = self.serve("--tls-cert", "cert.pem", "--tls-key", "key.pem")
        self.assertTrue(server.is_tls)
        self.assertEqual(server.add({"id": "a", "text": OTHER}).json["added"], 1)
        self.assertEqual(server.query(OTHER).json["matches"][0]["similarity"], 1.0)
        self.assertEqual(server.send(b"GET / HTTP/1.1\r\n\r\n")[:4], b"")  # not TLS
        self.write("key.pem", "no key")
        self.fail_with(2, "serve", "i", "--listen", "127.0.0.1:0", "--tls-cert", "cert.pem",
                       "--tls-key", "key.pem", says="certificate and key")

    def test_the_server_stops_in_order(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            server = self.serve()
            server.add({"id": str(number), "text": OTHER + str(number)})
            self.assertEqual(server.stop(number), (0, ""))
        server = self.serve()
        self.assertEqual(server.ask("GET", "/v1/stats").json["documents"], 2)
        server.stop()
        self.assertEqual(self.entries(), ["index.twx"])  # the log went into the file

    def is_listening(self, server):
        try:
            socket.create_connection(("127.0.0.1", server.port), PATIENCE).close()
            return True
        except OSError:
            return False

    def test_requests_in_progress_are_finished(self):
        server = self.serve()
        connection = server.connection()
        connection.putrequest("POST", "/v1/documents")
        body = json.dumps({"documents": [{"id": "a", "text": OTHER}]}).encode()
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(len(body)))
        connection.putheader("Expect", "100-continue")
        connection.endheaders()
        begun = b"HTTP/1.1 100 Continue\r\n\r\n"
        self.assertEqual(connection.sock.recv(len(begun), socket.MSG_WAITALL), begun)
        server.process.send_signal(signal.SIGTERM)
        for _ in range(POLLS):  # until the server has noticed the signal
            if not self.is_listening(server):
                break
            time.sleep(0.05)
        self.assertFalse(self.is_listening(server))
        self.assertIsNone(server.process.poll())
        connection.send(body)
        answer = connection.getresponse()
        self.assertEqual((answer.status, json.loads(answer.read())["added"]), (200, 1))
        connection.close()
        self.assertEqual(server.stop(), (0, ""))


class Limits(ServerCase):
    def test_slow_clients_are_disconnected(self):
        """Slow clients send single bytes at intervals; others are served meanwhile."""
        server = self.serve("--timeout", "1")
        head = b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\n"
        slow = {"headers": head, "body": head + b"Content-Type: application/json\r\n"
                b"Content-Length: 1000\r\n\r\n{"}
        got = {}

        def trickle(name):
            with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as client:
                client.sendall(slow[name])
                client.settimeout(0.2)
                answer = b""
                for _ in range(100):
                    try:
                        client.sendall(b" " if name == "body" else b"X: y\r\n")
                        more = client.recv(4096)
                        if not more:
                            break
                        answer += more
                    except TimeoutError:
                        continue
                    except OSError:
                        break
                else:
                    answer = b"never"
                got[name] = answer

        threads = [threading.Thread(target=trickle, args=(name,)) for name in slow]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.assertEqual(server.ask("GET", "/healthz").status, 200)
            time.sleep(0.1)
        for name, answer in got.items():
            with self.subTest(name):
                self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer)
                head, body = answer.split(b"\r\n\r\n", 1)
                self.assertIn(f"Content-Length: {len(body)}".encode(), head)
                self.assertIn("error", json.loads(body))

    def test_silent_connections_are_closed(self):
        server = self.serve("--timeout", "1")
        connection = server.connection()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        connection.sock.settimeout(PATIENCE)
        self.assertEqual(connection.sock.recv(100), b"")
        connection.close()

    def test_too_many_connections_are_refused(self):
        server = self.serve("--connections", "3", "--timeout", "20")
        held = [server.connection() for _ in range(4)]
        for connection in held:
            connection.connect()
        statuses = set()
        for connection in held:
            connection.request("GET", "/healthz")
            answer = connection.getresponse()
            statuses.add((answer.status, answer.headers["Retry-After"]))
            answer.read()
        for connection in held:
            connection.close()
        self.assertIn((503, "1"), statuses)
        for _ in range(POLLS):  # until the server has noticed that they have closed
            status = server.ask("GET", "/healthz").status
            if status == 200:
                break
            time.sleep(0.05)
        self.assertEqual(status, 200)

    def test_a_full_quota(self):
        server = self.serve("--quota", "1M")
        dice = random.Random(7)
        for i in range(100):
            text = " ".join(str(dice.getrandbits(64)) for _ in range(2000))
            answer = server.add({"id": f"d{i}", "text": text})
            if answer.status != 200:
                break
        self.assert_refused(answer, 507)
        self.assertEqual(server.ask("GET", "/v1/stats").json["documents"], i)
        self.assertEqual(server.document("d0").status, 200)
        self.assertEqual(server.query("some other text").status, 200)

    def test_many_threads_at_once(self):
        """While threads add, query and remove, every answer is consistent."""
        server = self.serve()
        server.add({"id": "bridges", "text": ORIGINAL})
        problems = []

        def work(number):
            try:
                connection = server.connection()
                for i in range(12):
                    identifier = f"t{number}-{i}"
                    for method, path, body, wanted in (
                            ("POST", "/v1/documents", {"documents": [
                                {"id": identifier, "text": f"{OTHER} {identifier}"}]}, 200),
                            ("POST", "/v1/query", {"text": COPY, "threshold": 0.3}, 200),
                            ("GET", f"/v1/documents/{identifier}", None, 200),
                            ("DELETE", f"/v1/documents/{identifier}", None, 200),
                            ("GET", f"/v1/documents/{identifier}", None, 404),
                            ("GET", "/metrics", None, 200)):
                        connection.request(method, path, body and json.dumps(body),
                                           body and {"Content-Type": "application/json"} or {})
                        answer = connection.getresponse()
                        content = answer.read()
                        if answer.status != wanted or (
                                path == "/v1/query" and json.loads(content)["matches"][0]["id"]
                                != "bridges"):
                            problems.append((method, path, answer.status, content[:200]))
                connection.close()
            except (OSError, http.client.HTTPException, ValueError) as problem:
                problems.append(repr(problem))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])
        self.assertEqual(server.ask("GET", "/v1/stats").json["documents"], 1)

    def test_figures_for_prometheus(self):
        server = self.serve()
        server.add({"id": "a", "text": OTHER})
        server.ask("GET", "/nothing")
        for _ in range(POLLS):  # a request is counted when its answer has gone out
            answer = server.ask("GET", "/metrics")
            if b'"add"' in answer.body and b'"none"' in answer.body:
                break
            time.sleep(0.05)
        self.assertTrue(answer.headers["Content-Type"].startswith("text/plain"))
        lines = answer.body.decode().splitlines()
        for line in ('twinset_http_requests_total{route="add",status="200"} 1',
                     'twinset_http_requests_total{route="none",status="404"} 1',
                     "twinset_documents_added_total 1", "twinset_index_documents 1"):
            self.assertIn(line, lines)
        for line in lines:
            self.assertRegex(line, r'^(# (HELP|TYPE) .+|twinset_\w+(\{[^}]*\})? [0-9.e+]+)$')


if __name__ == "__main__":
    unittest.main()
