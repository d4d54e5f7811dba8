"""Form fields drawn from a description, whatever the rule set, and what a sent form says in their terms.

Nothing here checks a value: what cannot be read as its field's type is passed on as it was typed, and the
rule set says what is wrong with it. An input is called as its field, below a prefix and with dots between:
`params.skill`; a variant's are below its kind, `params.opponent.creature.skill`, a list's below their row.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

Description = Mapping[str, Any]
Form = Mapping[str, str]

KIND, ONE_OF, REMOVED = "kind", "one-of", "removed"
"""The last parts of inputs that are no fields: a variant's kind, which of several is given, a row to drop."""

SEGMENTS = 6
"""As many choices stand beside each other; more are a list to open, unless their labels are sentences."""
SEGMENTS_LETTERS = 34
SENTENCE = 24
"""Letters from which a label is a sentence: such choices stand below each other."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_TYPED = frozenset({"integer", "text", "user"})


@dataclass(frozen=True, slots=True)
class Users:
    """Whom a field can name: (id, name) of each."""

    known: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """A field as a form draws it. `look` is the macro that draws it; `value` what it shows, as a string."""

    name: str
    label: str
    help: str
    look: str
    required: bool
    value: str
    errors: tuple[str, ...]
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[tuple[str, str], ...] = ()
    parts: tuple["Part", ...] = ()

    @property
    def id(self) -> str:
        """The input's id in the page."""
        return self.name.replace(".", "-")


@dataclass(frozen=True, slots=True)
class Part:
    """Fields that stand together: a variant's of one kind, one of several to give, a list's row."""

    value: str
    label: str
    fields: tuple[Field, ...]


def draw(
    described: Sequence[Description],
    prefix: str,
    values: Mapping[str, Any],
    errors: Any = None,
    *,
    house_rules: Mapping[str, Any] | None = None,
    exactly_one_of: Sequence[str] = (),
    users: Users | None = None,
) -> tuple[Field, ...]:
    """Return the fields of a form that shows `values`, each with its `errors` (nested as the API nests them).

    A field that only a house rule allows is drawn where the table plays it; of `exactly_one_of` one is
    chosen.
    """
    told = errors if isinstance(errors, Mapping) else {}
    users = users or Users()
    drawn: list[Field] = []
    for each in in_play(described, house_rules or {}):
        if each["name"] not in exactly_one_of:
            drawn.append(_field(each, prefix, values, told, users))
        elif not any(field.look == "one_of" for field in drawn):
            several = [one for one in described if one["name"] in exactly_one_of]
            drawn.append(_one_of(several, prefix, values, told, users))
    return tuple(drawn)


def in_play(described: Iterable[Description], house_rules: Mapping[str, Any]) -> list[Description]:
    """Return the fields that the table's house rules allow."""
    return [each for each in described if "only_with" not in each or house_rules.get(each["only_with"])]


def read(
    described: Sequence[Description],
    prefix: str,
    form: Form,
    *,
    house_rules: Mapping[str, Any] | None = None,
    exactly_one_of: Sequence[str] = (),
) -> dict[str, Any]:
    """Return what a sent form gives, by field; what was left empty is left out."""
    chosen = form.get(f"{prefix}.{ONE_OF}")
    values: dict[str, Any] = {}
    for each in in_play(described, house_rules or {}):
        if each["name"] in exactly_one_of and each["name"] != chosen:
            continue
        value = _read_field(each, f"{prefix}.{each['name']}", form)
        if value is not None:
            values[each["name"]] = value
    return values


def unplaced(errors: Any) -> list[str]:
    """Return the messages that belong to no single field."""
    own = errors.get("_schema", ()) if isinstance(errors, Mapping) else errors or ()
    return [str(message) for message in own]


def by_input(errors: Any, prefix: str, form: Form) -> dict[str, str]:
    """Return the messages by the name of the input that each belongs to."""
    found: dict[str, str] = {}
    for name, below in errors.items() if isinstance(errors, Mapping) else ():
        if isinstance(below, Mapping):
            kind = form.get(f"{prefix}.{name}.{KIND}")
            found |= by_input(below, f"{prefix}.{name}.{kind}" if kind else f"{prefix}.{name}", form)
        else:
            found[f"{prefix}.{name}"] = " ".join(_flat(below))
    return found


def _field(
    each: Description, prefix: str, values: Mapping[str, Any], told: Mapping[str, Any], users: Users
) -> Field:
    name, value = f"{prefix}.{each['name']}", values.get(each["name"], each.get("default"))
    errors = told.get(each["name"])
    choices = _choices(each, users)
    if each["type"] == "user" and value not in (None, "", *(user for user, _ in choices)):
        choices = (*choices, (str(value), str(value)))
    return Field(
        name=name,
        label=each["label"],
        help=each.get("help") or "",
        look=_look(each, choices),
        required=bool(each["required"]),
        value=_shown(each, value),
        errors=_messages(errors),
        minimum=each.get("minimum"),
        maximum=each.get("maximum", each.get("maximum_length", each.get("most"))),
        choices=choices,
        parts=_parts(each, name, value, errors, users),
    )


