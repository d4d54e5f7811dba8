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
 * @property {Field[]} numbers   And whatever else is a field of its own.
 * @property {Track[]} tracks
 * @property {Field[]} tables    Lists of things with levels, such as skills.
 * @property {Field|null} pack   The list of things that have a place.
 */

const MAXIMUM = "_maximum";

/**
 * @param {readonly Field[]} fields
 * @returns {Shape}
 */
export function shapeOf(fields) {
  const named = new Map(fields.map((field) => [field.name, field]));
  const tracks = fields.flatMap((now) => {
    const most = named.get(now.name + MAXIMUM);
    return most ? [{ now, most }] : [];
  });
  const tracked = new Set(tracks.flatMap(({ now, most }) => [now, most]));
  const lists = fields.filter((field) => field.type === "list");
  const pack = lists.find((list) => placeOf(list) !== undefined) ?? null;
  return {
    numbers: fields.filter((field) => field.type !== "list" && !tracked.has(field)),
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
