"""Check a session's public rolls with Python alone: python verify.py session.json rolls.ndjson

session.json is GET …/sessions/SESSION after its end, rolls.ndjson is GET …/rolls?session=SESSION with the
header Accept: application/x-ndjson: all of its rolls, one a line.

It does not know the rules: it counts dice by the formula that the roll itself names. It cannot see whether
total and outcome are what the dice come to, nor whether a creature's dice are all there:
`tallybones verify` can.
"""

import hashlib
import hmac
import json
import re
import sys
from pathlib import Path


def dice(seed, session, seq, nonce, faces):
    words, counter, thrown = [], 0, []
    while len(thrown) < len(faces):
        if not words:
            block = hmac.new(seed, f"v1|{session}|{seq}|{nonce}|{counter}".encode(), hashlib.sha256).digest()
            words, counter = [int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4)], counter + 1
        word, sides = words.pop(0), faces[len(thrown)]
        if word < 2**32 // sides * sides:
            thrown.append(word % sides + 1)
    return thrown


def check(session, rolls):
    seed, name = bytes.fromhex(session["seed"] or ""), session["id"]
    if hashlib.sha256(f"v1|{name}|".encode() + seed).hexdigest() != session["commitment"]:
        return ["wrong seed, or none before the end: it is not the one that the session committed to"]
    wrong, numbers = [], [roll["seq"] or 0 for roll in rolls]
    numbers += [*session.get("deleted", []), *{*session.get("unresolved", [])}.difference(numbers)]
    for number in range(1, max([session["last_seq"], *numbers]) + 1):
        if numbers.count(number) != 1:
            wrong.append(f"number {number}: {'missing' if number not in numbers else 'extra'} roll")
    for roll in rolls:
        if roll["session"] != name:
            wrong.append(f"roll {roll['id']}: of another session")
            continue
        shown, faces = [die["value"] for die in roll["dice"]], [die["faces"] for die in roll["dice"]]
        if shown != (right := dice(seed, name, roll["seq"], roll["fairness"]["nonce"], faces)):
            wrong.append(f"roll {roll['id']}: {shown} must be {right}: changed die or swapped nonce")
        own = sum(die["role"] != "opponent" for die in roll["dice"])
        thrown = sum(map(int, re.findall(r"(\d+)d\d", (roll["odds"] or {}).get("formula") or "")))
        if own != thrown:
            wrong.append(f"roll {roll['id']}: {own} dice instead of {thrown}: missing or extra die")
    return wrong


if __name__ == "__main__":
    session = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    found = map(json.loads, Path(sys.argv[2]).read_text("utf-8").splitlines())
    rolls = [roll for each in found for roll in each.get("rolls", [each]) if roll["visibility"] == "public"]
    found = check(session, rolls)
    said = [f"{key}, it says: {session[key]}" for key in ("deleted", "unresolved") if session.get(key)]
    print("\n".join([*(found or [f"all {len(rolls)} public rolls are as they were thrown"]), *said]))
    sys.exit(1 if found else 0)
