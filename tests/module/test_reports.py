"""Reports with their plots: the GM's of the campaign, and players' own figures."""

from pathlib import Path

from tests.module.screens import Screen
from tests.module.tables import API, Table, roll
from tests.module.test_gm_window import GM, open_gm
from tests.module.test_roll_pad import barriers

FIGURES = "#tallybones-figures"
PLOT = "img => img.complete && img.naturalWidth > 100"


def make_report(screen: Screen, window: str) -> Screen:
    """Ask for a report as it stands, and wait until it is shown with all that is drawn in it."""
    screen.page.click(f"{window} [data-action=askReport]")
    screen.find(f"{window} .tallybones-report-whole").wait_for(timeout=40_000)
    for plot in screen.find(f"{window} .tallybones-plot img").all():
        assert plot.evaluate(f"async img => {{ await img.decode(); return ({PLOT})(img); }}")
    return screen


def test_the_gm_reads_saves_and_shows_a_report(table: Table, tmp_path: Path) -> None:
    gm, anna, ben = table.gm(), table.player("Anna"), table.player("Ben", theme="light")
    for number in range(6):
        roll(anna, label=f"Climb {number}")  # two alike at once would be a double click
        roll(ben, label=f"Swim {number}")
    roll(ben, label="Hidden", visibility="gm")
    open_gm(gm, "reports")
    gm.find(f"{GM} .tallybones-reports .tallybones-note").wait_for()
    assert barriers(gm, GM) == []
    gm.picture(f"gm-reports-{table.foundry.generation}-dark")
    make_report(gm, GM)
    assert gm.find(f"{GM} .tallybones-figures dd").first.inner_text() == "13"
    assert gm.find(f"{GM} .tallybones-plot figcaption p").first.inner_text()
    assert gm.find(f"{GM} tbody th:has-text('Ben')").count() >= 1
    gm.picture(f"gm-report-{table.foundry.generation}-dark", GM)
    assert barriers(gm, GM) == []
    for kind, inside in (("html", "How the dice fell"), ("csv", "Ben")):
        with gm.page.expect_download() as saved:
            gm.page.click(f"{GM} [data-action=saveReport][data-kind={kind}]")
        saved.value.save_as(tmp_path / f"report.{kind}")
        assert inside.lower() in (tmp_path / f"report.{kind}").read_text("utf-8").lower()
    with gm.page.expect_download() as saved:
        gm.page.click(f"{GM} [data-action=savePlot] >> nth=0")
    saved.value.save_as(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    with gm.page.context.expect_page() as opened:
        gm.page.click(f"{GM} [data-action=openReportPage]")
    opened.value.locator("h1").wait_for()
    opened.value.close()
    gm.page.click(f"{GM} [data-action=publishReport]")
    ben.find("#chat .tallybones-report").wait_for(timeout=40_000)
    gm.find(f"{GM} .tallybones-report-whole").wait_for()
    card = ben.find("#chat .tallybones-report").inner_text()
    assert "12 rolls" in card and "Public rolls only" in card
    assert len([each for each in table.messages if "report" in each["flags"].get("tallybones", {})]) == 1
    ben.picture(
        f"report-card-{table.foundry.generation}-light", "#chat .chat-message:has(.tallybones-report)"
    )
    assert gm.noise == anna.noise == ben.noise == []


def test_players_see_their_own_figures_and_nothing_of_others(table: Table) -> None:
    table.gm()
    anna, ben = table.player("Anna", theme="light"), table.player("Ben")
    for number in range(4):
        roll(anna, label=f"Climb {number}")
    roll(anna, label="Secretly", visibility="self")
    roll(ben, label="Whispered", visibility="gm")
    roll(ben, label="Swim")
    anna.page.click("#scene-controls [data-tool=tallybones]")
    anna.page.click("#tallybones-pad [data-action=openFigures]")
    anna.find(f"{FIGURES} [data-action=askReport]").wait_for()
    assert anna.find(f"{FIGURES} select[name=user]").count() == 0
    make_report(anna, FIGURES)
    assert anna.find(f"{FIGURES} .tallybones-figures dd").first.inner_text() == "5"
    shown = anna.find(f"{FIGURES} .tallybones-report-whole").inner_text()
    assert "Ben" not in shown and "Whispered" not in shown and "Swim" not in shown
    assert anna.find(f"{FIGURES} [data-action=publishReport]").count() == 0
    anna.picture(f"figures-{table.foundry.generation}-light", FIGURES)
    assert barriers(anna, FIGURES) == []
    assert len(ben.run(f"{API}.reports()")) == 0
    assert anna.noise == ben.noise == []
