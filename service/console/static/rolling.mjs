/** Forms drawn from a rule set's description: parts shown when they are chosen, rows added, odds as one types. */

const PAUSE = 200; // ms after the last key

export function enlivenForms() {
  for (const form of document.querySelectorAll("form.drawn")) {
    showChosenParts(form);
    for (const list of form.querySelectorAll("[data-list]")) offerRow(list);
    form.addEventListener("change", () => showChosenParts(form));
    form.addEventListener("click", (event) => addRow(event));
    if (form.dataset.odds) keepOdds(form);
    sendOnce(form);
  }
}

/** Show of several parts the chosen one; the others' fields are not sent. */
function showChosenParts(form) {
  for (const several of form.querySelectorAll("[data-several]")) {
    const chosen = several.querySelector(`input[name="${CSS.escape(several.dataset.several)}"]:checked`)?.value;
    for (const part of several.querySelectorAll(":scope > [data-part]")) {
      part.hidden = part.dataset.part !== chosen;
    }
  }
}

/** @param {HTMLElement} list */
function offerRow(list) {
  const rows = list.querySelectorAll(":scope > [data-row]").length;
  list.querySelector("[data-add]").hidden = rows === 0 || rows >= Number(list.dataset.most);
}

/** Add to a list a row like its last one, with nothing typed or ticked. */
function addRow(event) {
  const button = event.target.closest("[data-add]");
  if (!button) return;
  const list = button.closest("[data-list]");
  const rows = list.querySelectorAll(":scope > [data-row]");
  const last = rows[rows.length - 1];
  const row = last.cloneNode(true);
  const [from, to] = [`${list.dataset.list}.${rows.length - 1}.`, `${list.dataset.list}.${rows.length}.`];
  row.setAttribute("aria-label", row.getAttribute("aria-label").replace(/\d+$/, String(rows.length + 1)));
  for (const note of row.querySelectorAll(".error")) note.remove();
  for (const input of row.querySelectorAll("input, select")) {
    input.removeAttribute("aria-invalid");
    input.name = input.name.replace(from, to);
    if (input.type === "checkbox") input.checked = false;
    if (input.type === "text") input.value = "";
  }
  const [fromId, toId] = [from.replaceAll(".", "-"), to.replaceAll(".", "-")];
  for (const named of row.querySelectorAll("[id], [for]")) {
    if (named.id) named.id = named.id.replace(fromId, toId);
    if (named.htmlFor) named.htmlFor = named.htmlFor.replace(fromId, toId);
  }
  last.after(row);
  offerRow(list);
  row.querySelector("input, select")?.focus();
}

/** Ask the server for the odds whenever the form changes: they are worked out where the dice are thrown. */
function keepOdds(form) {
  const place = form.querySelector("#odds");
  adoptErrors(form);
  let asked = new AbortController();
  let pause;

  async function ask() {
    asked = new AbortController();
    try {
      const answer = await fetch(form.dataset.odds, {
        method: "POST",
        body: new URLSearchParams(new FormData(form)),
        signal: asked.signal,
      });
      if (answer.ok) show(await answer.json());
      place.removeAttribute("aria-busy");
    } catch (error) {
      if (error.name !== "AbortError" && !(error instanceof TypeError)) throw error; // TypeError: no connection
    }
  }

  function show({ odds, wrong }) {
    place.innerHTML = odds;
    for (const [name, sentence] of Object.entries(wrong)) showWrong(name, sentence);
    for (const shown of form.querySelectorAll("[data-live-error]")) {
      if (!(shown.dataset.liveError in wrong)) clearWrong(shown);
    }
  }

  /** Say what is wrong with a field that the reader has filled in; an empty one is not wrong yet. */
  function showWrong(name, sentence) {
    const input = form.elements[name];
    if (!(input instanceof HTMLElement) || !input.value || input === document.activeElement) return;
    const id = `${input.id}-error`; // the server's own, where the form was sent before
    let note = document.getElementById(id);
    if (!note) {
      note = document.createElement("p");
      note.className = "error";
      note.id = id;
      input.closest(".field").append(note);
    }
    note.dataset.liveError = name;
    note.textContent = sentence;
    input.setAttribute("aria-invalid", "true");
    const described = new Set((input.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean));
    input.setAttribute("aria-describedby", [...described.add(id)].join(" "));
  }

  function clearWrong(note) {
    for (const input of form.querySelectorAll(`[name="${CSS.escape(note.dataset.liveError)}"]`)) {
      input.removeAttribute("aria-invalid");
      const others = (input.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id !== note.id);
      if (others.join("")) input.setAttribute("aria-describedby", others.join(" "));
      else input.removeAttribute("aria-describedby");
    }
    note.remove();
  }

  const soon = () => {
    place.setAttribute("aria-busy", "true");
    asked.abort(); // what is on its way tells of the form as it stood before
    clearTimeout(pause);
    pause = setTimeout(ask, PAUSE);
  };
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
  ask();
}

/** Errors that came with the page go as soon as their field is right, like those said while one types. */
function adoptErrors(form) {
  for (const input of form.querySelectorAll('[name^="params."][aria-invalid]')) {
    const note = document.getElementById(`${input.id}-error`);
    if (note) note.dataset.liveError = input.name;
  }
}

/** A second click while the first is on its way changes nothing: its key is the same, so it is one roll. */
function sendOnce(form) {
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "yes";
  });
  addEventListener("pageshow", () => delete form.dataset.sent);
}
