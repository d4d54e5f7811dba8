"""Addresses that users give lead to public hosts only: however written, resolved, redirected or answered."""

import ipaddress
import logging
import socket

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from service.webhook_address import (
    AddressRules,
    is_public,
    masked,
    secrets_in,
    what_is_wrong,
    without,
    without_query_values,
)
from tests.worker.webhooks.receiver import answers
from worker.webhooks.exchange import Request
from worker.webhooks.transport import NotSent, post

STRICT = AddressRules()
HTTP_ONLY = AddressRules(http=True)
PUBLIC = "93.184.216.34"

NOT_PUBLIC = [
    "0.0.0.0",  # noqa: S104
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.9.9.9",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "203.0.113.5",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fec0::1",
    "ff02::1",
]

WRITTEN_ODDLY = [
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "127.1",
    "127.0.1",
    "0",
    "017700000001",
    "127.0.0.1.",
    "134744072",
    "0x8.8.8.8",
    "example.0x7f",
    "[::1%25eth0]",
    "[127.0.0.1]",
    "[::ffff:7f00:1]",
    "１２７.0.0.1",
    "ⓛocalhost",
    "localhost",
    "LOCALHOST.",
    "any.localhost",
    "exa mple.org",
    "-example.org",
    "example..org",
    "a" * 64 + ".org",
    "%6c%6f%63alhost",
    "",
]

REFUSED = [
    "https://user@example.org/",
    "https://user:pass@example.org/",
    "https://example.org@127.0.0.1/",
    "https://@example.org/",
    "https://example.org\\@127.0.0.1/",
    "https://example.org#@127.0.0.1/",
    "https://example.org/#part",
    "https://example.org:0/",
    "https://example.org:99999/",
    "https://example.org:port/",
    "https:///path",
    "https:example.org",
    "//example.org/",
    "example.org",
    "http://example.org/",
    "HTTP://example.org/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "javascript:alert(1)",
    "https://example.org/a b",
    "https://example.org/\r\nX-Header: 1",
    "https://example.org/\x00",
    "https://[::1",
    "https://example.org/" + "x" * 2000,
]

TAKEN = [
    "https://example.org",
    "https://example.org/hook",
    "https://example.org:8443/hook?token=abc&x=",
    "https://xn--bcher-kva.example/",
    "https://under_score.example.org/",
    "https://1e100.net/",
    "https://8.8.8.8/hook",
    "https://[2606:4700:4700::1111]/hook",
    "https://discord.com/api/webhooks/123/abc-DEF_ghi",
]


@pytest.mark.parametrize("host", NOT_PUBLIC)
def test_an_ip_address_that_is_not_public_is_refused(host):
    assert not is_public(ipaddress.ip_address(host))
    assert what_is_wrong(f"https://{f'[{host}]' if ':' in host else host}/hook", STRICT)


@pytest.mark.parametrize("host", WRITTEN_ODDLY)
def test_an_odd_way_to_write_a_host_is_refused(host):
    assert what_is_wrong(f"https://{host}/hook", STRICT)


@pytest.mark.parametrize("url", REFUSED)
def test_an_address_of_another_sort_is_refused(url):
    assert what_is_wrong(url, STRICT)


@pytest.mark.parametrize("url", TAKEN)
def test_an_ordinary_address_is_taken(url):
    assert what_is_wrong(url, STRICT) is None


def test_http_and_private_targets_each_need_the_operators_word():
    assert what_is_wrong("http://example.org/", HTTP_ONLY) is None
    assert what_is_wrong("http://127.0.0.1/", HTTP_ONLY)
    assert what_is_wrong("https://127.0.0.1/", AddressRules(private=True)) is None
    assert what_is_wrong("http://127.0.0.1/", AddressRules(private=True))
    assert what_is_wrong("http://2130706433/", AddressRules(http=True, private=True))


@given(st.ip_addresses())
def test_nothing_that_python_calls_private_is_public(address):
    if is_public(address):
        assert address.is_global and not (
            address.is_loopback or address.is_link_local or address.is_multicast
        )


@pytest.fixture
def resolver(monkeypatch):
    """Answer names from a list, in turn; the last answer stays. Return the names that were asked for."""
    asked, real = [], socket.getaddrinfo

    def answer_with(*addresses):
        left = list(addresses)

        def fake(host, port, *args, **kwargs):
            if not str(host).endswith(".test"):
                return real(host, port, *args, **kwargs)
            asked.append(host)
            address = left.pop(0) if len(left) > 1 else left[0]
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

        monkeypatch.setattr(socket, "getaddrinfo", fake)
        return asked

    return answer_with


@pytest.fixture
def connections(monkeypatch):
    """The addresses to which connections were tried; each is refused."""
    tried = []

    def connect(self, address):
        tried.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", connect)
    return tried


def hook(url):
    return Request(url, {}, b"{}")


