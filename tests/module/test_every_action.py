"""Every action of every rule set, and the dice that Foundry then holds."""

from collections.abc import Callable

import pytest

from tests.module.tables import API, Table, online, roll

CREATURE = {"kind": "creature", "skill": 3}
ACTIONS = {
    "moon-hangs-low": [
        ("skill-check", {"stat": 3, "skill": "trained", "knack": True, "bonus": 2, "penalty": 3, "dv": 2}),
        ("skill-check", {"stat": 1, "dv": 1}),
    ],
    "heroes-2d6": [
        ("unopposed-test", {"skill": 5, "difficulty": "hard"}),
        ("unopposed-test", {"skill": 0, "tn": 7}),
        ("opposed-test", {"skill": 4, "modifier": -2, "purpose": "attack", "opponent": CREATURE}),
        ("opposed-test", {"skill": 4, "opponent": {**CREATURE, "take7": True}}),
    ],
    "d6-comparison": [
        ("opposed-check", {"skill": 4, "opponent_skill": 6}),
        ("unopposed-check", {"skill": 4, "difficulty": "heroic"}),
    ],
    "fort-ref-will": [
        ("test", {"advantage": 1}),
        ("test", {"disadvantage": 3, "combat": True}),
        ("test", {"advantage": 2}),
        ("save", {"attribute": "WIL", "target": 9}),
        ("contest", {"advantage": 1, "opponent": {"kind": "npc", "disadvantage": 1}}),
    ],
}

HELD = """id => {
    const message = game.messages.contents.find(each => each.flags.tallybones.rollId === id);
    return message.rolls.map(roll => ({
        formula: roll.formula, total: roll.total,
        dice: roll.dice.flatMap(die => die.results).map(die => ({ value: die.result, kept: die.active })),
        adds: roll._sum(),
    }));
}"""


@pytest.mark.parametrize("ruleset", ACTIONS)
def test_the_dice_in_the_chat_are_those_that_the_service_threw(
    lay_table: Callable[[str], Table], ruleset: str
) -> None:
    table = lay_table(ruleset)
    gm, anna = table.gm(), table.player("Anna")
    for number, (action, params) in enumerate(ACTIONS[ruleset], 1):
        thrown = roll(anna, action, params=params)
        assert thrown["status"] == "resolved", thrown
        table.cards(number)
        gm.until("id => game.messages.contents.some(m => m.flags.tallybones.rollId === id)", thrown["id"])
        held = gm.run(HELD, thrown["id"])
        assert [{"value": die["value"], "kept": die["kept"]} for die in thrown["dice"]] == [
            die for each in held for die in each["dice"]
        ]
        if not thrown["dice"]:
            assert held == [] and "automatic" in thrown["outcome"]
            continue
        score = thrown.get("successes", thrown.get("total"))
        assert held[0]["total"] == score
        assert max(held[0]["adds"], 0) == score  # penalty dice may cancel more than there is
        if len(held) == 2:
            assert held[1]["total"] == held[1]["adds"] == thrown["target"]
    assert [gm.noise, anna.noise] == [[], []]
    assert gm.observed("missingTranslations") == anna.observed("missingTranslations") == []


HOSTILE = "</script><img src=x onerror=alert(1)>\" onmouseover='alert(1)' {{7*7}} ${7*7} \u202e"


def test_hostile_names_are_only_names(table: Table) -> None:
    world = table.foundry.world.collections
    anna_id = next(user["_id"] for user in world["users"].values() if user["name"] == "Anna")
    actor = next(each for each in world["actors"].values() if each["ownership"].get(anna_id) == 3)
    world["users"][anna_id]["name"] = HOSTILE
    actor["name"] = HOSTILE
    gm = table.gm()
    anna = online(table.open_screen("Ben"))
    anna.page.close()
    mirrim = f"game.actors.get('{actor['_id']}')"
    asked = "{ action: 'skill-check', params: { stat: 3, dv: 2 }, label, actor }"
    gm.run(f"label => {{ const actor = {mirrim}; return {API}.roll({asked}); }}", HOSTILE)
    table.cards(1)
    gm.messages.first.wait_for()
    assert gm.find("#chat img[src=x], #chat [onmouseover], #chat script").count() == 0
    assert "‹/script>‹img src=x onerror=alert(1)>" in gm.messages.inner_text()
    gm.run(f"{API}.mint('{anna_id}')")
    listed = gm.run(f"{API}.players()")
    assert any(player["user"] == anna_id and player["paired"] for player in listed)
    assert gm.noise == []


ENRICHED = "@TallyRoll[skill-check stat=1 dv=9]{Odds} @UUID[Actor.x]{Loot} [[/r 20]]"
UNSEEN = "\u2060"


@pytest.mark.parametrize("visibility", ["public", "gm", "self"])
def test_names_become_no_links_and_no_rolls_in_a_card(table: Table, visibility: str) -> None:
    gm = table.gm()
    roll(gm, label=ENRICHED, visibility=visibility)
    gm.find(".tallybones-title").wait_for()
    if visibility != "self":
        gm.until("game.messages.contents[0]?.rolls.length === 1")
        gm.run("ui.chat.updateMessage(game.messages.contents[0])")  # drawn again, now with what it holds
        gm.page.wait_for_timeout(300)
    assert gm.find("#chat .tallybones-title a").count() == 0
    assert gm.find(".tallybones-title").inner_text().replace(UNSEEN, "") == ENRICHED
    held = gm.run("document.querySelector('#chat').textContent + game.messages.contents.map(m => m.content)")
    assert "[[" not in held and "@UUID[" not in held
    assert gm.noise == []


def test_a_roll_thrown_in_foundry_instead_shows_its_name_as_text(table: Table) -> None:
    gm = table.gm()
    table.service.wire.cut()
    gm.until(f"{API}.status().connection === 'offline'")
    roll(gm, wait=False, label=f"<b>bold</b> {ENRICHED}", formula="3d6cs>=5")
    gm.find(".tallybones-pending").get_by_role("button", name="Roll in Foundry instead").click()
    table.cards(1)
    gm.messages.first.wait_for()
    assert gm.find("#chat .flavor-text b, #chat .flavor-text a").count() == 0
    flavor = gm.find("#chat .flavor-text").inner_text()
    assert flavor.replace(UNSEEN, "") == f"<b>bold</b> {ENRICHED}"
    assert "[[" not in flavor and "@UUID[" not in flavor
