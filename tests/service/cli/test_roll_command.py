"""`tallybones roll` at a table: a service that answers what it is told to."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import CliRunner

from service.cli import main
from service.connect_code import ConnectCode, encode

ROLL = {"card": {"text": "Skill check\nGM\n✓ Success"}, "outcome": "success"}


@pytest.fixture
def table():
    """A service whose one campaign plays moon-hangs-low; it notes what was rolled there."""
    rolled = []

    class Service(BaseHTTPRequestHandler):
        def do_GET(self):
            self.answer({"ruleset": "moon-hangs-low"})

        def do_POST(self):
            rolled.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(ROLL)

        def answer(self, body):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield encode(ConnectCode(f"http://127.0.0.1:{server.server_port}", "a" * 10, "tbg_key")), rolled
        server.shutdown()


def roll(code, ruleset):
    return CliRunner().invoke(main, ["roll", ruleset, "skill-check", "stat=3", "dv=1", "--connect", code])


def test_a_roll_of_the_tables_rule_set_is_thrown_there(table):
    code, rolled = table
    answer = roll(code, "moon-hangs-low")
    assert (answer.exit_code, answer.output) == (0, ROLL["card"]["text"] + "\n")
    assert [one["params"] for one in rolled] == [{"stat": 3, "dv": 1}]


def test_a_roll_of_another_rule_set_is_not_thrown(table):
    code, rolled = table
    answer = roll(code, "fort-ref-will")
    assert answer.exit_code == 1 and not rolled
    assert "That table plays moon-hangs-low, not fort-ref-will." in answer.output
