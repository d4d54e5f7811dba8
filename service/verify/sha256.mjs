/** SHA-256 (FIPS 180-4) in plain JavaScript: browsers hide `crypto.subtle` from pages on http. */

/** The first 32 bits of the fractional part of a prime's root. */
const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;

const PRIMES = [];
for (let number = 2; PRIMES.length < 64; number += 1) {
  if (PRIMES.every((prime) => number % prime)) PRIMES.push(number);
}
const ROUNDS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** Mix one block of 64 bytes into the eight words of `state`. */
function mix(state, view, offset) {
  const words = new Int32Array(64);
  for (let place = 0; place < 16; place += 1) words[place] = view.getInt32(offset + 4 * place);
  for (let place = 16; place < 64; place += 1) {
    const late = words[place - 2];
    const early = words[place - 15];
    words[place] = words[place - 16] + words[place - 7]
      + (turned(early, 7) ^ turned(early, 18) ^ (early >>> 3))
      + (turned(late, 17) ^ turned(late, 19) ^ (late >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let place = 0; place < 64; place += 1) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g))
      + ROUNDS[place] + words[place]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, place) => {
    state[place] = (state[place] + word) | 0;
  });
}

/**
 * @param {Uint8Array} bytes
 * @returns {Uint8Array} the 32 bytes of its SHA-256
 */
export function sha256(bytes) {
  const padded = new Uint8Array((bytes.length + 9 + 63) & ~63);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length << 3);
  const state = [...START];
  for (let offset = 0; offset < padded.length; offset += 64) mix(state, view, offset);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, place) => digest.setInt32(4 * place, word));
  return new Uint8Array(digest.buffer);
}

/**
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @returns {Uint8Array} HMAC-SHA256 (RFC 2104)
 */
export function hmac(key, message) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(joined(block.map((byte) => byte ^ 0x36), message));
  return sha256(joined(block.map((byte) => byte ^ 0x5c), inner));
}

/** @returns {Uint8Array} one after the other */
export function joined(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
