import { api } from "../api.mjs";
import { localize } from "../i18n.mjs";

/**
 * The status light: what it shows, in a word and in a sentence, so that colour is not needed.
 * @returns {{connection: string, text: string, hint: string}}
 */
export function light() {
  const { connection, revoked } = api.status();
  const name = revoked ? "revoked" : connection;
  return {
    connection: name,
    text: localize(`TALLYBONES.Light.${name}.text`),
    hint: localize(`TALLYBONES.Light.${name}.hint`),
  };
}
