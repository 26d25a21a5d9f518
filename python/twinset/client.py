"""A client of `twinset serve`, on the standard library alone.

    from twinset.client import Client

    with Client("http://127.0.0.1:8080", token="...") as client:
        client.add([{"id": "essay-1", "text": "..."}])
        for match in client.query("...", threshold=0.3):
            print(match["id"], match["similarity"])

A client has one connection and belongs to one thread. Answers are the JSON of the API as it is:
docs/server.md and /openapi.json describe it.
"""

import http.client
import json
import ssl
from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote, urlsplit

__all__ = ["Client", "ServerError"]


class ServerError(Exception):
    """The server refused a request. `status` is the HTTP status, the message the reason."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def _batch(documents: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """The request body for a batch of documents, in chunks of one document."""
    yield b'{"documents": ['
    for number, document in enumerate(documents):
        yield (b", " if number else b"") + json.dumps(document).encode()
    yield b"]}"


class Client:
    """A connection to one server. `context` is for HTTPS, if the server's certificate needs it."""

    def __init__(self, url: str, token: str | None = None, timeout: float = 60,
                 context: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{url!r} is not the address of a server, such as "
                             "'http://127.0.0.1:8080'")
        self._connection: http.client.HTTPConnection
        if parts.scheme == "https":
            self._connection = http.client.HTTPSConnection(
                parts.hostname, parts.port, timeout=timeout,
                context=context or ssl.create_default_context())
        else:
            self._connection = http.client.HTTPConnection(parts.hostname, parts.port,
                                                          timeout=timeout)
        self._headers = {"Authorization": f"Bearer {token}"} if token is not None else {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def _send(self, method: str, path: str, body: bytes | Iterable[bytes] | None) -> bytes:
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            self._connection.request(method, path, body, headers,
                                     encode_chunked=not isinstance(body, bytes | None))
            answer = self._connection.getresponse()
            content = answer.read()
        except BaseException:
            self._connection.close()  # the rest of this answer must not be read as the next
            raise
        if answer.status != 200:
            raise ServerError(answer.status, _error_message(content, answer.reason))
        return content

    def _ask(self, method: str, path: str, body: bytes | Iterable[bytes] | None = None) -> Any:
        return json.loads(self._send(method, path, body))

    def add(self, documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """Adds documents with `id` and `text`; all other members are metadata. The
        request is streamed, so there may be any number of them. Returns the numbers `added`,
        `known` and `skipped`."""
        answer: dict[str, Any] = self._ask("POST", "/v1/documents", _batch(documents))
        return answer

    def query(self, text: str, threshold: float | None = None, **members: Any) -> list[Any]:
        """Documents that resemble a text, the most similar first. `members` are further members of
        the request, such as `top`, `id` and `passages`, as the API has them."""
        if threshold is not None:
            members["threshold"] = threshold
        body = json.dumps({"text": text, **members}).encode()
        matches: list[Any] = self._ask("POST", "/v1/query", body)["matches"]
        return matches

    def get(self, identifier: str) -> dict[str, Any] | None:
        """A document by its id; None if the index has no such document."""
        try:
            answer: dict[str, Any] = self._ask("GET", _path(identifier))
        except ServerError as refusal:
            if refusal.status == 404:
                return None
            raise
        return answer

    def remove(self, identifier: str) -> bool:
        """Removes a document by its id; False if the index has no such document."""
        try:
            self._ask("DELETE", _path(identifier))
        except ServerError as refusal:
            if refusal.status == 404:
                return False
            raise
        return True

    def compare(self, a: Mapping[str, str], b: Mapping[str, str]) -> dict[str, Any]:
        """Compares two documents in detail. Each is {"text": ...} or {"id": ...}."""
        body = json.dumps({"a": dict(a), "b": dict(b)}).encode()
        answer: dict[str, Any] = self._ask("POST", "/v1/compare", body)
        return answer

    def clusters(self, limit: int = 100) -> list[Any]:
        """The clusters of the index, largest first."""
        clusters: list[Any] = self._ask("GET", f"/v1/clusters?limit={limit}")["clusters"]
        return clusters

    def stats(self) -> dict[str, Any]:
        """Figures of the index, such as its number of documents."""
        answer: dict[str, Any] = self._ask("GET", "/v1/stats")
        return answer


def _path(identifier: str) -> str:
    return "/v1/documents/" + quote(identifier, safe="")


def _error_message(content: bytes, reason: str) -> str:
    """The server's message, or the reason of HTTP if the answer has none."""
    try:
        return str(json.loads(content)["error"])
    except (ValueError, KeyError, TypeError):
        return reason
