const PREFIX = "tb1_";

/** @typedef {{url: string, campaign: string, key: string}} ConnectCode */

/**
 * What was pasted is no connect code; `reason` is a key of lang/*.json.
 */
export class NoConnectCode extends Error {
  /** @param {string} reason */
  constructor(reason) {
    super(reason);
    this.name = "NoConnectCode";
    this.reason = reason;
  }
}

/**
 * Read a connect code: `tb1_` and the base64url of `{url, campaign, key}`. Spaces and line breaks in it do not matter.
 * @param {string} text
 * @returns {ConnectCode}
 * @throws {NoConnectCode}
 */
export function parseCode(text) {
  const packed = text.replace(/\s+/g, "");
  if (!packed.startsWith(PREFIX)) throw new NoConnectCode("TALLYBONES.error.codePrefix"); // A connect code starts with tb1_.
  const read = unpacked(packed.slice(PREFIX.length));
  if (!read) throw new NoConnectCode("TALLYBONES.error.codeCut"); // The connect code is cut short or mistyped: copy the whole of it.
  return { ...read, url: read.url.replace(/\/+$/, "") };
}

/** @param {string} packed @returns {ConnectCode|null} */
function unpacked(packed) {
  try {
    const bytes = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
    const { url, campaign, key } = JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))));
    const whole = [url, campaign, key].every((part) => typeof part === "string" && part !== "");
    return whole && ["http:", "https:"].includes(new URL(url).protocol) ? { url, campaign, key } : null;
  } catch {
    return null; // not base64, not JSON, not an object, or no address in it
  }
}
