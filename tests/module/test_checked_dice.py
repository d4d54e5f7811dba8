"""The dice of an ended session, checked in the browser: the GM's, a player's, and what the cards then say."""

import pytest

from tests.module.tables import API, Table, roll
from tests.module.test_gm_window import GM, open_gm
from tests.module.test_opposed import answer, challenge, heroes  # noqa: F401  a fixture
from tests.module.test_roll_pad import barriers

FIGURES = "#tallybones-figures"
CHECKED = "#chat .tallybones-checked"
CHANGE_A_DIE = """value => {
    const told = window.fetch;
    window.fetch = async (address, ...options) => {
        const answer = await told(address, ...options);
        if (!String(address).includes("/rolls?session=")) return answer;
        return new Response((await answer.text()).replace(`"value":${value}`, `"value":${value % 6 + 1}`));
    };
}"""


WITHHOLD_THE_SEED = """() => {
    const told = window.fetch;
    window.fetch = async (address, ...options) => {
        const answer = await told(address, ...options);
        if (!/\\/sessions\\/[^/?]+$/.test(String(address))) return answer;
        return new Response((await answer.text()).replace(/"seed":"[0-9a-f]+"/, '"seed":null'));
    };
}"""

# As long as a roll waits, the service answers as if it were not there, and names its number.
LET_ONE_WAIT = """([id, number]) => {
    const told = window.fetch;
    window.fetch = async (address, ...options) => {
        const answer = await told(address, ...options);
        const text = await answer.text();
        if (/\\/sessions\\/[^/?]+$/.test(String(address))) {
            const session = JSON.parse(text);
            return Response.json({ ...session, rolls: session.rolls - 1, unresolved: [number] });
        }
        if (!String(address).includes("/rolls?session=")) return new Response(text, answer);
        return new Response(text.split("\\n").filter(line => !line.includes(`"id":"${id}"`)).join("\\n"));
    };
}"""

# What whoever can write to the world could do to a card: change a die of it, of its rolls, or its commitment.
ALTERED = {
    "a die on the card": (
        """message => message.update({ content: message.content.replace(
            /(tallybones-value">)(\\d)/, (_, before, value) => before + (value % 6 + 1)) })""",
        "Checked: the card shows other dice than the session's record.",
    ),
    "a die of the rolls": (
        """message => {
            const [thrown, ...others] = message.rolls.map(one => JSON.parse(JSON.stringify(one)));
            const { results } = thrown.terms[0];
            results[0].result = results[0].result % 6 + 1;
            return message.update({ rolls: [thrown, ...others].map(one => JSON.stringify(one)) });
        }""",
        "Checked: the card shows other dice than the session's record.",
    ),
    "a die that is left out": (
        """message => message.update({
            content: message.content.replace(/<li class="tallybones-die.*?<\\/li>/s, "") })""",
        "Checked: the card shows other dice than the session's record.",
    ),
    "the commitment": (
        """message => message.update({
            content: message.content.replace(/[0-9a-f]{64}/, "ab".repeat(32)) })""",
        "Checked: the card was posted under another commitment.",
    ),
}


