"""Install a module as Foundry does: fetch manifest and zip, unpack, read the module.json that came."""

import io
import json
import shutil
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

REQUIRED = ("id", "title", "version", "compatibility")
HOOKABLE = ("esmodules", "styles", "languages")


class NotInstallable(Exception):
    """Foundry would refuse this package; `reason` says why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def fetched(address: str) -> bytes:
    """Return what is at an address; names under .test are on this machine, as they are for the browsers."""
    parts = urlsplit(address)
    here = f"127.0.0.1:{parts.port}" if (parts.hostname or "").endswith(".test") else parts.netloc
    request = Request(parts._replace(netloc=here).geturl(), headers={"Host": parts.netloc})  # noqa: S310
    with urlopen(request, timeout=10) as answer:  # noqa: S310
        body: bytes = answer.read()
        return body


def checked(manifest: Any, generation: int) -> dict[str, Any]:
    """Return the manifest; raises NotInstallable where Foundry refuses it."""
    if not isinstance(manifest, dict):
        raise NotInstallable("the manifest is not a JSON object")
    for name in REQUIRED:
        if not manifest.get(name):
            raise NotInstallable(f"the manifest has no {name}")
    compatibility = manifest["compatibility"]
    minimum, maximum = (
        int(str(compatibility.get(end) or default).split(".")[0])
        for end, default in (("minimum", 0), ("maximum", 10_000))
    )
    if not minimum <= generation <= maximum:
        raise NotInstallable(f"it is for Foundry {minimum} to {maximum}, this is {generation}")
    return manifest


def unpack(archive: bytes, module_id: str, modules: Path) -> Path:
    """Unpack a module's zip into its own folder; what lies beside module.json in the zip is the root."""
    with zipfile.ZipFile(io.BytesIO(archive)) as zipped:
        names = [PurePosixPath(name) for name in zipped.namelist() if not name.endswith("/")]
        if any(name.is_absolute() or ".." in name.parts for name in names):
            raise NotInstallable("the zip reaches outside its folder")
        roots = sorted(
            (name.parent for name in names if name.name == "module.json"), key=lambda root: len(root.parts)
        )
        if not roots:
            raise NotInstallable("the zip has no module.json")
        folder = modules / module_id
        shutil.rmtree(folder, ignore_errors=True)
        for name in names:
            if not name.is_relative_to(roots[0]):
                continue
            target = folder / name.relative_to(roots[0])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(zipped.read(str(name)))
    return folder


def read_installed(folder: Path, generation: int) -> dict[str, Any]:
    """Return an unpacked module's own manifest; every file that it names must be there."""
    manifest = checked(json.loads((folder / "module.json").read_text("utf-8")), generation)
    if manifest["id"] != folder.name:
        raise NotInstallable(f"the folder is {folder.name}, the manifest's id is {manifest['id']}")
    for kind in HOOKABLE:
        for entry in manifest.get(kind, []):
            path = entry if isinstance(entry, str) else entry.get("src") or entry.get("path")
            if not (folder / path).is_file():
                raise NotInstallable(f"{path} is named in {kind} and not in the zip")
    return manifest


def install(manifest_url: str, modules: Path, generation: int) -> dict[str, Any]:
    """Install the module behind a manifest's address, and return the manifest that came in the zip."""
    offered = checked(json.loads(fetched(manifest_url)), generation)
    if not offered.get("download"):
        raise NotInstallable("the manifest has no download")
    archive = fetched(offered["download"])
    installed = read_installed(unpack(archive, offered["id"], modules), generation)
    if installed["version"] != offered["version"]:
        raise NotInstallable(f"offered version {offered['version']}, the zip holds {installed['version']}")
    return installed
