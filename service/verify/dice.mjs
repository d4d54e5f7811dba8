/** The dice of a roll and the commitment of a session, worked out in this browser. */

import * as plain from "./sha256.mjs";

const text = new TextEncoder();
const subtle = globalThis.crypto?.subtle;

/** @returns {Promise<Uint8Array>} */
async function sha256(bytes) {
  return subtle ? new Uint8Array(await subtle.digest("SHA-256", bytes)) : plain.sha256(bytes);
}

/** @returns {Promise<(message: Uint8Array) => Promise<Uint8Array>>} HMAC-SHA256 under a key */
async function hmacUnder(key) {
  if (!subtle) return async (message) => plain.hmac(key, message);
  const imported = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (message) => new Uint8Array(await subtle.sign("HMAC", imported, message));
}

/** @returns {Uint8Array | null} the bytes of a seed, null where it is none */
export function seedBytes(hex) {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return null;
  return Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
}

/** @returns {Promise<boolean>} whether the seed is the one that the session committed to */
export async function keeps(session, seed, commitment) {
  const digest = await sha256(plain.joined(text.encode(`v1|${session}|`), seed));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === commitment;
}

/** Dice that follow from a seed. */
export class Dice {
  #hmac;

  constructor(seed) {
    this.#hmac = hmacUnder(seed);
  }

  /** @returns {Promise<number[]>} what dice of these faces show in roll number `seq` */
  async thrown(session, seq, nonce, faces) {
    const hmac = await this.#hmac;
    const shown = [];
    let words = [];
    for (let counter = 0; shown.length < faces.length;) {
      if (!words.length) {
        const block = await hmac(text.encode(`v1|${session}|${seq}|${nonce}|${counter}`));
        const view = new DataView(block.buffer, block.byteOffset, 32);
        words = Array.from({ length: 8 }, (_, place) => view.getUint32(4 * place));
        counter += 1;
      }
      const sides = faces[shown.length];
      const word = words.shift();
      if (word < Math.floor(2 ** 32 / sides) * sides) shown.push((word % sides) + 1);
    }
    return shown;
  }
}
