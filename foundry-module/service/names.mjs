/** The most characters that the service takes as a name or a label. */
const LONGEST = 80;

/**
 * A name as the service takes it: 1 to 80 characters without control characters and HTML tags. What looks like a tag
 * gets another bracket: it reads the same, and no name keeps its owner from rolling.
 * @param {string} name
 * @returns {string}
 */
export function serviceName(name) {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/<(?=[A-Za-z/!?])/g, "‹")
    .trim();
  return [...plain].slice(0, LONGEST).join("").trim() || "?";
}
