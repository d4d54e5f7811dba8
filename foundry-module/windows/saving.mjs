/** How long what is saved or opened is kept for the browser to take, in milliseconds. */
const KEPT = 60_000;

/**
 * Save something as a file.
 * @param {Blob} content
 * @param {string} name
 */
export function saveAs(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT);
}

/**
 * Open a page in a tab of its own. It would be of Foundry's own origin: nothing in it may run, or load anything.
 * @param {string} html
 */
export function openAlone(html) {
  const rules = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'";
  const guarded = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${rules}">${html}`;
  const address = URL.createObjectURL(new Blob([guarded], { type: "text/html;charset=utf-8" }));
  window.open(address, "_blank", "noopener");
  setTimeout(() => URL.revokeObjectURL(address), KEPT);
}
