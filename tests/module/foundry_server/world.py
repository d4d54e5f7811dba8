"""The world that every tab of the stand-in shares: documents, settings, who is in, who may change what."""

import json
import queue
import secrets
import string
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LETTERS = string.ascii_letters + string.digits
ASSISTANT = 3  # CONST.USER_ROLES: from here on a user is a GM
OWNER = 3  # CONST.DOCUMENT_OWNERSHIP_LEVELS

Document = dict[str, Any]


class Refused(Exception):
    """The world does not allow it; `reason` is what the tab that asked gets to read."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def new_id() -> str:
    """Return an id as Foundry makes them: 16 letters and digits."""
    return "".join(secrets.choice(LETTERS) for _ in range(16))


def merge(document: Document, changes: Mapping[str, Any]) -> None:
    """Merge changes into a document as Foundry does: objects by key, the rest replaced, `-=key` deletes."""
    for key, value in changes.items():
        if key.startswith("-="):
            document.pop(key[2:], None)
        elif isinstance(value, dict) and isinstance(document.get(key), dict):
            merge(document[key], value)
        elif isinstance(value, dict):
            document[key] = {}
            merge(document[key], value)
        else:
            document[key] = value


@dataclass
class Tab:
    """One open browser tab: whose it is, and what it has still to be told."""

    id: str
    user: str
    inbox: "queue.Queue[str]" = field(default_factory=queue.Queue)


@dataclass
class Query:
    """A user query on its way: answered by whichever tab answers first."""

    answered: threading.Event = field(default_factory=threading.Event)
    answer: Mapping[str, Any] = field(default_factory=dict)


class World:
    """Documents by collection, settings by key, and the tabs that are in.

    Every change goes through `change`, which tells all other tabs. What a GM alone may do is refused to
    others here: a test that passes only because nobody checked would prove nothing.
    """

    def __init__(self, start: Mapping[str, list[Document]]) -> None:
        self.collections: dict[str, dict[str, Document]] = {
            name: {document["_id"]: json.loads(json.dumps(document)) for document in documents}
            for name, documents in start.items()
        }
        self.settings: dict[str, Any] = {}
        self.modules: dict[str, Document] = {}
        self.time = 0
        self.tabs: dict[str, Tab] = {}
        self.queries: dict[str, Query] = {}
        self.lock = threading.RLock()

    def user_named(self, name: str) -> Document:
        for user in self.collections["users"].values():
            if user["name"] == name:
                return user
        raise Refused(f"nobody is called {name}")

    def join(self, tab: str, name: str) -> Tab:
        """Let a user's tab in; the first thing in its inbox is the world as it is."""
        with self.lock:
            user = self.user_named(name)
            joined = Tab(tab, user["_id"])
            joined.inbox.put(json.dumps({"kind": "hello", "world": self.snapshot(user["_id"])}))
            self.tabs[tab] = joined
            self.tell({"kind": "active", "users": self.active_users()}, but=tab)
            return joined

    def leave(self, tab: str) -> None:
        with self.lock:
            if self.tabs.pop(tab, None):
                self.tell({"kind": "active", "users": self.active_users()})

    def active_users(self) -> list[str]:
        return sorted({tab.user for tab in self.tabs.values()})

    def snapshot(self, user: str) -> Document:
        active = sorted({*self.active_users(), user})
        return {
            "user": user,
            "active": active,
            "settings": self.settings,
            "time": self.time,
            "collections": {name: list(kept.values()) for name, kept in self.collections.items()},
            "modules": list(self.modules.values()),
        }

    def tell(self, event: Mapping[str, Any], but: str | None = None, user: str | None = None) -> None:
        line = json.dumps(event)
        for tab in self.tabs.values():
            if tab.id != but and (user is None or tab.user == user):
                tab.inbox.put(line)

    def change(self, asked: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do what a tab asked for and tell the others; raises Refused."""
        with self.lock:
            tab = self.tabs.get(asked["tab"])
            if tab is None:
                raise Refused("this tab is not in the world")
            if asked["op"] != "query":
                return getattr(self, f"_{asked['op']}")(asked, tab)
        return self._query(asked, tab)

    def _is_gm(self, tab: Tab) -> bool:
        return bool(self.collections["users"][tab.user]["role"] >= ASSISTANT)

    def _may_edit(self, tab: Tab, collection: str, document: Document) -> bool:
        ownership = document.get("ownership", {})
        own = max(ownership.get(tab.user, 0), ownership.get("default", 0)) >= OWNER
        if collection == "tokens" and document.get("actorId"):
            own = self._may_edit(tab, "actors", self.collections["actors"][document["actorId"]])
        return (
            self._is_gm(tab)
            or own
            or document.get("author") == tab.user
            or (collection == "users" and document["_id"] == tab.user)
        )

    def _create(self, asked: Mapping[str, Any], tab: Tab) -> Mapping[str, Any]:
        collection, made = asked["collection"], []
        for document in asked["documents"]:
            if collection == "messages" and document.get("author") != tab.user and not self._is_gm(tab):
                raise Refused("a player cannot speak for somebody else")
            if collection in {"actors", "tokens", "items", "journal", "users"} and not self._is_gm(tab):
                raise Refused(f"a player cannot create {collection}")
            whole = {"flags": {}, **document, "_id": document.get("_id") or new_id()}
            if whole["_id"] in self.collections[collection]:
                raise Refused(
                    f"The _id [{whole['_id']}] already exists within the parent collection: {collection}"
                )
            if collection == "messages":
                whole["timestamp"] = int(time.time() * 1000)
            self.collections[collection][whole["_id"]] = whole
            made.append(whole)
        self._tell_documents("create", asked, tab, documents=made)
        return {"documents": made}

    def _update(self, asked: Mapping[str, Any], tab: Tab) -> Mapping[str, Any]:
        document = self.collections[asked["collection"]].get(asked["id"])
        if document is None:
            raise Refused(f"{asked['id']} is not in {asked['collection']}")
        if not self._may_edit(tab, asked["collection"], document):
            raise Refused(f"this user may not change {document.get('name', asked['id'])}")
        merge(document, asked["changes"])
        self._tell_documents("update", asked, tab, id=asked["id"], changes=asked["changes"])
        return {"changes": asked["changes"]}

    def _delete(self, asked: Mapping[str, Any], tab: Tab) -> Mapping[str, Any]:
        document = self.collections[asked["collection"]].get(asked["id"])
        if document is None:
            raise Refused(f"{asked['id']} is not in {asked['collection']}")
        if not self._may_edit(tab, asked["collection"], document):
            raise Refused(f"this user may not delete {document.get('name', asked['id'])}")
        del self.collections[asked["collection"]][asked["id"]]
        self._tell_documents("delete", asked, tab, id=asked["id"])
        return {}

    def _tell_documents(self, kind: str, asked: Mapping[str, Any], tab: Tab, **said: Any) -> None:
        self.tell(
            {
                "kind": kind,
                "collection": asked["collection"],
                "options": asked.get("options", {}),
                "userId": tab.user,
                **said,
            },
            but=tab.id,
        )

    def _setting(self, asked: Mapping[str, Any], tab: Tab) -> Mapping[str, Any]:
        if not asked.get("user") and not self._is_gm(tab):
            raise Refused("a player cannot change a setting of the world")
        if asked.get("user", tab.user) != tab.user:
            raise Refused("a user's settings are changed by that user")
        key = f"{asked['user']}:{asked['key']}" if asked.get("user") else asked["key"]
        self.settings[key] = asked["value"]
        self.tell({"kind": "setting", "key": key, "value": asked["value"], "userId": tab.user}, but=tab.id)
        return {}

    def _socket(self, asked: Mapping[str, Any], tab: Tab) -> Mapping[str, Any]:
        module = self.modules.get(asked["name"].removeprefix("module."), {})
        if asked["name"].startswith("module.") and not module.get("socket"):
            raise Refused(f"no module with a socket in its manifest has the channel {asked['name']}")
        self.tell({"kind": "socket", "name": asked["name"], "args": asked["args"]}, but=tab.id)
        return {}

    def _time(self, asked: Mapping[str, Any], tab: Tab) -> Mapping[str, Any]:
        if not self._is_gm(tab):
            raise Refused("a player cannot change the world's time")
        self.time += asked["by"]
        self.tell(
            {
                "kind": "time",
                "time": self.time,
                "by": asked["by"],
                "options": asked.get("options", {}),
                "userId": tab.user,
            },
            but=tab.id,
        )
        return {"time": self.time}

    def _query(self, asked: Mapping[str, Any], tab: Tab) -> Mapping[str, Any]:
        with self.lock:
            if asked["to"] not in self.active_users():
                raise Refused("that user is not active")
            query_id, query = new_id(), Query()
            self.queries[query_id] = query
            self.tell(
                {
                    "kind": "query",
                    "id": query_id,
                    "name": asked["name"],
                    "data": asked["data"],
                    "timeout": asked.get("timeout"),
                },
                user=asked["to"],
                but=tab.id,
            )
        answered = query.answered.wait((asked.get("timeout") or 30_000) / 1000)
        del self.queries[query_id]
        if not answered:
            raise Refused(f"the query {asked['name']} timed out")
        if "error" in query.answer:
            raise Refused(query.answer["error"])
        return query.answer

    def _answer(self, asked: Mapping[str, Any], tab: Tab) -> Mapping[str, Any]:
        query = self.queries.get(asked["id"])
        if query and not query.answered.is_set():
            query.answer = {key: asked[key] for key in ("result", "error") if key in asked}
            query.answered.set()
        return {}
