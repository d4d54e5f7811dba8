import { observed } from "./observed.mjs";

/** ui.notifications: toasts at the top; every one is kept in `standIn.notifications` too. */
export class Notifications {
  #next = 1;

  constructor(element) { this.element = element; }

  notify(message, type = "info", { localize = false, format, permanent = false, escape = true, progress = false } = {}) {
    let text = message instanceof Error ? message.message : String(message);
    if (localize || format) text = format ? game.i18n.format(text, format) : game.i18n.localize(text);
    observed.notifications.push({ type, message: text });
    const toast = this.element.appendChild(Object.assign(document.createElement("li"), { className: `notification ${type}` }));
    const paragraph = toast.appendChild(document.createElement("p"));
    if (escape) paragraph.textContent = text;
    else paragraph.innerHTML = text;
    const notification = { id: this.#next++, type, message: text, element: toast, remove: () => toast.remove(), update: ({ message: next }) => { paragraph.textContent = next; } };
    toast.addEventListener("click", () => toast.remove());
    if (!permanent && !progress) setTimeout(() => toast.remove(), 5000);
    return notification;
  }

  info(message, options) { return this.notify(message, "info", options); }
  success(message, options) { return this.notify(message, "success", options); }
  warn(message, options) { return this.notify(message, "warning", options); }
  error(message, options) { return this.notify(message, "error", options); }
  remove(notification) { notification?.remove?.(); }
  clear() { this.element.replaceChildren(); }
}
