/**
 * The messages of a refused request, by the path of the field they are about.
 * @param {unknown} errors   As the service nests them.
 * @param {string} [prefix]
 * @param {Map<string, string[]>} [found]
 * @returns {Map<string, string[]>}
 */
export function errorsByPath(errors, prefix = "", found = new Map()) {
  if (Array.isArray(errors)) {
    if (prefix) found.set(prefix.slice(0, -1), errors.map(String));
  } else if (typeof errors === "object" && errors !== null) {
    for (const [name, below] of Object.entries(errors)) errorsByPath(below, `${prefix}${name}.`, found);
  }
  return found;
}

/**
 * Show each message at its field, and take away those that no longer hold. The fields are not drawn anew, so
 * that nobody's typing is interrupted.
 * @param {HTMLElement} form
 * @param {ReadonlyMap<string, string[]>} errors
 * @returns {string[]}  The messages that have no field on this form.
 */
export function markErrors(form, errors) {
  const homeless = new Map(errors);
  for (const field of form.querySelectorAll("[data-error-path]")) {
    const path = field.getAttribute("data-error-path") ?? "";
    const inUse = field.closest("[hidden]") === null;
    const sentences = inUse ? (errors.get(path) ?? []) : [];
    const note = field.querySelector(":scope > .tallybones-error");
    const text = sentences.join(" ");
    if (note && note.textContent !== text) note.textContent = text;
    field.classList.toggle("tallybones-invalid", sentences.length > 0);
    for (const control of field.querySelectorAll("input, select")) {
      if (control.closest("[data-error-path]") === field) {
        control.setAttribute("aria-invalid", String(sentences.length > 0));
      }
    }
    if (inUse) homeless.delete(path);
  }
  return [...homeless.values()].flat();
}
