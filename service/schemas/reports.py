"""Reports: what is asked for, and what comes of it."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from service.report_view import PLOTS
from service.schemas.fields import ACTOR_ID, ID, RULE_SET, GivenName, Moment, Strict, identifier, user_id

STATUSES = ("queued", "working", "done", "failed")
VERDICTS = ("within", "above", "below")
MOST_SESSIONS = 500


class ReportWish(Strict):
    """Which rolls a report is about: those that match all that is given; nothing given is every roll."""

    sessions = fields.List(
        identifier(ID, "Must be the id of a session."),
        validate=validate.Length(1, MOST_SESSIONS),
        metadata={"description": "Sessions by id.", "uniqueItems": False},
    )
    user = user_id()
    actor = identifier(ACTOR_ID, "Must be the id of an actor.")
    action = identifier(RULE_SET, "Must be the name of an action.")
    skill = GivenName(metadata={"description": "The label of a roll, whatever its case."})
    since = Moment(metadata={"description": "Rolls made at this moment or later."})
    until = Moment(metadata={"description": "Rolls made before this moment."})


class NewReport(ReportWish):
    """A report to make."""

    publish = fields.Boolean(
        truthy={True},
        falsy={False},
        load_default=False,
        metadata={"description": "For everybody at the table: of public rolls only. The GM alone publishes."},
    )

    @validates_schema
    def _some_time(self, wish: dict[str, Any], **_: Any) -> None:
        if "since" in wish and "until" in wish and wish["since"] >= wish["until"]:
            raise ValidationError("Must be later than since.", "until")


class ReportAbout(Strict):
    """What a report was asked to be about; null where anything goes."""

    sessions = fields.List(fields.String(), required=True, allow_none=True)
    user = fields.String(required=True, allow_none=True)
    actor = fields.String(required=True, allow_none=True)
    action = fields.String(required=True, allow_none=True)
    skill = fields.String(required=True, allow_none=True)
    since = fields.String(required=True, allow_none=True)
    until = fields.String(required=True, allow_none=True)


class ReportProgress(Strict):
    """How far a report is."""

    percent = fields.Integer(required=True, validate=validate.Range(0, 100))
    step = fields.String(required=True)


class ReportCard(Strict):
    """What the table is shown of a report: as text, and as HTML that is safe to insert."""

    title = fields.String(required=True)
    text = fields.String(required=True)
    html = fields.String(required=True)
    colour = fields.String(required=True)


class ReportPlot(Strict):
    """A plot: what it shows in words, and where its drawings are."""

    name = fields.String(required=True, validate=validate.OneOf(PLOTS))
    title = fields.String(required=True)
    text = fields.String(required=True)
    png = fields.String(required=True)
    svg = fields.String(required=True)


class ReportLuck(Strict):
    """Luck as a z-score; no verdict below the least sample."""

    z = fields.Float(required=True)
    interval = fields.List(fields.Float(), required=True, metadata={"description": "Of z, 95 %."})
    rests_on = fields.Integer(required=True, metadata={"description": "Rolls that could go either way."})
    usual_rate = fields.List(
        fields.Float(), required=True, metadata={"description": "Where luck alone leaves the rate, 95 %."}
    )
    verdict = fields.String(required=True, allow_none=True, validate=validate.OneOf(VERDICTS))


class ReportExact(Strict):
    """A sum of exact chances, and the same as a number."""

    fraction = fields.String(required=True)
    number = fields.Float(required=True)


class ReportRow(Strict):
    """The rolls of one player, character, action, skill or session, or all of them."""

    key = fields.String(required=True)
    name = fields.String(required=True)
    rolls = fields.Integer(required=True)
    successes = fields.Integer(required=True)
    rate = fields.Float(required=True)
    expected_rate = fields.Float(required=True)
    expected = fields.Nested(ReportExact, required=True)
    variance = fields.Nested(ReportExact, required=True)
    luck = fields.Nested(ReportLuck, required=True, allow_none=True)
    says = fields.String(required=True)
    criticals = fields.Dict(keys=fields.String(), values=fields.Float(), required=True)
    margins = fields.Dict(
        keys=fields.String(), values=fields.Float(allow_none=True), required=True, allow_none=True
    )
    streaks = fields.Dict(keys=fields.String(), values=fields.Integer(), required=True, allow_none=True)


class ReportSoFar(Strict):
    """All rolls up to the end of a session."""

    key = fields.String(required=True)
    name = fields.String(required=True)
    rolls = fields.Integer(required=True)
    rate = fields.Float(required=True)
    expected_rate = fields.Float(required=True)
    luck = fields.Nested(ReportLuck, required=True, allow_none=True)


class ReportTable(Strict):
    """Rows of one kind."""

    name = fields.String(required=True)
    title = fields.String(required=True)
    column = fields.String(required=True)
    rows = fields.List(fields.Nested(ReportRow), required=True)
    left_out = fields.Integer(required=True)


class ReportDice(Strict):
    """How the dice of one size fell, with a chi-square test where there are enough."""

    faces = fields.Integer(required=True)
    thrown = fields.Integer(required=True)
    counts = fields.List(fields.Integer(), required=True)
    roles = fields.Dict(keys=fields.String(), values=fields.List(fields.Integer()), required=True)
    chi_square = fields.Float(required=True, allow_none=True)
    degrees = fields.Integer(required=True)
    p = fields.Float(required=True, allow_none=True)
    says = fields.String(required=True)


class ReportResult(Strict):
    """All that a report says."""

    campaign = fields.String(required=True)
    made_at = fields.String(required=True)
    about = fields.List(fields.String(), required=True)
    whose = fields.String(required=True)
    summary = fields.String(required=True)
    least_sample = fields.Integer(required=True)
    least_spread = fields.Float(required=True)
    sessions_read = fields.List(fields.Dict(), required=True)
    total = fields.Nested(ReportRow, required=True, allow_none=True)
    tables = fields.List(fields.Nested(ReportTable), required=True)
    so_far = fields.List(fields.Nested(ReportSoFar), required=True)
    dice = fields.List(fields.Nested(ReportDice), required=True)
    best = fields.List(fields.Dict(), required=True)
    worst = fields.List(fields.Dict(), required=True)
    notes = fields.List(fields.String(), required=True)


class ReportListed(Strict):
    """A report, without what it says."""

    id = identifier(ID, "", required=True)
    user = fields.String(required=True)
    published = fields.Boolean(required=True)
    about = fields.Nested(ReportAbout, required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    progress = fields.Nested(ReportProgress, required=True)
    created_at = fields.String(required=True, metadata={"format": "date-time"})
    finished_at = fields.String(required=True, allow_none=True, metadata={"format": "date-time"})
    error = fields.String(required=True, allow_none=True)
    card = fields.Nested(ReportCard, required=True, allow_none=True)


class Report(ReportListed):
    """A report; `result` and `plots` are there once it is done."""

    result = fields.Nested(ReportResult, required=True, allow_none=True)
    plots = fields.List(fields.Nested(ReportPlot), required=True)


class Reports(Strict):
    """The reports that the caller may read, newest first."""

    reports = fields.List(fields.Nested(ReportListed), required=True)
    next_cursor = fields.String(required=True, allow_none=True)


class PlotQuery(Strict):
    """Which plot."""

    plot = fields.String(
        validate=validate.OneOf(PLOTS), load_default=PLOTS[0], metadata={"description": "A plot by name."}
    )
