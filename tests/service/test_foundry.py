"""The Foundry module as it is served: installable at the address it was asked at."""

import io
import json
import subprocess
import sys
import tomllib
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.service.table import make_app

ROOT = Path(__file__).parents[2]
MANIFEST, ARCHIVE = "/foundry/module.json", "/foundry/tallybones.zip"


def read(app, path, **more):
    return app.test_client().get(path, **more)


def unpacked(answer):
    return zipfile.ZipFile(io.BytesIO(answer.data))


def test_the_manifest_is_for_the_address_it_was_asked_at(app):
    shown = read(app, MANIFEST, base_url="https://dice.example.org").json
    assert shown["id"] == "tallybones"
    assert shown["manifest"] == "https://dice.example.org/foundry/module.json"
    assert shown["download"] == "https://dice.example.org/foundry/tallybones.zip"
    assert shown["flags"]["tallybones"]["address"] == "https://dice.example.org"
    assert shown["compatibility"] == {"minimum": "13"}  # nothing is "verified" that was not run there


def test_a_public_address_goes_before_the_one_it_was_asked_at(settings):
    app = make_app(replace(settings, public_url="https://dice.example.org/tally"))
    shown = read(app, MANIFEST, base_url="http://10.0.0.7:8000").json
    assert shown["download"] == "https://dice.example.org/tally/foundry/tallybones.zip"


def test_the_module_has_the_service_s_version(app):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert read(app, MANIFEST).json["version"] == project["version"]


def test_the_zip_holds_the_same_manifest_and_all_that_it_names(app):
    archive = unpacked(read(app, ARCHIVE))
    shown = json.loads(archive.read("module.json"))
    assert shown == read(app, MANIFEST).json
    named = [*shown["esmodules"], shown["license"], shown["readme"]]
    named += [style["src"] for style in shown["styles"]]
    named += [language["path"] for language in shown["languages"]]
    assert set(named) <= set(archive.namelist())


def test_the_zip_holds_every_module_that_another_imports(app):
    archive = unpacked(read(app, ARCHIVE))
    names = set(archive.namelist())
    for name in names:
        if not name.endswith(".mjs"):
            continue
        for line in archive.read(name).decode().splitlines():
            if line.startswith(("import ", "} from")) and '"' in line:
                wanted = (Path("/") / Path(name).parent / line.split('"')[1]).resolve().as_posix().lstrip("/")
                assert wanted in names, f"{name} imports {wanted}"


def test_the_zip_holds_nothing_for_those_who_build_it(app):
    for name in unpacked(read(app, ARCHIVE)).namelist():
        assert not name.startswith(("node_modules/", "types/"))
        assert Path(name).name not in {"package.json", "tsconfig.json", "eslint.config.mjs"}


def test_pages_of_any_origin_may_read_both(app):
    for path in (MANIFEST, ARCHIVE):
        answer = read(app, path, headers={"Origin": "https://foundry.example.net:30000"})
        assert answer.headers.getlist("Access-Control-Allow-Origin") == ["*"]


@pytest.mark.parametrize("path", [MANIFEST, ARCHIVE])
def test_what_is_known_already_is_not_sent_again(app, path):
    first = read(app, path)
    again = read(app, path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    other = read(app, path, headers={"If-None-Match": first.headers["ETag"]}, base_url="http://other.example")
    assert other.status_code == 200


def test_the_script_writes_the_same_zip(app, tmp_path):
    served = read(app, ARCHIVE, base_url="https://dice.example.org").data
    written = tmp_path / "made" / "tallybones.zip"
    script = ROOT / "script/package-module"
    command = [sys.executable, script, "--address", "https://dice.example.org/", written]
    subprocess.run(command, check=True, capture_output=True)
    assert written.read_bytes() == served
