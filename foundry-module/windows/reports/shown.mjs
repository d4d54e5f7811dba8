import { format, localize } from "../../i18n.mjs";
import { moment } from "../gm/shown.mjs";

/**
 * What a report says, as its templates draw it.
 *
 * @import { Report, ReportListed, ReportLuck, ReportMoment, ReportRow } from "../../api.mjs"
 * @import { RuleSetDescription } from "../../forms/description.mjs"
 * @import { Option } from "../choices.mjs"
 */

/** The service's own sentences round a half to the even digit. */
const AS_THE_SERVICE = /** @type {const} */ ({ roundingMode: "halfEven" });

/**
 * @param {ReportListed} report
 * @param {RuleSetDescription|null} ruleset
 * @param {readonly Option[]} actors
 */
export function listedShown({ id, status, published, about, progress, created_at: created, error }, ruleset, actors) {
  const count = about.sessions?.length ?? 0;
  const parts = [
    about.user && (about.user === "gm" ? localize("TALLYBONES.Form.TheGM") : (game.users.get(about.user)?.name ?? about.user)),
    about.actor && (actors.find(({ value }) => value === about.actor)?.label ?? about.actor),
    about.action && (ruleset?.actions.find(({ name }) => name === about.action)?.title ?? about.action),
    count && format(count === 1 ? "TALLYBONES.Report.OneSession" : "TALLYBONES.Report.Sessions", { count }),
  ];
  const title = format("TALLYBONES.Report.Of", { date: moment(created) });
  return {
    id,
    title,
    showLabel: format("TALLYBONES.Report.ShowOne", { title }),
    deleteLabel: format("TALLYBONES.Report.DeleteOne", { title }),
    about: parts.filter(Boolean).join(" · ") || localize("TALLYBONES.Report.All"),
    published,
    done: status === "done",
    failed: status === "failed",
    error,
    percent: progress.percent,
    progressLabel: localize(`TALLYBONES.Report.Status.${status}`),
  };
}

/**
 * @param {Report} report
 * @param {ReadonlyMap<string, string>} drawings
 */
export function reportShown({ result, plots, published }, drawings) {
  if (!result) return {};
  const { total } = result;
  return {
    about: result.about.join(" · "),
    whose: result.whose,
    published,
    summary: result.summary,
    figures: total && [
      { label: localize("TALLYBONES.Report.Rolls"), value: number(total.rolls) },
      { label: localize("TALLYBONES.Report.Succeeded"), value: percent(total.rate) },
      { label: localize("TALLYBONES.Report.Expected"), value: percent(total.expected_rate) },
      { label: localize("TALLYBONES.Report.Luck"), value: luckShown(total.luck).z },
    ],
    plots: plots.map(({ name, title, text }) => ({
      name,
      title: localize(`TALLYBONES.Report.Plot.${name}`),
      saveLabel: format("TALLYBONES.Report.SavePlot", { title: localize(`TALLYBONES.Report.Plot.${name}`) }),
      alt: title,
      text,
      drawing: drawings.get(name),
    })),
    moments: [
      { title: localize("TALLYBONES.Report.Best"), list: result.best.map(momentShown) },
      { title: localize("TALLYBONES.Report.Worst"), list: result.worst.map(momentShown) },
    ].filter(({ list }) => list.length),
    tables: result.tables
      .filter(({ rows }) => rows.length)
      .map(({ name, rows, left_out: leftOut }) => ({
        name,
        title: localize(`TALLYBONES.Report.Table.${name}`),
        rows: rows.map(rowShown),
        leftOut: leftOut ? format("TALLYBONES.Report.LeftOut", { count: leftOut }) : "",
      })),
    notes: result.notes,
  };
}

/** @param {ReportRow} row */
function rowShown({ name, rolls, rate, expected_rate: expected, luck }) {
  return { name, rolls: number(rolls), rate: percent(rate), expected: percent(expected), ...luckShown(luck) };
}

/**
 * Luck as a number with its interval, what it rests on, and a verdict in words; none below the sample that the service asks for.
 * @param {ReportLuck|null} luck
 */
function luckShown(luck) {
  if (!luck) return { z: "–", interval: "", verdict: localize("TALLYBONES.Report.Verdict.none") };
  const [low = 0, high = 0] = luck.interval;
  return {
    z: signed(luck.z),
    interval: format("TALLYBONES.Report.Interval", { low: signed(low), high: signed(high), rolls: number(luck.rests_on) }),
    verdict: localize(`TALLYBONES.Report.Verdict.${luck.verdict ?? "early"}`),
  };
}

/** @param {ReportMoment} told */
function momentShown({ chance, by, what, outcome, session_name: session }) {
  return { chance: percent(chance.probability, 1), by, what, outcome: outcome && localize(`TALLYBONES.Outcome.${outcome}`), session };
}

/** @param {number} value */
function number(value) {
  return new Intl.NumberFormat(game.i18n.lang).format(value);
}

/** @param {number} value @param {number} [digits] */
function percent(value, digits = 0) {
  return new Intl.NumberFormat(game.i18n.lang, { style: "percent", maximumFractionDigits: digits, ...AS_THE_SERVICE }).format(value);
}

/** @param {number} value */
function signed(value) {
  const written = new Intl.NumberFormat(game.i18n.lang, { signDisplay: "exceptZero", minimumFractionDigits: 1, maximumFractionDigits: 1, ...AS_THE_SERVICE });
  return written.format(value).replace("-", "−");
}
