"""Names that people typed, made fit to stand among other text."""

import unicodedata
from functools import lru_cache

NAMELESS = "(no name)"

# Joiners hold emoji and several scripts' letters together.
_JOINERS = "\u200c\u200d"


@lru_cache(maxsize=1024)
def shown(name: str) -> str:
    """Return `name` on one line, without the invisible letters that could reorder or hide what is around it.

    Control, direction and other format characters go; joiners and variation selectors stay. Nothing is
    escaped here: each way out escapes for itself.
    """
    kept = (_visible(letter) for letter in name)
    text = " ".join("".join(kept).split())
    return text if any(letter not in _JOINERS for letter in text) else NAMELESS


def _visible(letter: str) -> str:
    category = unicodedata.category(letter)
    if category in ("Cc", "Zl", "Zp"):
        return " "
    if category == "Cs" or (category == "Cf" and letter not in _JOINERS):
        return ""
    return letter
