"""The page /verify in Chromium: the same findings as the command's, with and without WebCrypto."""

import hashlib
import json

import pytest
from playwright.sync_api import Page

from rules.published import SELF_FIRST, read_roll, read_session
from rules.verifying import check
from tests.service.table import serving

NO_SUBTLE = "Object.defineProperty(Crypto.prototype, 'subtle', {value: undefined})"


@pytest.fixture
def table(table):
    for visibility in (*["public"] * 6, "gm", "gm", "blind", "self"):
        table.rolled(table.tokens["anna"], visibility=visibility)
    table.session = table.get("/sessions").json["sessions"][0]["id"]
    table.post(f"/sessions/{table.session}/end", None)
    return table


@pytest.fixture(params=[True, False], ids=["webcrypto", "without"])
def page(request, browser, table):
    context = browser.new_context(color_scheme="dark" if request.param else "light")
    page = context.new_page()
    page.problems = []
    page.on("console", lambda told: page.problems.append(told.text) if told.type == "error" else None)
    page.on("pageerror", lambda error: page.problems.append(str(error)))
    if not request.param:
        page.add_init_script(NO_SUBTLE)
    with serving(table.app) as address:
        page.goto(f"{address}/verify#campaign={table.id}&session={table.session}")
        assert page.evaluate("Boolean(crypto.subtle)") is request.param
        yield page
        assert page.problems == []
    context.close()


def saved(table, token=None):
    session = table.get(f"/sessions/{table.session}", token).json
    return session, table.get(f"/rolls?session={table.session}", token).json["rolls"]


def paste(page: Page, session, rolls) -> str:
    page.get_by_label("From a paste").fill(
        "\n".join(
            map(
                json.dumps,
                ({"sessions" if isinstance(session, list) else "session": session}, {"rolls": rolls}),
            )
        )
    )
    page.get_by_role("button", name="Check what is pasted").click()
    page.wait_for_function("document.querySelector('#result h2, #result .wrong')")
    return page.locator("#result").inner_text()


