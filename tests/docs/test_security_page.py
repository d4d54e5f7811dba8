"""docs/security.md: every test that it names is there."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text()
NAMED = sorted(set(re.findall(r"`(test_\w+\.py)::(test_\w+)`", PAGE)))


def every_test() -> set[tuple[str, str]]:
    files = [*(ROOT / "tests").rglob("test_*.py"), *(ROOT / "worker").rglob("test_*.py")]
    return {
        (file.name, node.name)
        for file in files
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@pytest.fixture(scope="module")
def there() -> set[tuple[str, str]]:
    return every_test()


@pytest.mark.parametrize("named", NAMED, ids="::".join)
def test_a_test_that_holds_a_line_exists(named: tuple[str, str], there: set[tuple[str, str]]) -> None:
    assert named in there


def test_every_line_of_a_threat_names_a_test() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "could try" not in line]
    rows = [row for row in rows if "how | without" not in row]
    assert len(rows) > 40
    for row in rows:
        assert re.search(r"`test_\w+\.py::test_\w+`", row), row
