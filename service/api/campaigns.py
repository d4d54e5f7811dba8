"""Campaigns: made by the admin, kept by their GM."""

from typing import Any

from flask import Response

from rules import registry
from service.api.rulesets import load_house_rules
from service.auth import Who, caller
from service.bodies import json_answer
from service.calls import Calls
from service.exporting import export
from service.history_files import NDJSON, download
from service.presenting import iso_time
from service.problems import invalid, not_found
from service.schemas import tables
from service.services import services
from service.store import Campaign, UnknownCampaign

calls = Calls("campaigns", __name__, url_prefix="/v1/campaigns")


@calls.call("POST", "", who=Who.ADMIN, body=tables.NewCampaign, answers={201: tables.MadeCampaign})
def make_campaign(asked: dict[str, Any]) -> Response:
    """Make a campaign.

    The answer holds the GM key, which is shown this once.
    """
    try:
        ruleset = registry.get(asked["ruleset"])
    except registry.UnknownRuleSet as error:
        known = ", ".join(each.id for each in registry.all())
        raise invalid({"ruleset": [f"Must be one of: {known}."]}) from error
    house_rules = load_house_rules(ruleset, asked["house_rules"])
    campaign, gm_key = services().store.campaigns.create(asked["name"], ruleset.id, house_rules)
    made = {**_present(campaign), "gm_key": gm_key}
    return json_answer(made, 201, {"Location": f"/v1/campaigns/{campaign.id}"})


@calls.call("GET", "", who=Who.ADMIN, answers={200: tables.Campaigns})
def list_campaigns() -> Response:
    """List the campaigns, oldest first."""
    campaigns = services().store.campaigns.all()
    return json_answer({"campaigns": [_present(campaign) for campaign in campaigns], "next_cursor": None})


@calls.call("GET", "/<id:campaign>", who=Who.GM, answers={200: tables.Campaign})
def read_campaign(campaign: str) -> Response:
    """Read a campaign."""
    return json_answer(_present(_known(campaign)))


@calls.call(
    "PATCH", "/<id:campaign>", who=Who.GM, body=tables.CampaignChanges, answers={200: tables.Campaign}
)
def change_campaign(changes: dict[str, Any], campaign: str) -> Response:
    """Change a campaign's name, house rules or retention.

    House rules that are left out stay as they are. Rolls that were made keep the rules they were made under.
    With `retention_days` sessions are deleted for good so many days after their end; null keeps them.
    """
    house_rules = changes.get("house_rules")
    if house_rules is not None:
        known = _known(campaign)
        house_rules = load_house_rules(registry.get(known.ruleset), {**known.house_rules, **house_rules})
    try:
        days = (changes["retention_days"] or 0) if "retention_days" in changes else None
        changed = services().store.campaigns.update(campaign, changes.get("name"), house_rules, days)
    except UnknownCampaign as error:
        raise not_found("campaign") from error
    return json_answer(_present(changed))


@calls.call(
    "GET",
    "/<id:campaign>/export",
    who=Who.GM,
    answers={200: {"type": "string"}},
    media_type=NDJSON,
)
def export_campaign(campaign: str) -> Response:
    """Export the campaign as far as its GM may see it, a line of JSON at a time.

    Its ended sessions with their seeds and all rolls but other people's `self` rolls; no tokens, no addresses
    of webhooks. The last line is `{"end": …}`: without it the export broke off. Check it with
    `tallybones verify`, bring it back with `tallybones import`.
    """
    return download(
        export(services().store, _known(campaign), caller()), NDJSON, f"campaign-{campaign}.ndjson"
    )


@calls.call("DELETE", "/<id:campaign>", who=Who.OWNER, answers={204: None})
def delete_campaign(campaign: str) -> Response:
    """Delete a campaign for good, with its sessions, rolls, players, webhooks and reports.

    All its tokens stop working, and open streams end. Nothing of it can be brought back but from an export.
    """
    if not services().store.erasing.campaign(campaign):
        raise not_found("campaign")
    return Response(status=204)


def _known(campaign: str) -> Campaign:
    known = services().store.campaigns.get(campaign)
    if known is None:
        raise not_found("campaign")
    return known


def _present(campaign: Campaign) -> dict[str, Any]:
    return {
        "id": campaign.id,
        "name": campaign.name,
        "ruleset": campaign.ruleset,
        "house_rules": campaign.house_rules,
        "retention_days": campaign.retention_days,
        "created_at": iso_time(campaign.created_at),
    }
