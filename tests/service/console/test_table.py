"""The live table and the sessions."""

from rules.fairness import commitment
from tests.service.console.browser import Console
from tests.service.table import set_table


def test_before_the_first_roll_the_table_says_what_to_do(console):
    page = console.get("/")
    assert "No session is open" in page.text and "No dice have been thrown yet" in page.text
    assert (
        page.links[
            "Skill check Throw the pool, count successes, take away what the penalty dice cancel, "
            "and reach the DV."
        ]
        == "/console/roll/skill-check"
    )


def test_a_session_is_started_and_shows_its_commitment(console, table):
    page = console.send("/", "/console/sessions", title="The broken bridge")
    (session,) = table.get("/sessions").json["sessions"]
    assert "The session is open." in page.text
    assert "The broken bridge" in page.texts("h2")[0] and "0 rolls" in page.text
    assert session["commitment"] in page.text and session["hidden_commitment"] in page.text


def test_a_second_session_is_refused_in_words(console, table):
    form = console.get("/").form("/console/sessions")
    table.post("/sessions", {"title": "From Foundry"})
    answer = console.client.post(form.action, data=form.filled())
    page = console.get(answer.headers["Location"])
    assert "A session is open already" in page.text and "From Foundry" in page.text


def test_a_title_that_will_not_do_is_said_at_its_field(console):
    page = console.send("/", "/console/sessions", status=422, title="<b>bold</b>")
    assert page.heading == "Start a session"
    assert page.form("/console/sessions").invalid == ["title"] and "without HTML tags" in page.text
    assert page.form("/console/sessions").sends["title"] == ["<b>bold</b>"]


def test_ending_is_asked_about_and_reveals_the_seeds(console, table):
    roll = table.rolled(table.tokens["anna"])
    session = roll["session"]
    question = console.get(console.get("/").links["End the session"])
    assert question.heading == "End the session?" and "with 1 roll." in question.text
    assert table.get(f"/sessions/{session}").json["ended_at"] is None
    page = console.send(f"/console/sessions/{session}/end")
    ended = table.get(f"/sessions/{session}").json
    assert ended["seed"] in page.text and ended["hidden_seed"] in page.text
    assert commitment(session, bytes.fromhex(ended["seed"])) in page.text
    assert "has ended already" in console.get(f"/console/sessions/{session}/end").text


def test_sessions_are_listed_a_page_at_a_time(console, table, monkeypatch):
    monkeypatch.setattr("service.console.sessions.PAGE", 2)
    for number in range(3):
        session = table.post("/sessions", {"title": f"Evening {number}"}).json
        table.post(f"/sessions/{session['id']}/end", None)
    first = console.get("/console/sessions")
    assert first.texts("h2") == ["Evening 2", "Evening 1"]
    assert console.get(first.links["Older sessions"]).texts("h2") == ["Evening 0"]


def test_the_table_shows_what_the_gm_may_see_and_no_more(console, table):
    anna = table.tokens["anna"]
    for visibility in ("public", "gm", "blind", "self"):
        table.rolled(anna, label=f"as {visibility}", visibility=visibility)
    table.rolled(label="my own", visibility="self")
    for path in ("/", "/console/history", "/console/roll/skill-check"):
        page = console.get(path)
        assert "as self" not in page.html
        assert "my own" in page.html and "as blind" in page.html and "as gm" in page.html
    assert "4 rolls" in console.get("/console/sessions").text
    (hidden,) = [roll for roll in table.get("/rolls", anna).json["rolls"] if roll["visibility"] == "self"]
    console.get(f"/console/rolls/{hidden['id']}", 404)
    console.get(f"/console/rolls/{hidden['id']}/answer", 404)
    form = console.get(f"/console/roll/skill-check?like={hidden['id']}").form("/console/roll/skill-check")
    assert form.sends["label"] == [""]


def test_a_challenge_waits_on_the_table_and_is_answered(heroes):
    table = heroes.table
    opposed = {
        "action": "opposed-test",
        "params": {"skill": 5, "opponent": {"kind": "player", "user": "bert"}},
    }
    challenge = table.roll(table.tokens["anna"], opposed, Prefer="wait=5").json
    page = heroes.get("/")
    assert "Bert is asked to roll against this" in page.text
    path = page.links["Answer this"]
    assert path == f"/console/rolls/{challenge['id']}/answer"
    form = heroes.get(path)
    assert "in Bert’s place" in form.text
    wrong = heroes.send(path, status=422, params_skill="77")
    assert "from 0 to 50" in wrong.text and wrong.form(path).sends["params.skill"] == ["77"]
    done = heroes.send(path, params_skill="4")
    assert "Answered." in done.text
    assert table.get(f"/rolls/{challenge['id']}").json["status"] == "resolved"
    assert "Waiting for an answer" not in heroes.get("/").texts("strong")
    leads_to = heroes.client.get(path).headers["Location"]  # it is answered
    assert heroes.get(leads_to).heading == "One roll"


def test_ending_says_how_many_challenges_it_closes(heroes):
    table = heroes.table
    opposed = {
        "action": "opposed-test",
        "params": {"skill": 5, "opponent": {"kind": "player", "user": "bert"}},
    }
    challenge = table.roll(table.tokens["anna"], opposed, Prefer="wait=5").json
    page = heroes.get(f"/console/sessions/{challenge['session']}/end")
    assert "1 challenge that waits for an answer is closed unanswered" in page.text


def test_another_campaigns_rolls_and_sessions_are_not_there(console, app, settings):
    other = set_table(app, settings)
    roll = other.rolled()
    for path in (f"/console/rolls/{roll['id']}", f"/console/sessions/{roll['session']}/end"):
        assert console.get(path, 404).heading == "There is nothing here"
    Console(other).sign_in().get(f"/console/rolls/{roll['id']}")
