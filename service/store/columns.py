"""JSON values of much the same shape, turned on their side: what resembles each other then lies side by side.

A column of values is written as one of these, whichever fits first; reading it gives back exactly the values.

| form                              | for                                                                |
|-----------------------------------|--------------------------------------------------------------------|
| `{"n": how many, "v": value}`     | one value, over and over                                           |
| `{"d": [first, then differences]}` | large whole numbers, as times                                      |
| `{"p": prefix, "s": [rest, …]}`   | texts that begin alike                                             |
| `{"l": lengths, "v": column}`     | lists: their members, one after the other                          |
| `{"k": [names, …], "r": which, "c": {name: column}}` | objects: a column for each name                 |
| `{"o": [value, …], "i": [place, …]}` | few different values                                            |
| `{"v": [value, …]}`               | anything else                                                      |
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from os.path import commonprefix
from typing import Any

import orjson

Column = dict[str, Any]
_EXACT = 2**53


def column(values: Sequence[Any]) -> Column:
    """Return values as a column."""
    written = [orjson.dumps(value) for value in values]
    places = {value: place for place, value in enumerate(dict.fromkeys(written))}
    if len(places) == 1:
        return {"n": len(values), "v": values[0]}
    kinds = {type(value) for value in values}
    if kinds == {int} and all(10**6 < value < _EXACT for value in values):
        differences = (later - earlier for earlier, later in pairwise(values))
        return {"d": [values[0], *differences]}
    if len(places) * 3 > len(values):
        if kinds == {list}:
            return {
                "l": column([len(value) for value in values]),
                "v": column([each for v in values for each in v]),
            }
        if kinds == {dict}:
            return _objects(values)
        if kinds == {str} and (prefix := commonprefix(list(values))):  # noqa: RUF071  no paths
            return {"p": prefix, "s": [value[len(prefix) :] for value in values]}
    if len(places) * 2 <= len(values):
        return {"o": [orjson.loads(value) for value in places], "i": [places[value] for value in written]}
    return {"v": list(values)}


def values(column: Column) -> list[Any]:
    """Return the values of a column."""
    match column:
        case {"n": number, "v": value}:
            return [value] * number
        case {"d": differences}:
            return list(accumulate(differences))
        case {"p": prefix, "s": rests}:
            return [prefix + rest for rest in rests]
        case {"l": lengths, "v": members}:
            each = iter(values(members))
            return [[next(each) for _ in range(length)] for length in values(lengths)]
        case {"k": shapes, "r": which, "c": by_name}:
            parts = {name: iter(values(inner)) for name, inner in by_name.items()}
            return [{name: next(parts[name]) for name in shapes[shape]} for shape in values(which)]
        case {"o": different, "i": places}:
            return [different[place] for place in places]
        case _:
            plain: list[Any] = column["v"]
            return plain


def _objects(objects: Sequence[dict[str, Any]]) -> Column:
    shapes = {shape: place for place, shape in enumerate(dict.fromkeys(map(tuple, objects)))}
    names = dict.fromkeys(name for shape in shapes for name in shape)
    return {
        "k": list(shapes),
        "r": column([shapes[tuple(each)] for each in objects]),
        "c": {name: column([each[name] for each in objects if name in each]) for name in names},
    }
