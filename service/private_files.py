"""Files that only their owner may read."""

import secrets
from pathlib import Path


def write(path: Path, text: str) -> None:
    """Write the file whole, mode 600, in the place of an older one."""
    _draft(path, text).replace(path)


def write_once(path: Path, text: str) -> None:
    """Write the file whole, mode 600, unless there is one; of several processes at once, one wins."""
    draft = _draft(path, text)
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        pass
    except OSError:  # a file system without links: the last one wins
        draft.replace(path)
        return
    draft.unlink()


def _draft(path: Path, text: str) -> Path:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    draft.touch(mode=0o600)
    draft.write_text(text)
    return draft
