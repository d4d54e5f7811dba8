"""Whether the service is up and can do its work."""

from datetime import UTC, datetime, timedelta

import pytest

from service.workers import QUEUES
from tests.service.table import staff
from worker.worker import TallybonesWorker


def test_the_process_is_up(app):
    assert app.test_client().get("/livez").json == {"status": "alive"}


def test_ready_with_a_worker_on_each_queue(app, valkey):
    staff(valkey)
    answer = app.test_client().get("/readyz")
    assert answer.status_code == 200
    assert answer.json == {"status": "ready", "workers": {"rolls": 1, "deliveries": 1, "reports": 1}}


@pytest.mark.parametrize("missing", QUEUES)
def test_a_queue_without_a_worker_is_named(app, valkey, missing):
    staff(valkey, queues=set(QUEUES) - {missing})
    answer = app.test_client().get("/readyz")
    assert answer.status_code == 503 and answer.mimetype == "application/problem+json"
    assert answer.json["missing"] == [f"worker on {missing}"] and missing in answer.json["detail"]
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_worker_that_is_not_heard_of_counts_as_gone(app, valkey):
    staff(valkey, heard=datetime.now(UTC) - timedelta(minutes=2))
    assert app.test_client().get("/readyz").status_code == 503


def test_a_worker_whose_entry_ran_out_counts_as_gone(app, valkey):
    staff(valkey)
    valkey.delete("rq:worker:rolls1")
    assert app.test_client().get("/readyz").json["missing"] == ["worker on rolls"]


def test_real_workers_are_seen(app, valkey):
    workers = [TallybonesWorker([queue], connection=valkey) for queue in QUEUES]
    for worker in workers:
        worker.register_birth()
    assert app.test_client().get("/readyz").status_code == 200
    workers[0].register_death()
    assert app.test_client().get("/readyz").json["missing"] == ["worker on rolls"]
