"""Posts to addresses that users give: to public ones only, once, within limits of time and size.

The name is looked up once and the connection made to the very address that was judged (requests-hardened), so
that a second answer of the DNS counts for nothing. No redirect is followed, no proxy or .netrc of the machine
is used. Nothing here logs or raises an address.
"""

import ipaddress
import logging
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from requests_hardened.ip_filter import InvalidIPAddress
from requests_hardened.ip_filter_adapter import IPFilterAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError

from service.webhook_address import AddressRules, is_public, what_is_wrong
from worker.webhooks.exchange import Answer, Request

CONNECT_SECONDS = 5.0
SECONDS = 10.0
"""For all of a request, from the first packet to the last byte of the answer."""
LARGEST_ANSWER = 4096
"""Bytes of an answer's body that are read."""
USER_AGENT = "Tallybones/0.1 (webhooks)"
REDIRECTS = range(300, 400)

# At the level DEBUG urllib3 writes each address with its path; a webhook's holds a secret.
logging.getLogger("urllib3").setLevel(logging.INFO)


class NotSent(Exception):
    """There is no answer; `sentence` says why, `permanent` whether trying again is of no use."""

    def __init__(self, sentence: str, *, permanent: bool = False) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.permanent = permanent


def post(request: Request, rules: AddressRules, seconds: float = SECONDS) -> Answer:
    """Post a request and return the answer, whatever its status; raise NotSent.

    An answer that has begun counts, however long or slow its body is.
    """
    wrong = what_is_wrong(request.url, rules)
    if wrong:
        raise NotSent(f"The address is not allowed. {wrong}", permanent=True)
    headers = {
        **request.headers,
        "User-Agent": USER_AGENT,
        "Accept-Encoding": "identity",
        "Connection": "close",
    }
    with requests.Session() as session, _Cut(seconds) as cut:
        session.trust_env = False
        for scheme in ("http", "https"):
            session.mount(f"{scheme}://", _adapter(scheme, rules, cut))
        try:
            answer = session.post(
                request.url,
                data=request.body,
                headers=headers,
                timeout=(min(CONNECT_SECONDS, seconds), seconds),
                allow_redirects=False,
                stream=True,
            )
            if cut.over:  # in the middle of the headers, which then look as if they ended there
                raise _late(seconds)
            named = {name.lower(): value for name, value in answer.headers.items()}
            return Answer(answer.status_code, named, _start_of(answer))
        except (requests.RequestException, HTTPError, OSError, ValueError) as error:
            # "from None": the message of the error holds the address.
            raise _why(error, cut.over, seconds) from None


def _start_of(answer: requests.Response) -> bytes:
    """Return the start of the body, or what there is of it."""
    read = b""
    try:
        while len(read) < LARGEST_ANSWER:
            some = answer.raw.read1(LARGEST_ANSWER - len(read), decode_content=False)
            if not some:
                break
            read += some
    except (HTTPError, OSError, ValueError):
        return read
    return read


def _why(error: Exception, over: bool, seconds: float) -> NotSent:
    """Say in our own words why there is no answer."""
    if over or isinstance(error, requests.ReadTimeout):
        return _late(seconds)
    match error:
        case InvalidIPAddress():
            return NotSent("The address leads to this server or a private network.", permanent=True)
        case requests.exceptions.SSLError():
            return NotSent("There is no secure connection: the certificate does not fit, or is not trusted.")
        case requests.ConnectTimeout():
            return NotSent(f"There was no connection within {CONNECT_SECONDS:.0f} s.")
        case requests.exceptions.InvalidURL() | requests.exceptions.InvalidSchema():
            return NotSent("The address cannot be used.", permanent=True)
        case requests.ConnectionError() if "resolve" in str(error).lower():
            return NotSent("The host's name is not known.")
        case requests.ConnectionError():
            return NotSent("The connection was refused, or broke.")
    return NotSent("The answer could not be read.")


def _late(seconds: float) -> NotSent:
    return NotSent(f"There was no answer within {seconds:.0f} s.")


class _Cut:
    """Cuts the connections of one request when its time is up.

    The timeouts of requests are for each read: a receiver that sends a byte now and then would never end.
    """

    def __init__(self, seconds: float) -> None:
        self.over = False
        self._sockets: list[socket.socket] = []
        self._ends = time.monotonic() + seconds
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True

    def __enter__(self) -> "_Cut":
        self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()

    def watch(self, connected: Any) -> None:
        """Cut this connection too; at once, where the time is up already."""
        self._sockets.append(connected)
        if self.over:
            self._cut()

    def _cut(self) -> None:
        self.over = True
        for connected in self._sockets:
            try:
                # Of the plain socket: that of TLS would first change what another thread is reading from.
                socket.socket.shutdown(connected, socket.SHUT_RDWR)
            except OSError:
                continue  # closed by now


def _pools(cut: _Cut) -> Mapping[str, type[HTTPConnectionPool]]:
    """Return connection pools whose connections `cut` can cut."""

    class Http(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            cut.watch(self.sock)

    class Https(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            cut.watch(self.sock)

    class HttpPool(HTTPConnectionPool):
        ConnectionCls = Http

    class HttpsPool(HTTPSConnectionPool):
        ConnectionCls = Https

    return {"http": HttpPool, "https": HttpsPool}


class _Public(IPFilterAdapter):  # type: ignore[misc]
    """requests-hardened's adapter, with our own, narrower judgement of the address it has looked up."""

    def build_connection_pool_key_attributes(self, *args: Any, **kwargs: Any) -> Any:
        host, pool = super().build_connection_pool_key_attributes(*args, **kwargs)
        address = ipaddress.ip_address(str(host["host"]).strip("[]"))
        if not is_public(address):
            raise InvalidIPAddress(address)
        return host, pool


def _adapter(scheme: str, rules: AddressRules, cut: _Cut) -> HTTPAdapter:
    adapter: HTTPAdapter = HTTPAdapter() if rules.private else _Public(is_https_proto=scheme == "https")
    adapter.poolmanager.pool_classes_by_scheme = dict(_pools(cut))
    return adapter