def tampered(session, rolls):
    """Each way to be wrong that the issue names, and more."""
    public = [roll for roll in rolls if roll["visibility"] == "public"]
    one, other = public[1], public[3]
    dice = [dict(die) for die in one["dice"]]
    dice[-1]["value"] = dice[-1]["value"] % dice[-1]["faces"] + 1

    def with_(*changed):
        return [next((new for new in changed if new["id"] == roll["id"]), roll) for roll in rolls]

    nonce = {"fairness": {**one["fairness"], "nonce": "made-up"}}
    swapped = (
        {**one, "fairness": {**one["fairness"], "nonce": other["fairness"]["nonce"]}},
        {**other, "fairness": {**other["fairness"], "nonce": one["fairness"]["nonce"]}},
    )
    numbers = {**one, "seq": other["seq"]}, {**other, "seq": one["seq"]}
    yield session, rolls
    yield session, with_({**one, "dice": dice})
    yield session, [roll for roll in rolls if roll["id"] != one["id"]]
    yield session, rolls[1:]
    yield session, [*rolls, {**one, "id": f"{session['id']}-extraaaaaa"}]
    yield session, [*rolls, {**one, "id": f"{session['id']}-extraaaaaa", "seq": 40}]
    yield session, with_({**one, **nonce})
    yield session, with_(*swapped)
    yield session, with_(*numbers)
    yield session, with_({**one, "dice": one["dice"][:1]})
    yield session, with_({**one, "dice": []})
    yield session, with_({**one, "dice": [*one["dice"], one["dice"][0]]})
    yield session, with_({**one, "dice": [{**die, "faces": 1, "value": 1} for die in one["dice"]]})
    for formula in ("4d6kh2 - 2d20 + 7", "1000d6", "2d6!", None, "3d6cs>=5 + " * 40 + "1"):
        yield session, with_({**one, "odds": {**one["odds"], "formula": formula}})
    yield session, with_({**one, "odds": None})
    against = {**one, "answered_by": other["id"], "opponent": {"dice": other["dice"]}}
    yield session, with_(against)
    yield session, with_({**against, "opponent": {"dice": other["dice"][1:]}})
    yield session, with_({**against, "opponent": {"dice": dice}}, {**other, "odds": None})
    yield session, with_({**one, "fairness": {**one["fairness"], "nonce": None}, "dice": dice})
    yield session, with_({**one, "seq": None, "dice": dice})
    yield {**session, "hidden_seed": None}, rolls
    yield {**session, "rolls": session["rolls"] - 1, "unresolved": [one["seq"]]}, rolls
    yield {**session, "rolls": session["rolls"] - 2, "unresolved": [one["seq"]]}, rolls
    yield session, with_({**one, "dice": [], "outcome": None, "odds": None})
    yield {**session, "hidden_seed": None, "hidden_commitment": None}, rolls
    yield session, with_({**one, "session": "aaaaaaaaaa"})
    yield session, with_({**one, "fairness": {**one["fairness"], "commitment": "ab" * 32}})
    yield {**session, "seed": "ab" * 32}, rolls
    yield {**session, "hidden_seed": "no hex"}, rolls
    yield {**session, "deleted": [one["seq"]]}, [roll for roll in rolls if roll["id"] != one["id"]]
    without = [roll for roll in rolls if roll["id"] != one["id"]]
    yield {**session, "unresolved": [one["seq"]]}, without
    yield {**session, "unresolved": [one["seq"]]}, rolls
    yield {**session, "hidden_last_seq": 5, "hidden_unresolved": [4]}, rolls
    yield (
        {**session, "self_last_seq": 2, "self_deleted": [SELF_FIRST], "self_unresolved": [SELF_FIRST + 1]},
        rolls,
    )
    yield {**session, "self_last_seq": 2, "self_deleted": [SELF_FIRST]}, rolls
    yield {**session, "self_last_seq": 1, "self_deleted": [SELF_FIRST]}, rolls
    yield {**session, "seed": None, "hidden_seed": None}, rolls


def test_the_page_finds_what_the_command_finds(page, table):
    session, rolls = saved(table)
    for each, some in tampered(session, rolls):
        told = paste(page, each, some)
        expected = check(read_session(each), [read_roll(roll) for roll in some])
        assert f"{expected.rolls} rolls, {expected.dice} dice computed anew." in told
        found = page.locator("#result li").all_inner_texts()
        assert found == [f"{one.fault.value} {one.says}" for one in expected.findings]
        assert ("✓" in told) == (not expected.findings and each["seed"] is not None)
        for said, numbers in (
            ("Deleted by the GM", expected.deleted),
            ("Deleted by the GM, of the hidden rolls", expected.hidden_deleted),
            ("Not resolved yet", expected.unresolved),
            ("Not resolved yet, of the hidden rolls", expected.hidden_unresolved),
        ):
            sentence = f"{said}: number {', '.join(map(str, numbers))}."
            assert (sentence in told) if numbers else (f"{said}: number" not in told)
        unanswered = f"as nobody answered them: {', '.join(expected.unanswered)}."
        assert (unanswered in told) if expected.unanswered else ("nobody answered" not in told)