@pytest.mark.parametrize("address", NOT_PUBLIC)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_name_that_leads_to_a_private_address_is_not_connected_to(resolver, connections, address, scheme):
    resolver(address)
    with pytest.raises(NotSent, match="private network") as failed:
        post(hook(f"{scheme}://inside.test/hook"), HTTP_ONLY)
    assert failed.value.permanent and connections == []


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_second_answer_of_the_dns_counts_for_nothing(resolver, connections, scheme):
    asked = resolver(PUBLIC, "127.0.0.1")
    with pytest.raises(NotSent, match="refused") as failed:
        post(hook(f"{scheme}://rebinding.test/hook"), HTTP_ONLY)
    assert not failed.value.permanent
    assert asked == ["rebinding.test"] and set(connections) == {PUBLIC}


def test_a_redirect_to_the_inside_is_not_followed(receiver):
    inside = receiver()
    there = receiver(answers(302, location=inside.url("/admin")))
    answer = post(hook(there.url()), AddressRules(http=True, private=True))
    assert answer.status == 302 and inside.received == []


def test_the_proxy_and_netrc_of_the_machine_are_not_used(receiver, monkeypatch, tmp_path):
    proxy, there = receiver(), receiver()
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url(""))
    post(hook(there.url()), AddressRules(http=True, private=True))
    [message] = there.received
    assert proxy.received == [] and "authorization" not in message.headers


@pytest.fixture
def authority(tmp_path):
    """An authority that nobody trusts yet: the file with its certificate, and one with what it signed."""
    made = trustme.CA()
    made.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    signed = made.issue_cert("receiver.test").private_key_and_cert_chain_pem
    signed.write_to_path(str(tmp_path / "receiver.pem"))
    return tmp_path / "authority.pem", tmp_path / "receiver.pem"


@pytest.mark.parametrize("rules", [STRICT, AddressRules(private=True)], ids=["public only", "at home"])
def test_a_receiver_whose_certificate_is_not_trusted_or_is_anothers_is_sent_nothing(
    receiver, resolver, authority, monkeypatch, rules
):
    trusted, certificate = authority
    there, real = receiver(certificate=certificate), socket.socket.connect
    resolver(PUBLIC)  # every name and every connection leads there
    monkeypatch.setattr(socket.socket, "connect", lambda self, _: real(self, ("127.0.0.1", there.port)))
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):  # the machine's own word counts for nothing
        monkeypatch.setenv(name, str(trusted))
    with pytest.raises(NotSent, match="certificate") as failed:
        post(hook("https://receiver.test/hook"), rules)
    assert not failed.value.permanent and there.received == []

    monkeypatch.setattr("requests.adapters.DEFAULT_CA_BUNDLE_PATH", str(trusted))
    with pytest.raises(NotSent, match="certificate"):
        post(hook("https://another.test/hook"), rules)
    assert there.received == []
    assert post(hook("https://receiver.test/hook"), rules).status == 204
    assert len(there.received) == 1


def test_what_went_wrong_never_names_the_address(resolver, connections, caplog):
    caplog.set_level(logging.DEBUG)
    url = "https://rebinding.test/api/webhooks/1/very-secret-token?key=another-secret"
    for address in (PUBLIC, "10.0.0.1"):
        resolver(address)
        with pytest.raises(NotSent) as failed:
            post(hook(url), STRICT)
        assert failed.value.__cause__ is None and failed.value.__suppress_context__
        assert "secret" not in str(failed.value)
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://discord.com/api/webhooks/123/abcdefghijkl", "https://discord.com/…ijkl"),
        ("https://example.org:8443/a?key=abcdefghijkl", "https://example.org:8443/…ijkl"),
        ("https://example.org?key=abcdefghijkl", "https://example.org/…ijkl"),
        ("https://example.org/short", "https://example.org/…"),
        ("https://example.org/", "https://example.org/"),
        ("https://user:pass@example.org/abcdefghijkl", "https://example.org/…ijkl"),
    ],
)
def test_of_a_masked_address_the_host_and_the_end_are_left(url, shown):
    assert masked(url) == shown


def test_the_values_of_a_query_are_masked():
    url = "https://example.org/hook?token=abc&b=&token=def"
    assert without_query_values(url) == "https://example.org/hook?token=…&b=…&token=…"
    assert without_query_values("https://example.org/hook") == "https://example.org/hook"


def test_an_echo_of_the_address_is_masked_whatever_its_form():
    url = "https://example.org/api/webhooks/123456/tok%2Fen-abc?key=an%20other"
    for echoed in (url, "/api/webhooks/123456/tok%2Fen-abc", "tok/en-abc", "an other", "key=an%20other"):
        assert "en-abc" not in without(secrets_in(url), f"you sent {echoed}!")
        assert "other" not in without(secrets_in(url), f"you sent {echoed}!")