def _one_of(
    several: Sequence[Description],
    prefix: str,
    values: Mapping[str, Any],
    told: Mapping[str, Any],
    users: Users,
) -> Field:
    given = [each["name"] for each in several if values.get(each["name"]) is not None]
    parts = tuple(
        Part(each["name"], each["label"], (_field(each, prefix, values, told, users),)) for each in several
    )
    # What the rule set says of all of them together it says of each: here it is said once.
    errors = tuple(dict.fromkeys(message for part in parts for message in part.fields[0].errors))
    parts = tuple(replace(part, fields=(replace(part.fields[0], errors=()),)) for part in parts)
    return Field(
        name=f"{prefix}.{ONE_OF}",
        label=" or ".join(each["label"] for each in several),
        help="",
        look="one_of",
        required=True,
        value=given[0] if given else several[0]["name"],
        errors=errors,
        parts=parts,
    )


def _look(each: Description, choices: Sequence[tuple[str, str]]) -> str:
    kind: str = each["type"]
    if kind not in ("integer", "choice"):
        return kind
    if not choices:
        return "integer"
    longest, letters = max(len(label) for _, label in choices), sum(len(label) for _, label in choices)
    if len(choices) <= SEGMENTS and letters <= SEGMENTS_LETTERS:
        return "segments"
    return "stack" if longest > SENTENCE else "select"


def _choices(each: Description, users: Users) -> tuple[tuple[str, str], ...]:
    if each["type"] == "user":
        return users.known
    if each["type"] == "integer" and each["maximum"] - each["minimum"] < SEGMENTS:
        return tuple((str(number), str(number)) for number in range(each["minimum"], each["maximum"] + 1))
    return tuple((str(choice["value"]), choice["label"]) for choice in each.get("choices", ()))


def _parts(each: Description, name: str, value: Any, errors: Any, users: Users) -> tuple[Part, ...]:
    told = errors if isinstance(errors, Mapping) else {}
    if each["type"] == "variant":
        given = value if isinstance(value, Mapping) else {}
        return tuple(
            Part(
                kind["kind"],
                kind["label"],
                draw(
                    kind["fields"],
                    f"{name}.{kind['kind']}",
                    given if given.get(KIND) == kind["kind"] else {},
                    told if given.get(KIND) == kind["kind"] else None,
                    users=users,
                ),
            )
            for kind in each["kinds"]
        )
    if each["type"] == "list":
        rows = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
        if len(rows) < each["most"] and any(field["type"] in _TYPED for field in each["fields"]):
            rows.append({})
        return tuple(
            Part(
                str(place),
                "",
                draw(each["fields"], f"{name}.{place}", row, told.get(str(place)), users=users),
            )
            for place, row in enumerate(rows)
        )
    return ()


def _shown(each: Description, value: Any) -> str:
    if each["type"] == "flag":
        return "yes" if value is True else ""
    if each["type"] == "variant":
        return str(value.get(KIND, "")) if isinstance(value, Mapping) else str(each["kinds"][0][KIND])
    return "" if value is None or each["type"] == "list" else str(value)


def _messages(errors: Any) -> tuple[str, ...]:
    if isinstance(errors, Mapping):
        errors = [*errors.get("_schema", ()), *_flat(errors.get(KIND))]
    return tuple(_flat(errors))


def _flat(errors: Any) -> list[str]:
    return [str(message) for message in errors] if isinstance(errors, (list, tuple)) else []


def _read_field(each: Description, name: str, form: Form) -> Any:
    typed = form.get(name, "").strip()
    match each["type"]:
        case "flag":
            return bool(typed)
        case "integer":
            return int(typed) if _WHOLE.fullmatch(typed) else typed or None
        case "choice":
            known = {str(choice["value"]): choice["value"] for choice in each["choices"]}
            return known.get(typed, typed or None)
        case "variant":
            return _read_variant(each, name, form)
        case "list":
            return _read_rows(each, name, form)
    return typed or None


def _read_variant(each: Description, name: str, form: Form) -> dict[str, Any] | None:
    chosen = form.get(f"{name}.{KIND}", "")
    if not chosen:
        return None
    fields = next((kind["fields"] for kind in each["kinds"] if kind["kind"] == chosen), ())
    return {KIND: chosen, **read(fields, f"{name}.{chosen}", form)}


def _read_rows(each: Description, name: str, form: Form) -> list[dict[str, Any]]:
    """Return the rows that were filled in and not dropped, in their order."""
    places = {int(found[1]) for key in form if (found := re.match(rf"{re.escape(name)}\.(\d{{1,3}})\.", key))}
    typed = [field["name"] for field in each["fields"] if field["type"] in _TYPED]
    rows = []
    for place in sorted(places):
        row = read(each["fields"], f"{name}.{place}", form)
        if form.get(f"{name}.{place}.{REMOVED}") or (typed and not any(field in row for field in typed)):
            continue
        rows.append(row)
    return rows