def test_the_page_is_not_misled_by_a_second_session_nor_by_half_an_export(page, table):
    session, rolls = saved(table)
    without = {name: value for name, value in session.items() if not name.startswith("hidden_")}
    whole = paste(page, session, rolls)
    for others in ([without, session], [session, without]):
        assert paste(page, others, rolls) == whole and "✓" in whole
    of_anna = table.get(f"/rolls?session={table.session}", table.tokens["anna"]).json["rolls"]
    of_others = [roll for roll in of_anna if roll["visibility"] != "self"]
    assert paste(page, session, [*of_others, *rolls, *rolls, *of_others]) == whole
    told = paste(page, [{**session, "commitment": "ab" * 32}, session], rolls)
    assert "is there more than once, with different commitments." in told and "✓" not in told
    export = table.get("/export").text.splitlines()
    page.get_by_label("From a paste").fill("\n".join(export))
    page.get_by_role("button", name="Check what is pasted").click()
    page.wait_for_function("document.querySelector('#result h2')")
    assert "whole" not in page.locator("#result").inner_text()
    page.get_by_label("From a paste").fill("\n".join(export[:-1]))
    page.get_by_role("button", name="Check what is pasted").click()
    page.locator("#result .wrong:has-text('It is not whole: its end is missing.')").wait_for()


def test_the_page_says_what_it_cannot_see(page):
    told = page.locator("main").inner_text()
    assert "does not know the rules" in told and "cannot see whether outcome and total" in told


def test_a_session_is_read_with_a_token_that_stays_here(page, table):
    assert page.get_by_label("Session").input_value() == table.session
    page.get_by_label("GM key or player token").fill(table.tokens["anna"])
    page.keyboard.press("Enter")
    page.wait_for_selector("#result h2")
    told = page.locator("#result").inner_text()
    assert "checked, all is as it was thrown" in told and "10 rolls" in told
    assert "not in the file: 3. Hidden rolls are the GM’s to check." in told
    assert "nobody but their roller may see them: 1. Nobody can check a roll to oneself." in told
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_from_files(page, table, tmp_path):
    session, rolls = saved(table)
    (tmp_path / "session.json").write_text(json.dumps(session, indent=1))
    (tmp_path / "rolls.ndjson").write_text("".join(json.dumps(roll) + "\n" for roll in rolls))
    page.get_by_label("From files").set_input_files([tmp_path / "session.json", tmp_path / "rolls.ndjson"])
    page.wait_for_selector("#result h2")
    told = page.locator("#result").inner_text()
    assert "checked, all is as it was thrown" in told and f"{len(rolls)} rolls" in told


def test_what_is_no_history_is_refused_in_a_sentence(page):
    for content, says in (("nonsense", "not JSON"), ("{}", "no session"), ('{"a":1}\nnot', "Line 2")):
        page.get_by_label("From a paste").fill(content)
        page.get_by_role("button", name="Check what is pasted").click()
        page.wait_for_function("says => document.querySelector('#result').innerText.includes(says)", arg=says)
        assert page.locator("#result .wrong").count() == 1 and page.locator("#result h2").count() == 0


def test_of_several_files_the_one_that_is_no_history_is_named(page, table, tmp_path):
    session, _ = saved(table)
    (tmp_path / "session.json").write_text(json.dumps(session))
    (tmp_path / "holiday.json").write_text("nonsense")
    page.get_by_label("From files").set_input_files([tmp_path / "session.json", tmp_path / "holiday.json"])
    page.wait_for_selector("#result .wrong")
    assert page.locator("#result").inner_text().startswith("holiday.json: ")


def test_the_page_loads_nothing_from_elsewhere_and_works_by_keyboard(page):
    policy = page.request.get(page.url).headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    page.get_by_label("From files").focus()
    for name in ("From a paste", "Check what is pasted", "Campaign", "Session", "GM key or player token"):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "document.activeElement.labels?.[0]?.innerText || document.activeElement.innerText"
        )
        assert focused == name


def test_its_own_sha_256_is_that_of_the_standard(page):
    lengths = [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000]
    same = page.evaluate(
        """async (lengths) => {
            const { sha256 } = await import("/verify/assets/sha256.mjs");
            return lengths.map((n) => Array.from(sha256(new Uint8Array(n).map((_, i) => i % 251))));
        }""",
        lengths,
    )
    assert [bytes(digest) for digest in same] == [
        hashlib.sha256(bytes(place % 251 for place in range(n))).digest() for n in lengths
    ]
