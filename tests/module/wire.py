"""A wire between browsers and the service, which a test can cut and mend."""

import contextlib
import socket
import threading


class Wire:
    """Carries TCP connections from a port of its own to the service's.

    While it is cut, all that runs over it breaks off and new connections are refused, as when a network
    or a server goes away; the service itself notices nothing else.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self._listener: socket.socket | None = None
        self._ends: set[socket.socket] = set()
        self._lock = threading.Lock()
        self.mend()

    def mend(self) -> None:
        """Take connections again, on the same port as before."""
        if self._listener is not None:
            return
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self) -> None:
        """Break every connection off and refuse new ones."""
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        with self._lock:
            ends, self._ends = self._ends, set()
        for end in ends:
            self._end(end)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                if self._listener is not listener:
                    return
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self.target), timeout=5)
            except OSError:
                near.close()  # else the browser waits for an answer until another connection comes
                continue
            far.settimeout(None)
            with self._lock:
                self._ends |= {near, far}
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(65536):
                sink.sendall(chunk)
        for end in (source, sink):
            self._end(end)

    def _end(self, end: socket.socket) -> None:
        with self._lock:
            self._ends.discard(end)
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
