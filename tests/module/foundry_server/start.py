"""The world as each test finds it: two GMs, two players with a character each, and a creature."""

from typing import Any

# Ids are 16 letters and digits, as Foundry's are.
GAMEMASTER, ASSISTANT, ANNA, BEN = (
    "GamemasterUser01",
    "AssistantUser002",
    "AnnaPlayerUser03",
    "BenPlayerUser004",
)
MIRRIM, TOBIAS, GHOUL = "MirrimActor00001", "TobiasActor00002", "GhoulActor000003"
OWNER = 3


def _user(user_id: str, name: str, role: int, color: str, character: str | None = None) -> dict[str, Any]:
    return {
        "_id": user_id,
        "name": name,
        "role": role,
        "color": color,
        "character": character,
        "avatar": None,
        "flags": {},
        "hotbar": {},
        "permissions": {},
    }


def _actor(actor_id: str, name: str, kind: str, owner: str | None) -> dict[str, Any]:
    return {
        "_id": actor_id,
        "name": name,
        "type": kind,
        "img": "icons/actor.svg",
        "system": {},
        "flags": {},
        "items": [],
        "ownership": {"default": 0, **({owner: OWNER} if owner else {})},
    }


def _token(token_id: str, name: str, actor: str, x: int, y: int) -> dict[str, Any]:
    return {
        "_id": token_id,
        "name": name,
        "actorId": actor,
        "actorLink": True,
        "x": x,
        "y": y,
        "hidden": False,
        "flags": {},
    }


def _item(item_id: str, name: str) -> dict[str, Any]:
    return {
        "_id": item_id,
        "name": name,
        "type": "gear",
        "img": "icons/item.svg",
        "system": {},
        "flags": {},
        "ownership": {"default": 2},
    }


def starting_world() -> dict[str, list[dict[str, Any]]]:
    """Return every collection's documents at the start."""
    return {
        "users": [
            _user(GAMEMASTER, "Gamemaster", 4, "#c23b5a"),
            _user(ASSISTANT, "Assistant", 3, "#8f5ac2"),
            _user(ANNA, "Anna", 1, "#2f7fc1", MIRRIM),
            _user(BEN, "Ben", 1, "#2f9e62", TOBIAS),
        ],
        "actors": [
            _actor(MIRRIM, "Mirrim Vale", "character", ANNA),
            _actor(TOBIAS, "Tobias Reed", "character", BEN),
            _actor(GHOUL, "Crypt Ghoul", "npc", None),
        ],
        "tokens": [
            _token("MirrimToken00001", "Mirrim Vale", MIRRIM, 300, 260),
            _token("TobiasToken00002", "Tobias Reed", TOBIAS, 420, 330),
            _token("GhoulToken000003", "Crypt Ghoul", GHOUL, 620, 240),
        ],
        "items": [
            _item("RopeItem00000001", "Rope"),
            _item("LanternItem00002", "Lantern"),
            _item("CharmItem0000003", "Bone charm"),
        ],
        "journal": [
            {
                "_id": "JournalEntry0001",
                "name": "The broken bridge",
                "flags": {},
                "ownership": {"default": 2},
                "pages": [
                    {
                        "_id": "JournalPage00001",
                        "name": "Crossing",
                        "type": "text",
                        "text": {"format": 1, "content": "<p>The rope bridge has lost half its planks.</p>"},
                    }
                ],
            }
        ],
        "macros": [],
        "messages": [],
    }