def test_an_ended_session_is_checked_and_its_cards_say_so(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna", theme="light")
    roll(anna, label="One")
    roll(anna, label="Two")
    roll(anna, label="Hidden", visibility="gm")
    table.cards(3)
    open_gm(gm)
    (session,) = gm.run(f"{API}.sessions()")["sessions"]
    gm.find(f"{GM} .tallybones-commitment summary").click()
    assert session["commitment"] in gm.find(f"{GM} .tallybones-commitment").inner_text()
    gm.run(f"id => {API}.endSession(id).then(() => undefined)", session["id"])
    gm.page.click(f"{GM} [data-action=checkDice]")
    gm.find(f"{GM} .tallybones-check-good:has-text('Rolls: 3')").wait_for()
    gm.find(f"{CHECKED}-good").nth(2).wait_for(state="attached")
    gm.picture(f"gm-checked-{table.foundry.generation}-dark", GM)
    assert barriers(gm, GM) == []

    assert anna.find(CHECKED).count() == 0, "what another browser has checked is not this one's word"
    anna.page.click("#scene-controls [data-tool=tallybones]")
    anna.page.click("#tallybones-pad [data-action=openFigures]")
    anna.page.click(f"{FIGURES} [data-to=sessions]")
    anna.page.click(f"{FIGURES} [data-action=checkDice]")
    anna.find(f"{FIGURES} .tallybones-check-good").wait_for()
    anna.find(f"{CHECKED}-good").nth(1).wait_for(state="attached")
    assert anna.find(CHECKED).count() == 2, "a player is not given the seed of hidden rolls"
    anna.find("#chat .tallybones-details summary").first.click()
    anna.picture(f"checked-{table.foundry.generation}-light")
    assert barriers(anna, FIGURES) == []
    anna.reload()
    anna.find(f"{CHECKED}-good").nth(1).wait_for(state="attached")
    assert gm.noise == anna.noise == []


def test_a_changed_die_is_named(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    rolled = roll(anna, label="One")
    table.cards(1)
    gm.run(f"id => {API}.endSession(id).then(() => undefined)", rolled["session"])

    gm.run(CHANGE_A_DIE, rolled["dice"][0]["value"])
    open_gm(gm)
    gm.page.click(f"{GM} [data-action=checkDice]")
    gm.find(f"{GM} .tallybones-check-bad:has-text('Changed die'):has-text('{rolled['id']}')").wait_for()
    gm.find(f"{CHECKED}-wrong").wait_for(state="attached")
    gm.picture(f"gm-checked-bad-{table.foundry.generation}-dark", GM)
    assert gm.noise == []


def test_nothing_is_called_checked_whose_seed_is_withheld(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    rolled = roll(anna, label="One")
    table.cards(1)
    gm.run(f"id => {API}.endSession(id).then(() => undefined)", rolled["session"])
    gm.run(WITHHOLD_THE_SEED)
    open_gm(gm)
    gm.page.click(f"{GM} [data-action=checkDice]")
    gm.find(f"{GM} :text('Nothing was checked: the service does not show')").wait_for()
    assert gm.find(f"{GM} .tallybones-check-good").count() == 0 == gm.find(CHECKED).count()


def test_what_could_not_be_checked_is_told_with_the_reason(table: Table) -> None:
    gm, anna = table.gm(), table.player("Anna")
    waiting, _, _, last = (roll(anna, visibility=each) for each in ("public", "public", "gm", "self"))
    assert (
        "Shown to the roller alone: nobody can check its dice."
        in anna.find(f"#chat [data-tallybones-thrown='{last['id']}']").inner_text()
    )
    gm.run(f"id => {API}.endSession(id).then(() => undefined)", last["session"])
    anna.run(LET_ONE_WAIT, [waiting["id"], waiting["seq"]])
    anna.page.click("#scene-controls [data-tool=tallybones]")
    anna.page.click("#tallybones-pad [data-action=openFigures]")
    anna.page.click(f"{FIGURES} [data-to=sessions]")
    anna.page.click(f"{FIGURES} [data-action=checkDice]")
    told = anna.find(f"{FIGURES} .tallybones-check-good")
    told.wait_for()
    for sentence in (
        "1 roll could not be checked here: hidden rolls are the GM's to check.",
        "1 roll to oneself could not be checked: nobody but its roller may see it.",
        f"Not resolved yet: number {waiting['seq']}.",
    ):
        assert sentence in told.inner_text()
    assert "hidden rolls: number" not in told.inner_text() and gm.noise == anna.noise == []


@pytest.mark.parametrize("what", ALTERED)
@pytest.mark.parametrize("when", ["before the check", "after it"])
def test_a_card_that_shows_something_else_is_not_called_checked(table: Table, what: str, when: str) -> None:
    alter, sentence = ALTERED[what]
    gm, anna = table.gm(), table.player("Anna")
    first = roll(anna, label="One")
    roll(anna, label="Two")
    table.cards(2)
    gm.run(f"id => {API}.endSession(id).then(() => undefined)", first["session"])
    script = f"id => void ({alter})(game.messages.find(one => one.flags.tallybones.rollId === id))"
    if when == "before the check":
        gm.run(script, first["id"])
    checked = gm.run(f"id => {API}.checkSession(id)", first["session"])
    assert checked["findings"] == [], "the session itself is as it was"
    if when == "after it":
        gm.find(f"{CHECKED}-good").nth(1).wait_for(state="attached")
        gm.run(script, first["id"])
    wrong = gm.find(f"#chat .chat-message:has-text('One') .tallybones-checked-wrong:has-text(\"{sentence}\")")
    wrong.wait_for(state="attached")
    assert gm.find(f"#chat .chat-message:has-text('Two') {CHECKED.split()[1]}-good").count() == 1
    assert gm.find(CHECKED).count() == 2
    assert gm.noise == []


def test_cards_of_both_sides_are_as_they_were_thrown(heroes: Table) -> None:  # noqa: F811  the fixture
    gm, anna, ben = heroes.gm(), heroes.player("Anna"), heroes.player("Ben")
    made = challenge(anna, ben.run("game.user.id"))
    ben.find(".tallybones-answer-button").wait_for()
    answer(ben, made["id"])
    creature = {"kind": "creature", "skill": 3}
    roll(anna, "opposed-test", params={"skill": 4, "opponent": creature})
    rolled = roll(anna, "opposed-test", params={"skill": 4, "opponent": {**creature, "take7": True}})
    heroes.cards(3)
    gm.run(f"id => {API}.endSession(id).then(() => undefined)", rolled["session"])
    assert gm.run(f"id => {API}.checkSession(id)", rolled["session"])["findings"] == []
    gm.find(f"{CHECKED}-good").nth(2).wait_for(state="attached")
    assert gm.find(f"{CHECKED}-wrong").count() == 0 and gm.noise == []
