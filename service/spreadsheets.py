"""Text for spreadsheets, which take a cell that begins like a formula for one."""

import re

_SIGNS = "=+@\uff1d\uff0b\uff0d\uff20-"
"""The signs that a formula begins with, also full-width, as spreadsheets in East Asia take them."""
_FORMULA = re.compile(rf"(\A|[;\t\r\n])(?=[\s\"]*[{_SIGNS}])")
BYTE_ORDER_MARK = "\ufeff".encode()
"""Without it spreadsheets do not take a CSV for UTF-8."""


def inert(text: str) -> str:
    """Return text that no spreadsheet takes for a formula: where one would begin, there is an apostrophe.

    That is at the start, and wherever a spreadsheet that parts cells at semicolons or tabs sees another one.
    """
    return _FORMULA.sub(r"\1'", text)
