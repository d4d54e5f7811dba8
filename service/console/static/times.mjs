/** Moments in the reader's own time and language; the server writes them in UTC. */

const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

/** @param {ParentNode} within */
export function showOwnTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (Number.isNaN(moment.getTime())) continue;
    const today = moment.toDateString() === new Date().toDateString();
    time.textContent = (today ? TIME : MOMENT).format(moment);
    time.title = MOMENT.format(moment);
  }
}

/** With each day that a form asks about goes the moment at which it begins here, clocks changed or not. */
export function sendOwnDays() {
  addEventListener("submit", ({ target: form }) => {
    for (const begins of form.querySelectorAll("input[data-begins]")) {
      const day = form.elements.namedItem(begins.dataset.begins);
      const midnight = new Date(day.type === "date" ? `${day.value}T00:00:00` : NaN);
      begins.value = Number.isNaN(midnight.getTime()) ? "" : midnight.toISOString();
      begins.disabled = !begins.value; // nothing chosen: nothing of it in the address
    }
  });
}
