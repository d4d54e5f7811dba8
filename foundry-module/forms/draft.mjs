import { outOfRange } from "./check.mjs";
import { entriesOf, paramsOf, readEntries } from "./entries.mjs";
import { moved, placeForNew } from "./pack.mjs";
import { SWAPS, shapeOf } from "./shape.mjs";

/**
 * @import { Entries, Field, Params } from "./description.mjs"
 * @import { Thing } from "./pack.mjs"
 */

const LETTERS = 80;

/** A sheet while somebody writes on it. */
export class SheetDraft {
  /**
   * @param {Field[]} fields
   * @param {Params} given
   */
  constructor(fields, given) {
    this.fields = fields;
    this.shape = shapeOf(fields);
    /** @type {Entries} */
    this.entries = entriesOf(fields, given);
    /** How many slots there are, once the service has said so. @type {number|undefined} */
    this.slots = undefined;
  }

  /** What is sent and kept. @returns {Params} */
  get params() {
    return paramsOf(this.shape.written, this.entries);
  }

  /** What is plainly out of its range, by path. */
  get slips() {
    return outOfRange(this.shape.written, this.entries);
  }

  /** The things that have a place. @returns {Thing[]} */
  get things() {
    return /** @type {Thing[]} */ (this.shape.pack ? this.rows(this.shape.pack.name) : []);
  }

  /** Hand swaps so far in this round. @returns {number} */
  get swaps() {
    return Number(this.entries[SWAPS] ?? 0);
  }

  /**
   * @param {string} list
   * @returns {Entries[]}
   */
  rows(list) {
    return /** @type {Entries[]} */ (this.entries[list] ?? []);
  }

  /**
   * Take over what stands in the controls; the things in their places are no controls.
   * @param {ReadonlyMap<string, string>} controls
   */
  read(controls) {
    const written = this.shape.written.filter((field) => field !== this.shape.pack);
    Object.assign(this.entries, readEntries(written, controls));
  }

  /**
   * @param {string} name
   * @returns {number|undefined}  The place of the new row; undefined where the list is full or unknown.
   */
  addRow(name) {
    const list = this.fields.find((field) => field.name === name);
    const rows = this.rows(name);
    if (!list || rows.length >= (list.most ?? Infinity)) return undefined;
    this.entries[name] = [...rows, entriesOf(list.fields ?? [])];
    return rows.length;
  }

  /**
   * @param {string} list
   * @param {number} row
   */
  removeRow(list, row) {
    this.entries[list] = this.rows(list).filter((_, at) => at !== row);
  }

  /**
   * @param {string} written
   * @returns {boolean}  False where there is nothing to add, or no place for it.
   */
  addThing(written) {
    const list = this.shape.pack;
    const name = written.trim().slice(0, LETTERS);
    if (!list || !name || this.things.length >= (list.most ?? Infinity)) return false;
    this.entries[list.name] = [...this.things, { name, place: placeForNew(list, this.things, this.slots) }];
    return true;
  }

  /** @param {number} index */
  removeThing(index) {
    if (this.shape.pack) this.removeRow(this.shape.pack.name, index);
  }

  /**
   * Move a thing; what a hand takes or lets go of counts as a swap of this round.
   * @param {number} index
   * @param {string} place
   * @param {number|null} onto   The thing it was dropped on.
   */
  move(index, place, onto) {
    const list = this.shape.pack;
    if (!list) return;
    const after = moved(list, this.things, index, place, { slots: this.slots, onto });
    this.entries[list.name] = after.things;
    const { swaps } = this.shape;
    if (after.swapped && swaps) this.entries[SWAPS] = Math.min(this.swaps + 1, swaps.maximum ?? Infinity);
  }

  /** A new round: the hands have swapped nothing yet. */
  newRound() {
    this.entries[SWAPS] = 0;
  }
}
