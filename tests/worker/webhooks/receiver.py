"""A receiver on this machine that does as it is told, and remembers what came."""

import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Behave = Callable[["Handler"], None]


@dataclass(frozen=True)
class Received:
    """One message as it came in; `at` in seconds."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]


@dataclass
class Receiver:
    """A server on a port of its own, of TLS where it has a certificate; `behave` may change at any time."""

    behave: Behave
    certificate: Path | None = None
    received: list[Received] = field(default_factory=list)

    def __post_init__(self) -> None:
        handler = type("ItsHandler", (Handler,), {"receiver": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        if self.certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(self.certificate)
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._changed = threading.Condition()
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def port(self) -> int:
        return self._server.server_port

    def url(self, path: str = "/hook") -> str:
        return f"{'https' if self.certificate else 'http'}://127.0.0.1:{self.port}{path}"

    def note(self, received: Received) -> None:
        with self._changed:
            self.received.append(received)
            self._changed.notify_all()

    def wait_for(self, count: int = 1, seconds: float = 10) -> list[Received]:
        """Return what came once so many messages did."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.received) >= count, seconds), (
                f"{len(self.received)} of {count} came"
            )
            return list(self.received)

    def ids(self) -> list[str]:
        return [received.id for received in self.received]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Takes the message down, then does as the receiver was told."""

    receiver: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.receiver.note(Received(self.path, headers, body, time.time()))
        self.receiver.behave(self)

    def do_GET(self) -> None:
        self.receiver.note(Received("GET " + self.path, {"webhook-id": "a GET"}, b"", time.time()))
        answers(200)(self)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay quiet."""


def answers(status: int, body: bytes = b"", **headers: str) -> Behave:
    """Answer so; underscores in names of headers become dashes."""

    def behave(handler: Handler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        if status != 204:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body if status != 204 else b"")

    return behave


def in_turn(*behaviours: Behave) -> Behave:
    """Do each once, and the last from then on."""
    left = list(behaviours)

    def behave(handler: Handler) -> None:
        (left.pop(0) if len(left) > 1 else left[0])(handler)

    return behave


def after(seconds: float, then: Behave) -> Behave:
    """Take one's time."""

    def behave(handler: Handler) -> None:
        time.sleep(seconds)
        then(handler)

    return behave


def silent(handler: Handler) -> None:
    """Never answer; the connection stays open."""
    while handler.connection.fileno() >= 0 and _is_open(handler.connection):
        time.sleep(0.05)


def dripping_headers(handler: Handler) -> None:
    """Send a header, a byte now and then, for ever."""
    _drip(handler, b"HTTP/1.1 200 OK\r\nX-Long: ")


def dripping_body(handler: Handler) -> None:
    """Answer 200 at once, with a body that never ends."""
    _drip(handler, b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")


def flooding(handler: Handler) -> None:
    """Answer 200 with a body as large as the sender will take."""
    _drip(handler, b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536, 0)


def resets(handler: Handler) -> None:
    """Reset the connection instead of an answer."""
    linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    handler.rfile.close()
    handler.wfile.close()
    handler.connection.close()


def garbage(handler: Handler) -> None:
    """Answer what is no HTTP."""
    handler.wfile.write(b"\x00\x01 this is no HTTP\r\n\r\n")


def _drip(handler: Handler, start: bytes, piece: bytes = b"x", pause: float = 0.1) -> None:
    try:
        handler.wfile.write(start)
        while True:
            handler.wfile.write(piece)
            handler.wfile.flush()
            time.sleep(pause)
    except OSError:
        return


def _is_open(connection: socket.socket) -> bool:
    connection.settimeout(0.01)
    try:
        return connection.recv(1) != b""
    except TimeoutError:
        return True
    except OSError:
        return False
