"""What a character carries and what it costs: slots, stress, speed, hands and time (rules 4.5 to 4.8)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from marshmallow import ValidationError

from rules.clock import LONGEST, SECONDS, UNITS, clock
from rules.fields import Params, choice, list_of, name, whole
from rules.ruleset import Sheet

# Rule 4.5: where the ten slots are
PLACES = {"left-hand": 1, "right-hand": 1, "body": 1, "head": 1, "pack": 6}
SLOTS = sum(PLACES.values())
FREE_TRINKETS = 5

# Rule 4.6
DEADLY_STRESS = 10
SPEED_LOSS_A_SLOT = Fraction(1, 4)

# Rule 4.7
FREE_SWAPS_A_ROUND = 1


@dataclass(frozen=True)
class Load:
    """What follows from what is carried."""

    slots_used: int
    over: int
    speed_factor: Fraction
    dead: bool

    @property
    def encumbered(self) -> bool:
        """True when anything is carried over the ten slots."""
        return self.over > 0


def load(bulky: int, worn: int, stress: int) -> Load:
    """Return the load of bulky items, worn trinkets and stress (rules 4.5 and 4.6)."""
    used = bulky + max(0, worn - FREE_TRINKETS) + stress
    over = max(0, used - SLOTS)
    return Load(used, over, max(Fraction(0), 1 - over * SPEED_LOSS_A_SLOT), stress >= DEADLY_STRESS)


def action_left_after(swaps: int) -> bool:
    """Tell whether a round with so many hand swaps still leaves the action (rule 4.7)."""
    return swaps <= FREE_SWAPS_A_ROUND


def time_to_don(place: str) -> int:
    """Return the seconds that it takes to put an item on, or off, at a place (rule 4.7)."""
    return SECONDS["turn"] if place == "body" else 0


@dataclass(frozen=True, kw_only=True)
class Item(Params):
    """A bulky item and the slot that it takes."""

    name: str = name("Item")
    place: str = choice(
        "Where",
        {place: place.replace("-", " ").capitalize() for place in PLACES} | {"over": "Over the limit"},
        default="pack",
    )


@dataclass(frozen=True, kw_only=True)
class PackSheet(Sheet):
    """What is carried, and what it does to speed and life."""

    bulky: int = whole("Bulky items", 0, 99, default=0, help="Those without a place of their own below.")
    items: tuple[Item, ...] = list_of("Items", Item, most=40)
    worn: int = whole("Worn trinkets", 0, 99, default=0, help="Jewellery, clothing, cloaks; five are free.")
    stress: int = whole("Stress", 0, 10, default=0, help="Each takes a slot; ten are death.")
    speed: int = whole("Speed", 0, 999, default=40, help="Unencumbered, in the table's own unit.")
    swaps: int = whole("Hand swaps this round", 0, 9, default=0)
    stamina: int = whole("Stamina", 0, 999, default=0)
    stamina_maximum: int = whole("Stamina, at most", 0, 999, default=0)
    wounds: int = whole("Wounds", 0, 999, default=0)
    wounds_maximum: int = whole("Wounds, at most", 0, 999, default=0)
    elapsed: int = whole("Campaign clock", 0, LONGEST, default=0, help="Seconds since the campaign began.")
    passing: int = whole("Time that passes", 0, 999, default=0, help="Moves the clock by so many units.")
    unit: str = choice("Unit", UNITS, default="turn")

    def check(self) -> None:
        """Refuse a track above its maximum (rule 4.8), and a place that holds too much (rule 4.5)."""
        errors: dict[str, list[str]] = {}
        for track in ("stamina", "wounds"):
            most = getattr(self, f"{track}_maximum")
            if getattr(self, track) > most:
                errors[track] = [f"Must be at most the maximum, {most}."]
        for place, room in PLACES.items():
            if sum(item.place == place for item in self.items) > room:
                errors["items"] = [f"There is room for {room} in the place {place}."]
        if errors:
            raise ValidationError(errors)

    def work_out(self) -> dict[str, Any]:
        """Return slots, speed and death, the action left, donning times, both tracks and the clock."""
        carried = load(self.bulky + len(self.items), self.worn, self.stress)
        speed = self.speed * carried.speed_factor
        return {
            "slots": SLOTS,
            "slots_used": carried.slots_used,
            "over": carried.over,
            "encumbered": carried.encumbered,
            "speed_factor": f"{carried.speed_factor.numerator}/{carried.speed_factor.denominator}",
            "speed": speed.numerator if speed.denominator == 1 else float(speed),
            "dead": carried.dead,
            "action_left": action_left_after(self.swaps),
            "donning": [
                {"item": item.name, "seconds": time_to_don(item.place)}
                for item in self.items
                if time_to_don(item.place)
            ],
            "stamina": {"current": self.stamina, "maximum": self.stamina_maximum},
            "wounds": {"current": self.wounds, "maximum": self.wounds_maximum},
            "clock": clock(self.elapsed + self.passing * SECONDS[self.unit]),
            "time_units": SECONDS,
        }
