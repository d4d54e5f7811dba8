import { placeOf } from "./shape.mjs";

/**
 * Things in their places. Which places there are comes from the sheet's description, how many slots from the
 * service's answer: a place holds one thing, the pack what is left of the slots, and "over" any number.
 *
 * @import { Choice, Field } from "./description.mjs"
 *
 * @typedef {object} Thing
 * @property {string} name
 * @property {string} place
 *
 * @typedef {object} Slot
 * @property {string} place
 * @property {number|null} thing    The place of the thing in the list, null for a free slot.
 * @property {string} name
 * @property {boolean} taken        By what has no place of its own: stress, trinkets, other bulky things.
 *
 * @typedef {object} Place
 * @property {string} place
 * @property {string} label
 * @property {boolean} many
 * @property {boolean} over
 * @property {Slot[]} slots
 */

const PACK = "pack";
const OVER = "over";
const HANDS = /-hand$/;

/**
 * @param {Field} list
 * @returns {Choice[]}
 */
function placesOf(list) {
  return placeOf(list)?.choices ?? [];
}

/**
 * How many things go into a place.
 * @param {Field} list
 * @param {string} place
 * @param {number|undefined} slots  All slots there are; unknown while the service is away.
 * @returns {number}
 */
export function roomIn(list, place, slots) {
  if (place === OVER || (place === PACK && slots === undefined)) return Infinity;
  if (place !== PACK) return 1;
  return (slots ?? 0) - placesOf(list).filter(({ value }) => value !== PACK && value !== OVER).length;
}

/**
 * Lay the things out.
 * @param {Field} list
 * @param {readonly Thing[]} things
 * @param {{slots?: number|undefined, used?: number|undefined}} known
 * @returns {Place[]}
 */
export function placesWith(list, things, { slots, used }) {
  let homeless = Math.max(0, (used ?? 0) - things.length);
  return placesOf(list).map(({ value, label }) => {
    const place = String(value);
    const here = things.flatMap((thing, index) => (thing.place === place ? [slot(place, index, thing.name)] : []));
    const room = roomIn(list, place, slots);
    const free = Number.isFinite(room) ? Math.max(0, room - here.length) : 1;
    const drawn = [...here, ...Array.from({ length: free }, () => slot(place, null, ""))];
    if (place === PACK) {
      for (const one of [...drawn].reverse()) {
        if (one.thing === null && homeless > 0) {
          one.taken = true;
          homeless -= 1;
        }
      }
    }
    return { place, label, many: place === PACK || place === OVER, over: place === OVER, slots: drawn };
  });
}

/**
 * @param {string} place
 * @param {number|null} thing
 * @param {string} name
 * @returns {Slot}
 */
function slot(place, thing, name) {
  return { place, thing, name, taken: false };
}

/**
 * Move a thing. Where there is no room, it changes places with what lies there.
 * @template {Thing} T
 * @param {Field} list
 * @param {readonly T[]} things
 * @param {number} index
 * @param {string} place
 * @param {{slots?: number|undefined, onto?: number|null}} [known]  `onto`: the thing it was dropped on.
 * @returns {{things: T[], swapped: boolean}}  `swapped`: a hand took or let go of something.
 */
export function moved(list, things, index, place, { slots, onto = null } = {}) {
  const thing = things[index];
  if (!thing || thing.place === place) return { things: [...things], swapped: false };
  const there = things.flatMap((one, at) => (one.place === place ? [at] : []));
  const full = there.length >= roomIn(list, place, slots);
  const other = full ? (onto !== null && there.includes(onto) ? onto : there.at(-1)) : undefined;
  const after = things.map((one, at) => {
    if (at === index) return { ...one, place };
    return at === other ? { ...one, place: thing.place } : one;
  });
  return { things: after, swapped: HANDS.test(place) !== HANDS.test(thing.place) };
}

/**
 * Where a new thing goes: into the pack while there is room.
 * @param {Field} list
 * @param {readonly Thing[]} things
 * @param {number|undefined} slots
 * @returns {string}
 */
export function placeForNew(list, things, slots) {
  const inPack = things.filter((thing) => thing.place === PACK).length;
  return inPack < roomIn(list, PACK, slots) ? PACK : OVER;
}
