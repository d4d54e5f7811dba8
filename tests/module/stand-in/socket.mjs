import { pageParameters } from "./release.mjs";
import { randomID } from "./utils.mjs";

/** This tab's name towards the world server; two tabs of one user have two. */
export const tab = randomID();

/** @type {Map<string, ((event: object) => void)[]>} what the world server says, by kind */
const listeners = new Map();
/** @type {Map<string, Function[]>} what modules listen to on game.socket */
const channels = new Map();

/** Ask the world server for a change; rejects with the reason where it refuses. */
export async function ask(op, fields = {}) {
  const answer = await fetch("/world", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ op, tab, ...fields }),
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}

/** Act on what other tabs did. */
export function onWorldEvent(kind, listener) {
  if (!listeners.has(kind)) listeners.set(kind, []);
  listeners.get(kind).push(listener);
}

/** Join the world; resolves with its state as it is now. Later events come to the listeners in order. */
export function joinWorld() {
  const user = pageParameters.get("user") ?? "Gamemaster";
  const stream = new EventSource(`/events?${new URLSearchParams({ tab, user })}`);
  window.addEventListener("pagehide", () => navigator.sendBeacon("/leave", tab));
  return new Promise((resolve, reject) => {
    stream.addEventListener("error", () => reject(new Error(`The world server does not let ${user} in`)), { once: true });
    stream.addEventListener("message", ({ data }) => {
      const event = JSON.parse(data);
      if (event.kind === "hello") resolve(event.world);
      for (const listener of listeners.get(event.kind) ?? []) listener(event);
    });
  });
}

onWorldEvent("socket", ({ name, args }) => {
  for (const listener of channels.get(name) ?? []) listener(...args);
});

/** game.socket: what is emitted reaches every other tab, never the one that sent it. */
export const socket = {
  connected: true,
  on(name, listener) {
    if (!channels.has(name)) channels.set(name, []);
    channels.get(name).push(listener);
    return socket;
  },
  off(name, listener) {
    channels.set(name, (channels.get(name) ?? []).filter(known => known !== listener));
    return socket;
  },
  emit(name, ...args) {
    ask("socket", { name, args });
    return socket;
  },
};
