"""Addresses of webhooks: which are taken, which IP addresses may be posted to, how little of one is shown.

An address is a secret: Discord's holds its token in the path, a relay's its key in the query. What is shown
of one, in answers, logs and errors, is what `masked` leaves of it.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlsplit

LONGEST = 2000
SHOWN = 4
"""Characters at the end of a masked address that are shown, to tell one from another."""
SHORTEST_SECRET = 6
"""Parts of an address that are shorter are not looked for in texts: they could be anything."""
HIDDEN = "…"
NOT_HTTPS = "Must begin with https:// (whoever runs the service may allow http: TALLYBONES_WEBHOOK_HTTP=1)."
NOT_PUBLIC = (
    "Must not lead to this server or a private network "
    "(whoever runs the service may allow that: TALLYBONES_WEBHOOK_PRIVATE=1)."
)

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_NAME = re.compile(rf"(?:{_LABEL}\.)*{_LABEL}\.?")
_LIKE_A_NUMBER = re.compile(r"(?:0[xX][0-9A-Fa-f]*|[0-9]+)")
"""A host whose last label looks so is read as an IPv4 address by some resolver, in decimal, octal or hex."""

_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(network)
    for network in (
        "100.64.0.0/10",  # carrier NAT
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # Teredo, ORCHID and others: not hosts
        "2002::/16",  # 6to4: holds an IPv4 address
        "3fff::/20",
    )
)


@dataclass(frozen=True, slots=True)
class AddressRules:
    """What the operator allows: `http` besides https, and `private` targets."""

    http: bool = False
    private: bool = False


def what_is_wrong(url: str, rules: AddressRules) -> str | None:
    """Return a sentence that says why `url` is no address to post to, None where it is one.

    Names are not looked up here: they are at each delivery, by what posts it.
    """
    if len(url) > LONGEST or not url.isascii() or re.search(r"[\x00-\x20\x7f\\<>\"`{}|^]", url):
        return f"Must be an address of at most {LONGEST} ASCII characters, without spaces or backslashes."
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return "Must be an address like https://example.org/hook."
    if parts.scheme not in ("http", "https") or not host:
        return "Must be an address like https://example.org/hook."
    if parts.scheme == "http" and not rules.http:
        return NOT_HTTPS
    if "@" in parts.netloc:
        return "Must not hold a user or password before the host."
    if parts.fragment:
        return "Must not hold a # part: it is never sent."
    if port == 0:
        return "Must name a port from 1 to 65535, or none."
    return _wrong_host(parts.netloc, host, rules)


def _wrong_host(netloc: str, host: str, rules: AddressRules) -> str | None:
    if netloc.startswith("[") or ":" in host:
        try:
            address: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.IPv6Address(host)
        except ValueError:
            return "Must name a host, or an IP address in its usual notation."
        if "%" in host:
            return "Must not name a network interface."
    elif _LIKE_A_NUMBER.fullmatch(host.rstrip(".").rpartition(".")[2]):
        try:
            address = ipaddress.IPv4Address(host)
        except ValueError:
            return "Must name a host, or an IP address in its usual notation."
    elif not _NAME.fullmatch(host) or len(host) > 253:
        return "Must name a host; write one with other letters as xn--…."
    elif host.rstrip(".").lower().rpartition(".")[2] == "localhost" and not rules.private:
        return NOT_PUBLIC
    else:
        return None
    return None if rules.private or is_public(address) else NOT_PUBLIC


def is_public(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Say whether an IP address is one of the public Internet.

    Not private, loopback, link-local, carrier NAT, multicast or reserved; one that holds an IPv4 address is
    judged by that, or not public.
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address not in _GLOBAL_IPV6:
            return False
    if not address.is_global or address.is_multicast or address.is_reserved:
        return False
    return not any(address in network for network in _NOT_PUBLIC if network.version == address.version)


def masked(url: str) -> str:
    """Return what may be shown of an address: its scheme and host, and its last 4 characters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return HIDDEN
    host = parts.netloc.rpartition("@")[2]
    rest = url.partition("://")[2].partition("/")[2] or parts.query
    end = rest[-SHOWN:] if len(rest) > 2 * SHOWN else ""
    return f"{parts.scheme}://{host}/" + (HIDDEN + end if rest else "")


def without_query_values(url: str) -> str:
    """Return an address whose path may be shown to its GM, with the values of its query masked."""
    base, mark, query = url.partition("?")
    names = [name for name, _ in parse_qsl(query, keep_blank_values=True)]
    return base + mark + "&".join(f"{quote(name)}={HIDDEN}" for name in names)


def secrets_in(url: str) -> set[str]:
    """Return what of an address must not be read in a text: all of it, parts of its path, query values."""
    parts = urlsplit(url)
    query = [value for _, value in parse_qsl(parts.query)]
    path = parts.path.split("/")
    found = {url, *path, *map(unquote, path), *query, *map(quote, query), parts.query}
    return {part for part in found if len(part) >= SHORTEST_SECRET}


def without(secrets: Iterable[str], text: str) -> str:
    """Return a text with each secret in it replaced, the longest first."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text
