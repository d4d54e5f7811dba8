"""Discord: a card as an embed, posted to a channel's webhook.

Discord's limits are a title of 256, a description of 4096, 25 fields of 256 and 1024, a footer of 2048, and
6000 in all. They are counted here in UTF-16 units, the strictest way to count.
"""

import re
from typing import Any

import orjson
from urllib3 import encode_multipart_formdata
from urllib3.fields import RequestField

from service import webhook_events as events
from service.presenting import iso_time
from service.store import Webhook
from worker.webhooks.exchange import RATE_LIMITED, Answer, Request, Verdict, verdict
from worker.webhooks.happenings import Happening
from worker.webhooks.schedule import LONGEST_ASKED, retry_after
from worker.webhooks.words import lines_of, title_of

TITLE, DESCRIPTION, IN_ALL = 256, 4096, 6000
MOST_FIELDS, LONGEST_NAME, LONGEST_VALUE, LONGEST_FOOTER = 8, 64, 128, 512
"""Narrower than Discord's, so that all of them together leave the description its 4096."""
PLAIN_COLOUR = 0x64748B
PICTURE = "report.png"
AT_THE_END = ("Roll: ", "Nonce: ", "Commitment: ")
"""What a card's text ends with: how its dice are checked, which nobody does in a chat."""

NEVER = frozenset({400, 413})
"""Discord does not take the message, and will not."""
GONE = frozenset({401, 403, 404})
"""The webhook was deleted, or its token is wrong."""

_MARKDOWN = re.compile(r"[\\*_~`|>\[\]()#<@]")


def request(webhook: Webhook, delivery: str, happening: Happening, now: int) -> Request:
    """Return the message; a report's picture is attached."""
    message = message_of(happening)
    body, kind = orjson.dumps(message), "application/json"
    if happening.picture is not None:
        text = RequestField("payload_json", body)
        text.make_multipart(content_type=kind)
        picture = RequestField.from_tuples("files[0]", (PICTURE, happening.picture, "image/png"))
        body, kind = encode_multipart_formdata([text, picture])
    return Request(webhook.url, {"Content-Type": kind, "webhook-id": delivery}, body)


def judge(answer: Answer) -> Verdict:
    """Judge an answer of Discord."""
    return verdict(answer, never=NEVER, gone=GONE)


def pause(answer: Answer) -> float:
    """Return for how many seconds Discord takes no further message, as its headers say."""
    if answer.status == RATE_LIMITED or answer.headers.get("x-ratelimit-remaining") != "0":
        return 0.0
    asked = retry_after(answer.headers.get("x-ratelimit-reset-after"), 0)
    return min(asked or 0.0, LONGEST_ASKED)


def message_of(happening: Happening) -> dict[str, Any]:
    """Return the body of Discord's "Execute Webhook": one embed, from which no mention fires."""
    embed: dict[str, Any] = {
        "title": _cut(_plain(title_of(happening)), TITLE),
        "timestamp": iso_time(happening.at),
        "color": _colour(happening),
    }
    if happening.picture is not None:
        embed["image"] = {"url": f"attachment://{PICTURE}"}
    fields, footer = _fields(happening), _cut(_footer(happening), LONGEST_FOOTER)
    if fields:
        embed["fields"] = fields
    if footer:
        embed["footer"] = {"text": footer}
    spent = _units(embed["title"]) + _units(footer)
    spent += sum(_units(field["name"]) + _units(field["value"]) for field in fields)
    lines = "\n".join(_plain(line) for line in _description(happening))
    embed["description"] = _cut(lines, min(DESCRIPTION, IN_ALL - spent))
    message: dict[str, Any] = {"username": "Tallybones", "embeds": [embed], "allowed_mentions": {"parse": []}}
    if happening.picture is not None:
        message["attachments"] = [{"id": 0, "filename": PICTURE}]
    return message


def _description(happening: Happening) -> list[str]:
    """Return the lines of the card but for those that stand in fields and footer."""
    if happening.event != events.ROLL_RESOLVED:
        return lines_of(happening)
    card, lines = happening.told["card"], lines_of(happening)
    while lines and (lines[-1] == card["shown_to"] or lines[-1].startswith(AT_THE_END)):
        lines.pop()
    odds = card["odds"] and f"Odds of success: {card['odds']['words']} ({card['odds']['percent']})"
    return [line for line in lines if line != odds]


def _fields(happening: Happening) -> list[dict[str, Any]]:
    if happening.event != events.ROLL_RESOLVED:
        return []
    card = happening.told["card"]
    said = [(name, value) for name, value in card["facts"]]
    if card["odds"]:
        said.append(("Odds of success", f"{card['odds']['words']} ({card['odds']['percent']})"))
    return [
        {
            "name": _cut(_plain(name), LONGEST_NAME),
            "value": _cut(_plain(value), LONGEST_VALUE),
            "inline": True,
        }
        for name, value in said[:MOST_FIELDS]
        if name and value
    ]


def _footer(happening: Happening) -> str:
    """Return who else sees the roll, and its number; a footer's text is shown as it stands."""
    if happening.event != events.ROLL_RESOLVED:
        return ""
    told = happening.told
    number = None if told["seq"] is None else f"Roll {told['seq']} of its session"
    return " · ".join(part for part in (told["card"]["shown_to"], number) if part)


def _colour(happening: Happening) -> int:
    if happening.event not in (events.ROLL_RESOLVED, events.REPORT_READY):
        return PLAIN_COLOUR
    return int(happening.told["card"]["colour"].removeprefix("#"), 16)


def _plain(text: str) -> str:
    """Return a text that Discord shows as it stands: no Markdown, no link, no mention."""
    return _MARKDOWN.sub(lambda found: "\\" + found.group(), text)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _cut(text: str, most: int) -> str:
    """Return a text of at most so many UTF-16 units, with … at its end where it was longer."""
    if _units(text) <= most:
        return text
    kept = text.encode("utf-16-le")[: 2 * (most - 1)].decode("utf-16-le", "ignore")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return (kept[:-1] if backslashes % 2 else kept) + "…"
