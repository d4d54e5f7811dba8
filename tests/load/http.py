"""A client that costs little: raw sockets, requests made beforehand."""

import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator

import orjson

BODY = orjson.dumps({"action": "unopposed-test", "params": {"skill": 3, "tn": 8}})


class Caller:
    """Who rolls at a campaign over HTTP, on one kept connection."""

    def __init__(self, port: int, campaign: str, token: str) -> None:
        self._port, self._path = port, f"/v1/campaigns/{campaign}"
        self._token, self._clicks = token, 0
        self.socket = self.connect()

    def connect(self) -> socket.socket:
        """Return a new connection."""
        connection = socket.create_connection(("127.0.0.1", self._port), 30)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def click(self, name: str) -> bytes:
        """Return the request of a new roll."""
        self._clicks += 1
        return (
            f"POST {self._path}/rolls HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nIdempotency-Key: {name}-{self._clicks}\r\n"
            f"Content-Length: {len(BODY)}\r\n\r\n"
        ).encode() + BODY

    def get(self, path: str) -> bytes:
        """Return the request of a page."""
        return (
            f"GET {self._path}{path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {self._token}\r\n\r\n"
        ).encode()

    def ask(self, request: bytes) -> bytes:
        """Send a request; return the body of its answer, which must be a good one."""
        self.socket.sendall(request)
        received = b""
        while not (answer := whole(received)):
            more = self.socket.recv(65536)
            if not more:
                raise ConnectionError("the service hung up")
            received += more
        return checked(answer)


def whole(received: bytes) -> bytes | None:
    """Return an answer once all of it is there."""
    head, found, body = received.partition(b"\r\n\r\n")
    if not found:
        return None
    length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
    return received if len(body) >= length else None


def checked(answer: bytes) -> bytes:
    """Return the body of a good answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 2"):
        raise RuntimeError(f"the service answered {answer[:500]!r}")
    return body


def flood(callers: list[Caller], clicks: int) -> None:
    """Let callers click as fast as they are answered, until there were so many clicks in all."""
    with selectors.DefaultSelector() as waiting:
        left, open_requests = clicks, 0
        for place, caller in enumerate(callers):
            waiting.register(caller.socket, selectors.EVENT_READ, [caller, f"flood-{place}", b""])
            caller.socket.sendall(caller.click(f"flood-{place}"))
            left, open_requests = left - 1, open_requests + 1
        while open_requests:
            for key, _ in waiting.select(30):
                caller, name, received = key.data
                key.data[2] = received = received + caller.socket.recv(65536)
                if (answer := whole(received)) is None:
                    continue
                checked(answer)
                key.data[2] = b""
                open_requests -= 1
                if left:
                    caller.socket.sendall(caller.click(name))
                    left, open_requests = left - 1, open_requests + 1


class Stream:
    """An open stream, read in a thread: it tells when each roll's card came."""

    def __init__(self, caller: Caller) -> None:
        self._socket = caller.connect()
        self._socket.sendall(caller.get("/stream"))
        self._seen: dict[bytes, float] = {}
        self._changed = threading.Condition()
        self._connected = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()
        self._connected.wait(10)

    def close(self) -> None:
        """Leave."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def _read(self) -> None:
        for event in events(self._socket, self._connected.set):
            with self._changed:
                self._seen[event] = time.perf_counter()
                self._changed.notify_all()

    def when(self, roll: bytes) -> float:
        """Wait for a roll's card; return when it came."""
        with self._changed:
            if not self._changed.wait_for(lambda: roll in self._seen, 10):
                raise TimeoutError(f"no card of {roll!r}")
            return self._seen[roll]


def events(connection: socket.socket, connected: Callable[[], object]) -> Iterator[bytes]:
    """Yield the id of each roll as its event is complete."""
    received = b""
    while True:
        try:
            more = connection.recv(65536)
        except OSError:
            return
        if not more:
            return
        received += more
        if b": connected" in received:
            connected()
        *complete, received = received.split(b"\n\n")
        for event in complete:
            if b"event: roll" in event:
                yield event.partition(b'data: {"id":"')[2].partition(b'"')[0]
