/** The page /verify: takes files, a paste or a session's address, and says what is wrong. Sends nothing anywhere. */

import { NotAsPublished, keepRoll, keepSession, read } from "./reading.mjs";
import { check } from "./verifying.mjs";

const PAGE = 200;
const by = (id) => document.getElementById(id);

/** Check what was read, and show what came of it. */
async function verify(contents) {
  by("result").replaceChildren(line("p", "Checking…"));
  try {
    const found = { sessions: new Map(), byId: new Map(), troubles: [] };
    for (const { content, from } of await contents()) {
      const { sessions, rolls, troubles } = readFrom(from, content);
      for (const session of sessions) keepSession(found.sessions, session);
      for (const roll of rolls) keepRoll(found.byId, roll);
      found.troubles.push(...troubles.map((trouble) => from ? `${from}: ${trouble}` : trouble));
    }
    if (!found.sessions.size) {
      throw new NotAsPublished("There is no session in it: add the session’s own JSON, or use an export.");
    }
    const all = [...found.byId.values()].flat();
    const strays = all.filter((roll) => !found.sessions.has(roll.session));
    const shown = found.troubles.map((trouble) => line("p", `✗ ${trouble}`, "wrong"));
    for (const session of found.sessions.values()) {
      const rolls = all.filter((roll) => roll.session === session.id);
      shown.push(told(await check(session, [...rolls, ...strays]), session));
    }
    by("result").replaceChildren(...shown);
  } catch (error) {
    if (!(error instanceof NotAsPublished)) console.error(error);
    const sentence = error instanceof NotAsPublished ? error.message : "That did not work; the console of this browser says why.";
    by("result").replaceChildren(line("p", sentence, "wrong"));
  }
  by("result").focus();
}

/** Read one of several files; where it cannot be read, say which. */
function readFrom(name, content) {
  try {
    return read(content);
  } catch (error) {
    if (name && error instanceof NotAsPublished) throw new NotAsPublished(`${name}: ${error.message}`);
    throw error;
  }
}

function told(checked, session) {
  const section = document.createElement("section");
  const bad = checked.findings.length;
  const open = session.seed === null;
  const verdict = open ? "not ended yet" : bad ? `${bad} found wrong` : "checked, all is as it was thrown";
  section.className = open ? "open" : bad ? "bad" : "good";
  section.append(line("h2", `${open ? "…" : bad ? "✗" : "✓"} Session ${checked.session}: ${verdict}`));
  section.append(line("p", `${checked.rolls} rolls, ${checked.dice} dice computed anew.`));
  if (open) section.append(line("p", "Its seed is shown when the session has ended; only then can dice be checked."));
  else section.append(...unchecked(checked));
  for (const [what, numbers] of [
    ["Deleted by the GM", checked.deleted],
    ["Deleted by the GM, of the hidden rolls", checked.hiddenDeleted],
    ["Not resolved yet", checked.unresolved],
    ["Not resolved yet, of the hidden rolls", checked.hiddenUnresolved],
  ]) {
    if (numbers.length) section.append(line("p", `${what}: number ${numbers.join(", ")}.`));
  }
  if (checked.unanswered.length) section.append(line("p", `Challenges without dice, as nobody answered them: ${checked.unanswered.join(", ")}.`));
  if (bad) {
    const list = document.createElement("ul");
    for (const finding of checked.findings) {
      const item = line("li", ` ${finding.says}`);
      item.prepend(line("strong", finding.fault));
      list.append(item);
    }
    section.append(list);
  }
  return section;
}

/** What could not be checked, and who can. */
function* unchecked({ unchecked, alone }) {
  const others = unchecked - alone;
  if (others) yield line("p", `Not checked, as their seed or number is not in the file: ${others}. Hidden rolls are the GM’s to check.`);
  if (alone) yield line("p", `Not checked, as nobody but their roller may see them: ${alone}. Nobody can check a roll to oneself.`);
}

function line(name, words, kind) {
  const element = document.createElement(name);
  element.textContent = words;
  if (kind) element.className = kind;
  return element;
}

/** Ask this service for a session and its rolls. */
async function asked(campaign, session, token) {
  const ask = async (path) => {
    const answer = await fetch(`/v1/campaigns/${encodeURIComponent(campaign)}${path}`, {
      headers: { Authorization: `Bearer ${token}` }, cache: "no-store", credentials: "omit",
    });
    const content = await answer.json();
    if (!answer.ok) throw new NotAsPublished(content.detail ?? content.title);
    return content;
  };
  const contents = [{ content: JSON.stringify(await ask(`/sessions/${encodeURIComponent(session)}`)) }];
  let cursor = "";
  do {
    const page = await ask(`/rolls?session=${encodeURIComponent(session)}&limit=${PAGE}${cursor && `&cursor=${cursor}`}`);
    contents.push({ content: JSON.stringify({ rolls: page.rolls }) });
    cursor = page.next_cursor;
  } while (cursor);
  return contents;
}

by("files").addEventListener("change", (event) => {
  const { files } = event.currentTarget;
  if (files.length) verify(() => Promise.all(Array.from(files, async (file) => ({ content: await file.text(), from: file.name }))));
});
by("pasted").addEventListener("submit", (event) => {
  event.preventDefault();
  verify(async () => [{ content: by("text").value }]);
});
by("asked").addEventListener("submit", (event) => {
  event.preventDefault();
  verify(() => asked(by("campaign").value.trim(), by("session").value.trim(), by("token").value.trim()));
});
const prefilled = new URLSearchParams(location.hash.slice(1));
for (const name of ["campaign", "session"]) {
  if (prefilled.get(name)) by(name).value = prefilled.get(name);
}
if (prefilled.get("session")) by("token").focus();
