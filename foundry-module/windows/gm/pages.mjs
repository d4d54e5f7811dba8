/**
 * @import { RollRecord } from "../../api.mjs"
 * @typedef {{rolls: RollRecord[], next_cursor: string|null}} Page
 */

/** Pages that are read at a stretch: of 5,000 rolls each that were looked at. */
export const MOST_PAGES = 20;

/**
 * Read from page to page until one has rolls: where few fit, the service answers empty ones that lead on.
 * @param {(cursor: string|undefined) => Promise<Page>} read
 * @param {string} [cursor]
 * @returns {Promise<Page>}
 */
export async function readOn(read, cursor) {
  let page = await read(cursor);
  for (let pages = 1; pages < MOST_PAGES && !page.rolls.length && page.next_cursor; pages += 1) {
    page = await read(page.next_cursor);
  }
  return page;
}
