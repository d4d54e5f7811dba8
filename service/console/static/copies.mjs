/** A button beside each thing to copy, where the browser lets a page copy. */
export function offerCopies() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const field = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(field.value);
        button.textContent = "Copied";
      } catch {
        field.select(); // It may not: the reader copies what is selected.
      }
    });
  }
}
