"""Whatever the names and pools, Discord takes it: within its limits, of its types, pinging nobody."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from service.presenting import present_view
from service.visibility import View
from tests.service.cards.hostile import HOSTILE_NAMES
from tests.service.cards.samples import contest, roll, unanswered
from worker.webhooks import discord
from worker.webhooks.exchange import Answer, Verdict
from worker.webhooks.happenings import Happening
from worker.webhooks.test_standard import ID, webhook

TYPES = Path(__file__).parent / "discord_types"
URL = "https://discord.com/api/webhooks/1/token"
WORST = {"stat": 5, "skill": "mastered", "knack": True, "bonus": 20, "penalty": 20, "dv": 50}
REPORT = {
    "id": "aaaaaaaaaa",
    "card": {
        "title": "How the dice fell: Friday",
        "text": "How the dice fell: Friday\nAll rolls\nAnna: 12 rolls",
        "html": "<article>…</article>",
        "colour": "#7f7f7f",
    },
}
SESSION = {"title": "Autumn", "commitment": "c" * 64, "seed": "5" * 64, "rolls": 3}


def told_of(record: Any) -> Happening:
    return Happening("roll.resolved", 1_772_823_600_000, present_view(record, View.FULL))


def skill_check(**fields: Any) -> Happening:
    return told_of(roll("moon-hangs-low", "skill-check", {"stat": 3, "dv": 2}, **fields))


def examples() -> list[dict[str, Any]]:
    """One message of each sort that there is."""
    duel = {"advantage": 1, "opponent": {"kind": "player", "user": "bert"}}
    happenings = [
        skill_check(),
        skill_check(label="Leap", visibility="gm"),
        told_of(roll("moon-hangs-low", "skill-check", WORST)),
        told_of(roll("heroes-2d6", "unopposed-test", {"skill": 4, "tn": 9})),
        told_of(roll("d6-comparison", "opposed-check", {"skill": 4, "opponent_skill": 6})),
        told_of(roll("fort-ref-will", "contest", {"opponent": {"kind": "npc"}})),
        *(told_of(side) for side in contest("fort-ref-will", "contest", duel, {"advantage": 2})),
        told_of(unanswered("fort-ref-will", "contest", duel)),
        Happening("session.started", 0, SESSION | {"seed": None}),
        Happening("session.ended", 0, SESSION),
        Happening("report.ready", 0, REPORT),
        Happening("report.ready", 0, REPORT, picture=b"\x89PNG"),
        Happening("webhook.test", 0, {"message": "Hello."}),
    ]
    return [discord.message_of(happening) for happening in happenings]


def assert_within_limits(message: dict[str, Any]) -> None:
    assert len(message["username"]) <= 80 and len(message["embeds"]) == 1
    assert message["allowed_mentions"] == {"parse": []}
    embed = message["embeds"][0]
    parts = [(embed["title"], 256), (embed["description"], 4096)]
    parts += [(embed["footer"]["text"], 2048)] if "footer" in embed else []
    for field in embed.get("fields", []):
        parts += [(field["name"], 256), (field["value"], 1024)]
    assert len(embed.get("fields", [])) <= 25
    sizes = [len(text.encode("utf-16-le")) // 2 for text, _ in parts]
    assert all(0 < size <= most for size, (_, most) in zip(sizes, parts, strict=True)), sizes
    assert sum(sizes) <= 6000
    assert 0 <= embed["color"] <= 0xFFFFFF


@pytest.mark.parametrize("message", examples(), ids=lambda message: message["embeds"][0]["title"][:30])
def test_each_sort_of_message_is_within_the_limits(message):
    assert_within_limits(message)


@hypothesis_settings(deadline=None, max_examples=60)
@given(
    name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80)
    | st.sampled_from(HOSTILE_NAMES)
    | st.sampled_from(["😀" * 80, "*" * 80, "\\" * 80, "👩‍👩‍👧‍👦" * 11]),
    bonus=st.integers(0, 20),
)
def test_no_name_and_no_pool_breaks_a_limit(name, bonus):
    params = {"stat": 5, "skill": "mastered", "bonus": bonus, "penalty": 20 - bonus, "dv": 50}
    actor = {"id": "a", "name": name}
    happening = told_of(
        roll("moon-hangs-low", "skill-check", params, label=name, actor=actor, user_name=name)
    )
    assert_within_limits(discord.message_of(happening))


def test_even_texts_beyond_reason_are_cut_and_stay_readable():
    told = skill_check().told
    card = told["card"] | {
        "title": "*" * 300,
        "text": "first\n" + "\n".join(["😀_" * 500] * 20),
        "facts": [["Name" * 100, "9" * 2000]] * 30,
        "shown_to": "x" * 3000,
    }
    message = discord.message_of(Happening("roll.resolved", 0, told | {"card": card}))
    assert_within_limits(message)
    embed = message["embeds"][0]
    for text in (embed["title"], embed["description"]):
        assert text.endswith("…") and not re.search(r"(?<!\\)(\\\\)*\\…$", text)


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_a_name_is_shown_as_it_stands(name):
    """No Markdown, no link, no mention: each sign that Discord reads is escaped."""
    embed = discord.message_of(skill_check(label=name, actor={"id": "a", "name": name}))["embeds"][0]
    for text in (embed["title"], embed["description"]):
        assert not re.search(r"(?<!\\)(?:\\\\)*[*_~`|<@\[\]()#>]", text), text


def test_the_dice_are_readable_text():
    happening = skill_check()
    embed = discord.message_of(happening)["embeds"][0]
    dice = [str(die["value"]) for die in happening.told["dice"]]
    [line] = [line for line in embed["description"].split("\n") if line.startswith("Dice:")]
    assert re.findall(r"\d", line) == dice
    assert "Odds of success" in [field["name"] for field in embed["fields"]]
    assert embed["footer"]["text"] == "Roll 1 of its session"


@pytest.mark.parametrize("name", ["Nonce", "Roll", "Commitment", "Odds of success"])
def test_a_side_is_shown_whatever_its_name(name):
    actor = {"id": "a", "name": name}
    test = {"skill": 3, "opponent": {"kind": "player", "user": "bert"}}
    mine, _ = contest("heroes-2d6", "opposed-test", test, {"skill": 4}, actor=actor)
    lines = discord.message_of(told_of(mine))["embeds"][0]["description"].split("\n")
    assert sum(line.startswith(f"{name}: ") for line in lines) == 1
    assert not any(mine["nonce"] in line or mine["commitment"] in line for line in lines)


def test_a_picture_is_attached_and_shown():
    happening = Happening("report.ready", 0, REPORT, picture=b"\x89PNG\r\n\x1a\nbytes")
    request = discord.request(webhook(kind="discord", url=URL), ID, happening, 0)
    kind, _, boundary = request.headers["Content-Type"].partition("; boundary=")
    assert kind == "multipart/form-data"
    text, picture = request.body.split(f"--{boundary}".encode())[1:3]
    head, _, body = text.partition(b"\r\n\r\n")
    assert b'name="payload_json"' in head and b"application/json" in head
    message = json.loads(body)
    assert message["embeds"][0]["image"] == {"url": "attachment://report.png"}
    assert message["attachments"] == [{"id": 0, "filename": "report.png"}]
    head, _, body = picture.partition(b"\r\n\r\n")
    assert b'name="files[0]"; filename="report.png"' in head and b"image/png" in head
    assert body == b"\x89PNG\r\n\x1a\nbytes\r\n"


def test_what_is_posted_has_discords_published_types(tmp_path):
    """TypeScript checks each message against `RESTPostAPIWebhookWithTokenJSONBody` of discord-api-types."""
    tsc = TYPES / "node_modules" / ".bin" / "tsc"
    assert tsc.exists(), "Discord's types are not installed: run npm ci in worker/webhooks/discord_types/"
    program = TYPES / "node_modules" / f".messages-{tmp_path.name}.mts"
    kind = "RESTPostAPIWebhookWithTokenJSONBody"

    def complaints(messages: list[dict[str, Any]]) -> str:
        lines = [f'import type {{ {kind} }} from "discord-api-types/v10";']
        lines += [f"({json.dumps(message)}) satisfies {kind};" for message in messages]
        program.write_text("\n".join(lines))
        options = json.loads((TYPES / "tsconfig.json").read_text())["compilerOptions"]
        flags = [
            part
            for name, value in options.items()
            if name != "types"
            for part in (f"--{name}", str(value).lower())
        ]
        try:
            run = subprocess.run(
                [tsc, *flags, program.name], cwd=program.parent, capture_output=True, text=True
            )
        finally:
            program.unlink()
        assert (run.returncode == 0) == (not run.stdout), run.stderr
        return run.stdout

    assert complaints(examples()) == ""
    assert "fieldz" in complaints([{"embeds": [{"title": "x", "fieldz": []}]}])


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (204, Verdict.DELIVERED),
        (400, Verdict.NEVER),
        (404, Verdict.GONE),
        (401, Verdict.GONE),
        (429, Verdict.TRY_AGAIN),
        (502, Verdict.TRY_AGAIN),
    ],
)
def test_a_deleted_webhook_is_gone_and_a_refused_message_refused_for_good(status, verdict):
    assert discord.judge(Answer(status)) is verdict


def test_an_empty_bucket_is_waited_for_as_long_as_discord_says():
    def headers(left: str, seconds: str) -> dict[str, str]:
        return {"x-ratelimit-remaining": left, "x-ratelimit-reset-after": seconds}

    assert discord.pause(Answer(204, headers("0", "1.337"))) == 1.337
    assert discord.pause(Answer(204, headers("3", "1.337"))) == 0
    assert discord.pause(Answer(204)) == 0
    assert discord.pause(Answer(204, headers("0", "nonsense"))) == 0
