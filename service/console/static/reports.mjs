/** Reports that are being made: their progress, until each is done. */

const PAUSE = 1500; // ms

export function followReports() {
  const list = document.getElementById("reports");
  if (!list?.querySelector("[data-unfinished]")) return;
  setTimeout(async () => {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("reports");
      if (answer.ok && fresh && !list.contains(document.activeElement)) list.replaceWith(fresh);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // no connection: look again
    }
    followReports();
  }, PAUSE);
}
