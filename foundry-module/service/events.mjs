/** @typedef {{id: string, event: string, data: string}} ServerEvent */

/**
 * Reads Server-Sent Events from pieces of text as they come (HTML standard, 9.2.6).
 */
export class EventReader {
  #rest = "";
  #id = "";
  #event = "";
  /** @type {string[]} */
  #data = [];

  /**
   * Take the next piece; return the events that it completes.
   * @param {string} piece
   * @returns {ServerEvent[]}
   */
  push(piece) {
    // A line may end in CR, LF or both; a CR at the end waits for what follows.
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => this.#line(line));
  }

  /** @param {string} line @returns {ServerEvent[]} */
  #line(line) {
    if (line === "") return this.#dispatch();
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line) ?? ["", "", ""];
    if (name === "data") this.#data.push(value ?? "");
    else if (name === "event") this.#event = value ?? "";
    else if (name === "id" && !value?.includes("\0")) this.#id = value ?? "";
    return [];
  }

  /** @returns {ServerEvent[]} */
  #dispatch() {
    const data = this.#data;
    const event = this.#event || "message";
    this.#data = [];
    this.#event = "";
    return data.length ? [{ id: this.#id, event, data: data.join("\n") }] : [];
  }
}
