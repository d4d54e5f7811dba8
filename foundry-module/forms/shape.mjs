/**
 * How the fields of a sheet belong together, read off their description: no rule set is known by name here.
 *
 * @import { Field } from "./description.mjs"
 *
 * @typedef {object} Track   A count and its maximum, such as `wounds` and `wounds_maximum`.
 * @property {Field} now
 * @property {Field} most
 *
 * @typedef {object} Shape
 * @property {Field[]} written   All fields that a player writes on a sheet.
 * @property {Field[]} numbers   Those that stand alone: what has no explanation is a character's own, and comes first.
 * @property {Field|null} swaps  The count of hand swaps, which belongs to the pack.
 * @property {Track[]} tracks
 * @property {Field[]} tables    Lists of things with levels, such as skills.
 * @property {Field|null} pack   The list of things that have a place.
 */

const MAXIMUM = "_maximum";

/** What is no matter of one character's: the campaign's clock, which here is Foundry's world time. */
const CLOCK = new Set(["elapsed", "passing", "unit"]);

/** The field that counts what a hand took or let go of in this round. */
export const SWAPS = "swaps";

/**
 * @param {readonly Field[]} fields
 * @returns {Shape}
 */
export function shapeOf(fields) {
  const written = fields.filter((field) => !CLOCK.has(field.name));
  const named = new Map(written.map((field) => [field.name, field]));
  const tracks = written.flatMap((now) => {
    const most = named.get(now.name + MAXIMUM);
    return most ? [{ now, most }] : [];
  });
  const tracked = new Set(tracks.flatMap(({ now, most }) => [now, most]));
  const lists = written.filter((field) => field.type === "list");
  const pack = lists.find((list) => placeOf(list) !== undefined) ?? null;
  const alone = written.filter((field) => field.type !== "list" && !tracked.has(field) && field.name !== SWAPS);
  return {
    written,
    numbers: [...alone.filter((field) => !field.help), ...alone.filter((field) => field.help)],
    swaps: named.get(SWAPS) ?? null,
    tracks,
    tables: lists.filter((list) => list !== pack),
    pack,
  };
}

/**
 * The field of a list's rows that says where a thing is.
 * @param {Field} list
 * @returns {Field|undefined}
 */
export function placeOf(list) {
  return list.fields?.find((field) => field.name === "place" && field.type === "choice");
}
