"""The ThreeHats relay (foundryvtt-rest-api-relay): a chat message in a Foundry world by `POST /chat`.

The address is the relay's, with `clientId` (the world) and `apiKey` in its query: the key is sent in the
header `x-api-key` and not in the address. All else in the query is sent on as it is (`userId`).
"""

from html import escape
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import orjson

from service import webhook_events as events
from service.store import Webhook
from worker.webhooks.exchange import Answer, Request, Verdict, verdict
from worker.webhooks.happenings import Happening
from worker.webhooks.words import lines_of, title_of

KEY_HEADER = "x-api-key"
KEY_NAMES = frozenset({"apikey", "api_key", "api-key", "x-api-key", "key"})
PATH = "/chat"
OUT_OF_CHARACTER = 0

NEVER = frozenset({400, 401, 403, 405, 413, 415, 422})
"""A wrong key, or a message that is not taken, stays so. 404 passes: the world is not connected."""


def request(webhook: Webhook, delivery: str, happening: Happening, now: int) -> Request:
    """Return the message as the relay takes it."""
    url, key = _address_and_key(webhook.url)
    headers = {"Content-Type": "application/json", "webhook-id": delivery} | (
        {KEY_HEADER: key} if key else {}
    )
    body = {
        "content": _unenriched(_content(happening)),
        "flavor": _unenriched(escape(title_of(happening))),  # shown as HTML, like the content
        "alias": "Tallybones",
        "chatType": OUT_OF_CHARACTER,
    }
    return Request(url, headers, orjson.dumps(body), frozenset({KEY_HEADER}), (key,) if key else ())


def judge(answer: Answer) -> Verdict:
    """Judge an answer of the relay."""
    return verdict(answer, never=NEVER)


def pause(answer: Answer) -> float:
    """Return for how many seconds the relay wants nothing at all after a success."""
    return 0.0


def _address_and_key(url: str) -> tuple[str, str | None]:
    parts = urlsplit(url)
    query = parse_qsl(parts.query, keep_blank_values=True)
    key = next((value for name, value in query if name.lower() in KEY_NAMES), None)
    rest = [(name, value) for name, value in query if name.lower() not in KEY_NAMES]
    path = parts.path.rstrip("/")
    path = path if path.endswith(PATH) else path + PATH
    return urlunsplit((parts.scheme, parts.netloc, path, urlencode(rest), "")), key


def _content(happening: Happening) -> str:
    if happening.event in (events.ROLL_RESOLVED, events.REPORT_READY):
        html: str = happening.told["card"]["html"]  # safe: the service made it
        return html
    return "<br>".join(escape(line) for line in lines_of(happening))


def _unenriched(html: str) -> str:
    """Break `@Word[…]` and `[[…]]` by letters unseen: Foundry makes links and rolls of them, in names too."""
    return html.replace("[", "\u2060[")
