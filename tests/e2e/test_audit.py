"""script/audit: what it makes of what the audits say, the services being what they may be."""

import importlib.machinery
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "script" / "audit"

SOUND = {"name": "flask", "version": "3.1", "vulns": []}
HOLED = {"name": "flask", "version": "0.1", "vulns": [{"id": "PYSEC-1"}]}
SKIPPED = {"name": "flask", "skip_reason": "Dependency not found on PyPI and could not be audited"}


@pytest.fixture
def audit() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("audit", str(SCRIPT))
    spec = importlib.util.spec_from_loader("audit", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (None, None),
        ("", None),
        ("no JSON", None),
        (json.dumps({"dependencies": []}), None),
        (json.dumps({"dependencies": [SKIPPED, SKIPPED]}), None),
        (json.dumps({"dependencies": [SOUND, SKIPPED]}), []),
        (json.dumps({"dependencies": [SOUND, HOLED]}), ["flask 0.1: PYSEC-1"]),
    ],
)
def test_python_packages(audit, monkeypatch, written, found):
    monkeypatch.setattr(audit, "run", lambda *_, **__: written)
    assert audit.python_packages() == found


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (None, None),
        (json.dumps({"message": "405 Method Not Allowed", "error": {}}), None),
        (json.dumps({"vulnerabilities": {}}), []),
        (json.dumps({"vulnerabilities": {"left-pad": {"severity": "low"}}}), []),
        (json.dumps({"vulnerabilities": {"left-pad": {"severity": "high"}}}), ["left-pad (high)"]),
    ],
)
def test_npm_packages(audit, monkeypatch, written, found):
    monkeypatch.setattr(audit, "run", lambda *_, **__: written)
    monkeypatch.setattr(audit.shutil, "which", lambda *_, **__: "npm")
    assert audit.node_packages("foundry-module") == found


@pytest.mark.parametrize(("holes", "code"), [(None, 0), ([], 0), (["flask 0.1: PYSEC-1"], 1)])
def test_only_a_hole_fails(audit, monkeypatch, capsys, tmp_path, holes, code):
    python = tmp_path / "python"
    python.touch()
    monkeypatch.setattr(audit, "PYTHON", python)
    monkeypatch.setattr(audit, "python_packages", lambda: holes)
    monkeypatch.setattr(audit, "node_packages", lambda folder: None)
    with pytest.raises(SystemExit) as ended:
        audit.main()
    assert int(ended.value.code) == code
    said = capsys.readouterr().out
    assert said.count("cannot be reached") == (3 if holes is None else 2)
