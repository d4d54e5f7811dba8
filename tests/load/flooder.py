"""A table that floods, in a process of its own:  python -m tests.load.flooder PORT CAMPAIGN TOKEN SECONDS."""

import json
import sys
import threading
import time
from collections import Counter

from tests.load.http import Caller

CONNECTIONS = 10


def flood(port: int, campaign: str, token: str, seconds: float) -> Counter[str]:
    """Click as fast as answers come; return how many clicks came to what."""
    came: Counter[str] = Counter()
    until = time.monotonic() + seconds

    def click(name: str) -> None:
        caller = Caller(port, campaign, token)
        while time.monotonic() < until:
            try:
                caller.ask(caller.click(name))
                came["accepted"] += 1
            except RuntimeError as refused:
                came["limited" if "HTTP/1.1 429" in str(refused) else str(refused)[:80]] += 1
            except OSError as error:
                came[str(error)] += 1
                caller = Caller(port, campaign, token)

    threads = [threading.Thread(target=click, args=(f"flood-{n}",)) for n in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return came


if __name__ == "__main__":
    print(json.dumps(flood(int(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4]))))
