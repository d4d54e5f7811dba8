"""Text for spreadsheets, which take a cell that begins like a formula for one."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
BYTE_ORDER_MARK = "\ufeff".encode()
"""Without it spreadsheets do not take a CSV for UTF-8."""


def inert(text: str) -> str:
    """Return text that no spreadsheet takes for a formula: such a text gets an apostrophe in front."""
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA) else text
