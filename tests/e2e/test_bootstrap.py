"""`script/bootstrap` on machines that lack something: one sentence, and exit code 1."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.settings import CHECKOUT

TOO_OLD = "#!/bin/sh\nexit 1\n"
WITHOUT_VENV = f'#!/bin/sh\ncase "$*" in *ensurepip*) exit 1 ;; esac\nexec {sys.executable} "$@"\n'

# Makes a .venv whose Python is this very script, and only notes what it is asked to install.
PRETENDING = """#!/bin/sh
case "$*" in
    "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    *"pip install"*) for last; do :; done; echo "$last" >>installed ;;
esac
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """As much of a clone as bootstrapping looks at, in a folder with a space in its name."""
    clone = tmp_path / "my clone"
    for name in ("rules", "service", "worker"):
        (clone / name).mkdir(parents=True)
        (clone / name / "__init__.py").touch()
    for name in ("script", "pyproject.toml", "README.md", "LICENSE"):
        origin = CHECKOUT / name
        (shutil.copytree if origin.is_dir() else shutil.copy)(origin, clone / name)
    return clone


def commands(folder: Path, python: str | None) -> str:
    """Make a search path with the usual commands, and `python3` as given."""
    folder.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "cp", "grep", "mkdir", "rm", "tail"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    if python:
        (folder / "python3").write_text(python)
        (folder / "python3").chmod(0o755)
    return str(folder)


def bootstrap(clone: Path, path: str, want: str = "run", **more: str) -> tuple[int, str]:
    done = subprocess.run(
        (clone / "script" / "bootstrap", want),
        env={"PATH": path, **more},
        capture_output=True,
        text=True,
        timeout=100,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("python", [None, TOO_OLD], ids=["no Python", "an old Python"])
def test_python_is_missing_or_old(python: str | None, clone: Path, tmp_path: Path) -> None:
    code, says = bootstrap(clone, commands(tmp_path / "bin", python))
    assert code == 1
    assert says.startswith("Tallybones needs Python 3.11 or newer: install it")
    assert says.count("\n") == 1


def test_the_venv_module_is_missing(clone: Path, tmp_path: Path) -> None:
    code, says = bootstrap(clone, commands(tmp_path / "bin", WITHOUT_VENV))
    assert code == 1
    assert says.startswith(
        "This Python has no venv module: install it (on Debian and Ubuntu: apt install python3-venv)"
    )
    assert says.count("\n") == 1
    assert not (clone / ".venv").exists()


def test_there_is_no_network(clone: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.defpath}"
    nowhere = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_NO_CACHE_DIR": "1",
    }
    code, says = bootstrap(clone, path, **nowhere)
    assert code == 1
    assert says.splitlines()[-1].startswith("What Tallybones needs could not be installed: check the network")


def test_only_what_changed_is_installed_again(clone: Path, tmp_path: Path) -> None:
    path = commands(tmp_path / "bin", PRETENDING)
    installed = clone / "installed"
    for want, expected in [("run", 1), ("run", 1), ("test", 2), ("run", 2), ("test", 2)]:
        assert bootstrap(clone, path, want) == (0, "")
        assert len(installed.read_text().splitlines()) == expected
    with (clone / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    assert bootstrap(clone, path, "test") == (0, "")
    assert installed.read_text().splitlines() == [".", ".[test]", ".[test]"]


def test_a_clone_that_was_moved_is_made_anew(clone: Path, tmp_path: Path) -> None:
    path = commands(tmp_path / "bin", PRETENDING)
    assert bootstrap(clone, path) == (0, "")
    moved = clone.rename(tmp_path / "moved")
    (moved / ".venv" / "bin" / "gunicorn").touch()
    assert bootstrap(moved, path) == (0, "")
    assert [file.name for file in (moved / ".venv" / "bin").iterdir()] == ["python"]
