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
