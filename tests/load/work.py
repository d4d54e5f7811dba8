"""The worker of one contender:  python -m tests.load.work NAME  with REDIS_URL set."""

import sys

from tests.load.contenders import CONTENDERS

CONTENDERS[sys.argv[1]][1]()
