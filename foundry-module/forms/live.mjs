/** @import { Odds } from "../api.mjs" */

const LATER = 180;

/**
 * Asks for odds when somebody has stopped typing, and lets only the newest answer through.
 * @template Question
 */
export class LiveOdds {
  #newest = 0;
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  #waiting;
  #ask;
  #show;

  /**
   * @param {(question: Question) => Promise<Odds>} ask
   * @param {(answer: {odds: Odds}|{error: unknown}) => void} show
   */
  constructor(ask, show) {
    this.#ask = ask;
    this.#show = show;
  }

  /**
   * @param {Question} question
   * @param {number} [delay]  Milliseconds.
   */
  about(question, delay = LATER) {
    clearTimeout(this.#waiting);
    const turn = ++this.#newest;
    this.#waiting = setTimeout(() => {
      this.#ask(question).then(
        (odds) => turn === this.#newest && this.#show({ odds }),
        (/** @type {unknown} */ error) => turn === this.#newest && this.#show({ error }),
      );
    }, delay);
  }

  /** Ask no more; what is still on its way is not shown. */
  stop() {
    clearTimeout(this.#waiting);
    this.#newest += 1;
  }
}
