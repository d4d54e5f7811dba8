"""The web process that resolves each roll itself, before it answers: what a queue is measured against.

The same application, but that accepting queues no job and that the roll is resolved and committed at once.
"""

from service.services import EXTENSION
from service.store import Accepted, NewRoll, lua
from worker.resolve import resolve_in

_text_of = lua.text_of


def _without_job(name: str) -> str:
    text = _text_of(name)
    return (
        text.replace("enqueue(cjson.decode(ARGV[2]), id, 'RPUSH')\nreturn", "return")
        if name == "accept"
        else text
    )


lua.text_of = _without_job  # type: ignore[assignment]

from service.wsgi import app  # noqa: E402  after the script was changed

_store = app.extensions[EXTENSION].store
_accept = _store.rolls.accept


def _accept_and_resolve(new: NewRoll) -> Accepted:
    accepted: Accepted = _accept(new)
    resolve_in(_store, accepted.record["id"])
    return accepted


_store.rolls.accept = _accept_and_resolve
