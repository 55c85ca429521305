"""A hub on this machine: what huggingface_hub and range requests ask of the real one, over plain HTTP."""

import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from .faults import Fault, gated_error
from .repository import Content, Repository, xet_hash

_BLOCK = 1 << 16


@dataclass(frozen=True)
class Request:
    """A request that came in. `host` is how the client named the server: the hub and the "CDN" differ in it."""

    method: str
    path: str
    host: str
    token: str | None
    range: str | None


class StandIn:
    """Serves repositories until it is closed. `endpoint` belongs into HF_ENDPOINT.

    Large files are redirected to a "CDN" under another host name, as the real hub does; `requests` and `sent`
    (bytes of bodies of model files, by the name of the file) are what it has seen.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self.sent: dict[str, int] = {}
        self.closing = Event()
        self.lock = Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.hub = self
        port = self._server.server_port
        self.endpoint = f"http://127.0.0.1:{port}"
        self.cdn = f"http://localhost:{port}/cdn"
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def add(
        self,
        name: str,
        files: Mapping[str, bytes | Path],
        *,
        branch: str = "main",
        in_lfs: bool = True,
        **settings: Any,
    ) -> Repository:
        """Put `files` into the repository `name` as a new commit on `branch`; `settings` are those of `Repository`."""
        repository = self.repositories.setdefault(name, Repository(name))
        for setting, value in settings.items():
            setattr(repository, setting, value)
        repository.commit({path: Content(source, in_lfs) for path, source in files.items()}, branch)
        return repository

    def inject(self, fault: Fault) -> Fault:
        """Let `fault` happen to the next requests that it matches."""
        self.faults.append(fault)
        return fault

    @property
    def served(self) -> int:
        """Bytes of all model files that left so far, those that nobody read among them."""
        return sum(self.sent.values())

    def find(self, path: str) -> "tuple[Repository, str] | None":
        """The repository that a path starts with, in any case, and the rest of the path."""
        match = re.match(r"([^/]+/[^/]+)(/.*)?$", path)
        names = {name.lower(): name for name in self.repositories}
        name = names.get(match[1].lower()) if match else None
        return (self.repositories[name], match[2] or "") if match and name else None

    def strike(self, method: str, path: str) -> Fault | None:
        """The fault that hits this request."""
        with self.lock:
            return next((fault for fault in self.faults if fault.strikes(method, path)), None)

    def count(self, name: str, number: int) -> None:
        """Remember bytes that were sent."""
        with self.lock:
            self.sent[name] = self.sent.get(name, 0) + number

    def close(self) -> None:
        self.closing.set()
        for fault in self.faults:
            fault.release.set()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> "StandIn":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    block_on_close = True
    hub: StandIn

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        request.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BLOCK)  # what lies in there counts as sent
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        for connection in list(self.connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no error here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def log_message(self, *_: Any) -> None:
        pass

    def _answer(self) -> None:
        self.form = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        parts = urlsplit(self.path)
        self.query = parse_qs(parts.query)
        self.token = (self.headers.get("Authorization") or "").removeprefix("Bearer ") or None
        hub = self.server.hub
        host = (self.headers.get("Host") or "").split(":")[0]
        hub.requests.append(Request(self.command, self.path, host, self.token, self.headers.get("Range")))
        self.fault = hub.strike(self.command, unquote(self.path)) or Fault()
        if self.fault.status is not None:
            return self._say(self.fault.status, self.fault.body, self.fault.headers)
        path = parts.path
        if path.startswith("/cdn/"):
            return self._cdn(path.removeprefix("/cdn/"))
        if path == "/api/models":
            return self._search()
        found = hub.find(path.removeprefix("/api/models/").removeprefix("/"))
        if found is None:
            return self._refuse(404 if self.token else 401, "RepoNotFound", "Repository not found")
        repository, rest = found
        if repository.name not in path:
            return self._say(
                307, b"", {"Location": re.sub(re.escape(repository.name), repository.name, self.path, flags=re.I)}
            )
        return self._repository(repository, rest, path.startswith("/api/"))

    def _repository(self, repository: Repository, rest: str, api: bool) -> None:
        allowed = self.token in repository.tokens
        if repository.private and not allowed:
            return self._refuse(404 if self.token else 401, "RepoNotFound", "Repository not found")
        what, _, place = rest.removeprefix("/").partition("/")
        if not api and repository.gated and not allowed:
            return self._say(403 if self.token else 401, b"{}", gated_error(repository.name))
        revision, _, path = place.partition("/")
        commit = repository.resolve(unquote(revision) or "main")
        if commit is None:
            return self._refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        if not api:
            return self._resolve(repository, commit, unquote(path)) if what == "resolve" else self._say(404, b"")
        match what:
            case "" | "revision":
                return self._json(repository.info(commit, "blobs" in self.query))
            case "tree":
                recursive = self.query.get("recursive", [""])[0].lower() in ("true", "1")
                return self._json(repository.tree(commit, unquote(path), recursive))
            case "paths-info":
                files = repository.commits[commit]
                paths = parse_qs(self.form).get("paths", [])
                return self._json([repository.entry(each, files[each]) for each in paths if each in files])
        return self._refuse(404, "EntryNotFound", "Not here")

    def _search(self) -> None:
        """Words anywhere in the name, in any case, the most downloaded first."""
        words = self.query.get("search", [""])[0].lower().split()
        author = self.query.get("author", [""])[0]
        public = [each for each in self.server.hub.repositories.values() if not each.private]
        found = [
            each
            for each in public
            if all(word in each.name.lower() for word in words) and each.name.startswith(f"{author}/" if author else "")
        ]
        found.sort(key=lambda each: -each.downloads)
        limit = int(self.query.get("limit", ["100"])[0])
        self._json([each.info(each.branches["main"], False) for each in found[:limit]])

    def _resolve(self, repository: Repository, commit: str, path: str) -> None:
        content = repository.commits[commit].get(path)
        if content is None:
            return self._refuse(404, "EntryNotFound", "Entry not found", {"X-Repo-Commit": commit})
        headers = {"X-Repo-Commit": commit, "ETag": f'"{content.etag}"'}
        if not content.in_lfs:
            return self._content(content, path, headers)
        headers |= {
            "X-Linked-Etag": f'"{content.sha256}"',
            "X-Linked-Size": str(content.size + self.fault.extra_length),
            "Location": f"{self.server.hub.cdn}/{repository.name}/{commit}/{quote(path)}?signature=secret",
        }
        if repository.xet:
            headers["X-Xet-Hash"] = xet_hash(content)
            route = f"{self.server.hub.endpoint}/api/models/{repository.name}/xet-read-token/{commit}"
            headers["Link"] = f'<{route}>; rel="xet-auth"'
        return self._say(302, b"", headers)

    def _cdn(self, path: str) -> None:
        found = self.server.hub.find(path)
        if found is None or self.query.get("signature") != ["secret"]:
            return self._say(403, b"AccessDenied")
        commit, _, name = found[1].removeprefix("/").partition("/")
        content = found[0].commits[commit][unquote(name)]
        return self._content(content, unquote(name), {"ETag": f'"{content.sha256[:32]}"'})

    def _content(self, content: Content, name: str, headers: dict[str, str]) -> None:
        """The bytes, or the range of them that was asked for."""
        size = content.size + self.fault.extra_length
        match = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        if match is None or self.fault.ignore_range:
            start, end, status = 0, size, 200
        else:
            start, end, status = int(match[1]), min(int(match[2] or size) + 1, size), 206
            if start >= size:
                return self._say(416, b"", {"Content-Range": f"bytes */{size}"})
            start, end = start + self.fault.moved_by, end + self.fault.moved_by
            headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
        self.close_connection |= self.fault.unsized
        length = None if self.fault.unsized else end - start
        self._head(status, length, {"Accept-Ranges": "bytes", **headers})
        if self.command == "HEAD":
            return None
        for offset, block in self._blocks(content, start, end):
            self._hold(offset - start)
            self.server.hub.count(name, len(block))
            self.wfile.write(block)
        self.wfile.write(bytes(self.fault.extra_body))
        return None

    def _blocks(self, content: Content, start: int, end: int) -> Iterator[tuple[int, bytes]]:
        """What is sent, in pieces that end where something is to happen."""
        stops = {start + place for place in (self.fault.cut_at, self.fault.stall_at) if place is not None}
        offset = start
        while offset < end:
            stop = min([end, offset + _BLOCK, *(place for place in stops if place > offset)])
            block = bytearray(content.read(offset, stop - offset).ljust(stop - offset, b"\0"))
            wrong = self.fault.corrupt_at
            if wrong is not None and offset <= wrong < stop:
                block[wrong - offset] ^= 1
            yield offset, bytes(block)
            offset = stop

    def _hold(self, sent: int) -> None:
        """Cut the connection or say nothing more, where that is to happen after `sent` bytes."""
        if self.fault.cut_at == sent:
            self.close_connection = True
            raise ConnectionAbortedError
        if self.fault.stall_at == sent:
            self.fault.stalled.set()
            self.fault.release.wait()
            if self.server.hub.closing.is_set():
                raise ConnectionAbortedError

    def _refuse(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        body = json.dumps({"error": message}).encode()
        self._say(status, body, {"X-Error-Code": code, "X-Error-Message": message, **(headers or {})})

    def _json(self, value: object) -> None:
        self._say(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _say(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self._head(status, len(body), headers or {})
        if self.command != "HEAD":
            self.wfile.write(body)

    def _head(self, status: int, length: int | None, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
