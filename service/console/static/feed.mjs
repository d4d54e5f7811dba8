/** The table as it goes on: cards that come, challenges that wait, sessions that begin and end. */
import { showOwnTimes } from "./times.mjs";

const MOST_CARDS = 60;
const QUIET_BEFORE_WORRY = 4000; // ms
const SOON = 400; // ms

export function followTable() {
  const feed = document.getElementById("feed");
  if (!feed) return;
  const stream = new EventSource(feed.dataset.stream);
  stream.addEventListener("roll", (event) => showRoll(feed, JSON.parse(event.data)));
  stream.addEventListener("session", (event) => showSession(JSON.parse(event.data)));
  watchConnection(stream);
}

/** @param {HTMLElement} feed */
function showRoll(feed, roll) {
  const entry = entryOf(roll);
  const shown = feed.querySelector(`[data-roll="${roll.id}"]`);
  shown?.remove();
  feed.prepend(entry);
  entry.classList.add("new");
  document.getElementById("feed-empty").hidden = true;
  while (feed.children.length > MOST_CARDS) feed.lastElementChild.remove();
  document.getElementById("feed-news").textContent = `${roll.card.by}: ${roll.card.title}. ${roll.card.result}`;
  showWaiting(roll);
  if (roll.status === "resolved") readSoon({ head: false });
}

/** The server escaped all that stands in a card's HTML; no script stands in it, and none would run. */
function entryOf(roll) {
  const entry = document.getElementById("feed-entry").content.firstElementChild.cloneNode(true);
  entry.dataset.roll = roll.id;
  entry.dataset.status = roll.status;
  entry.querySelector("time").dateTime = roll.resolved_at ?? roll.created_at;
  entry.querySelector(".entry-card").innerHTML = roll.card.html;
  linkAnswer(entry.querySelector(".entry-answer a"), roll.id);
  entry.querySelector(".entry-answer").hidden = roll.status !== "awaiting";
  showOwnTimes(entry);
  return entry;
}

/** @param {HTMLAnchorElement} link */
function linkAnswer(link, id) {
  link.href = link.getAttribute("href").replace(/rolls\/[^/]+\//, `rolls/${id}/`);
}

/** Keep the list of challenges that wait, on pages that show it. */
function showWaiting(roll) {
  const box = document.getElementById("waiting");
  if (!box) return;
  const list = box.querySelector("ul");
  list.querySelector(`[data-roll="${roll.id}"]`)?.remove();
  if (roll.status === "awaiting") {
    const item = document.createElement("li");
    item.dataset.roll = roll.id;
    const words = document.createElement("p");
    words.textContent = `${roll.card.by}: ${roll.card.title}. ${roll.card.result}`;
    const link = document.getElementById("feed-entry").content.querySelector(".entry-answer a").cloneNode(true);
    linkAnswer(link, roll.id);
    item.append(words, link);
    list.append(item);
  }
  box.hidden = list.children.length === 0;
}

/** Whether all of the table's head is to be read again, and not its count alone. */
let whole = false;
let timer;
let reading = Promise.resolve();

/**
 * Read the head of the table again, soon and once for all that comes till then. The server counts: a roll that its answer
 * counts already may come here before or after that.
 */
function readSoon({ head }) {
  if (!document.querySelector(".now")) return;
  whole ||= head;
  timer ??= setTimeout(() => {
    timer = undefined;
    reading = reading.then(readAgain).catch((error) => console.warn("the head of the table was not read:", error));
  }, SOON);
}

async function readAgain() {
  const withHead = whole;
  whole = false;
  const answer = await fetch(location.pathname, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [head, fresh] = [document, page].map((within) => within.querySelector(".now"));
  if (!head || !fresh) return;
  if (withHead && !head.contains(document.activeElement)) {
    head.replaceWith(fresh);
    showOwnTimes(fresh);
  } else {
    const [count, counted] = [head, fresh].map((within) => within.querySelector("#roll-count"));
    if (count && counted) count.textContent = counted.textContent;
  }
}

/** A session that began or ended changes the head of the table; its forms are let be. */
function showSession(session) {
  document.getElementById("feed-news").textContent = session.ended_at ? "The session has ended." : "A session is open.";
  readSoon({ head: true });
}

/** @param {EventSource} stream */
function watchConnection(stream) {
  const state = document.getElementById("feed-state");
  let worry;
  stream.addEventListener("open", () => {
    clearTimeout(worry);
    worry = undefined;
    state.hidden = true;
  });
  stream.addEventListener("error", () => {
    if (stream.readyState === EventSource.CLOSED) {
      say(state, "The connection has ended. Reload the page to go on; you may have to sign in again.");
    } else {
      worry ??= setTimeout(() => say(state, "The connection is lost; trying again. No card will be missing."), QUIET_BEFORE_WORRY);
    }
  });
}

function say(state, words) {
  state.textContent = words;
  state.hidden = false;
}
