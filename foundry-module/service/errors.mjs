/**
 * The service answered no (RFC 9457).
 */
export class ServiceProblem extends Error {
  /**
   * @param {number} status
   * @param {{type?: string, title?: string, detail?: string, errors?: Record<string, unknown>}} body
   * @param {number|null} [retryAfter]  Seconds.
   */
  constructor(status, body, retryAfter = null) {
    super(body.detail ?? body.title ?? String(status));
    this.name = "ServiceProblem";
    this.status = status;
    /** The kind of problem, "invalid"; empty where the answer was none of the service's own. */
    this.kind = body.type?.split("#").at(-1) ?? "";
    this.detail = body.detail ?? body.title ?? "";
    /** What is wrong with each field. */
    this.errors = body.errors ?? {};
    this.retryAfter = retryAfter;
  }
}

/**
 * No answer: the service is away, or the way to it is closed.
 */
export class Unreachable extends Error {
  /** @param {string} address @param {unknown} cause */
  constructor(address, cause) {
    super(`no answer from ${address}`, { cause });
    this.name = "Unreachable";
    this.address = address;
  }
}

/**
 * This browser holds no key for the campaign.
 */
export class NotPaired extends Error {
  constructor() {
    super("no key in this browser");
    this.name = "NotPaired";
  }
}
