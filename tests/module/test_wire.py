"""The wire between browsers and the service behaves as a network does."""

import socket

from tests.module.wire import Wire
from tests.processes import any_port


def test_while_the_service_is_away_a_connection_ends_at_once() -> None:
    wire = Wire(any_port())
    try:
        with socket.create_connection(("127.0.0.1", wire.port), timeout=5) as browser:
            assert browser.recv(1) == b""
    finally:
        wire.cut()
