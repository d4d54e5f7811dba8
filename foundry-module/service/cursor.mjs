import { placeOf, read, write } from "../settings/client.mjs";

/**
 * Where the stream was left. It moves past an event when that event, and all before it, are dealt with: so what a
 * closed tab had begun, the next one begins again.
 */
export class Cursor {
  #place = placeOf("cursor");
  /** Events in the order in which they came, dealt with or not. @type {Array<{id: string, done: boolean}>} */
  #events = [];

  /** The id of the last event that was dealt with, by this tab or another; empty at the very beginning. @returns {string} */
  get id() {
    return read(this.#place) ?? "";
  }

  /**
   * Deal with an event. Where the work is broken off (`AbortError`), the event is not dealt with, and comes again.
   * @param {string} id
   * @param {Promise<unknown>} work
   * @returns {Promise<void>}
   */
  async pass(id, work) {
    const event = { id, done: false };
    this.#events.push(event);
    try {
      await work;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") return;
      event.done = true; // else a fault of ours would bring it again for ever
      this.#move();
      throw error;
    }
    event.done = true;
    this.#move();
  }

  #move() {
    const open = this.#events.findIndex((event) => !event.done);
    const passed = this.#events.splice(0, open < 0 ? this.#events.length : open);
    const last = passed.at(-1);
    if (last?.id && isLater(last.id, this.id)) write(this.#place, last.id);
  }
}

/**
 * Whether a stream id, "milliseconds-place", is later than another.
 * @param {string} one
 * @param {string} other
 * @returns {boolean}
 */
export function isLater(one, other) {
  const [ms = 0, place = 0] = one.split("-").map(Number);
  const [otherMs = -1, otherPlace = 0] = other ? other.split("-").map(Number) : [];
  return ms > otherMs || (ms === otherMs && place > otherPlace);
}
