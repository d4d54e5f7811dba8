"""A line to a server that can be made slow."""

import socket
import threading
import time


class Proxy:
    """Passes bytes on to a port of this machine, `delay` seconds after they came, in both directions."""

    def __init__(self, port: int = 0) -> None:
        self.delay = 0.0
        self._target = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def leads_to(self, port: int) -> None:
        """Lead to this port from now on."""
        self._target = port

    def close(self) -> None:
        """Take no more connections."""
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                near.close()
                continue
            for source, sink in ((near, far), (far, near)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._pass_on, args=(source, sink), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while received := source.recv(65536):
                came = time.monotonic()
                while time.monotonic() < came + self.delay:  # which may be shortened meanwhile
                    time.sleep(0.01)
                sink.sendall(received)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
