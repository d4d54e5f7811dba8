/** What the scripts add: the pages work without them, except that cards do not come by themselves. */
import { offerCopies } from "./copies.mjs";
import { followTable } from "./feed.mjs";
import { signInByLink } from "./link.mjs";
import { followReports } from "./reports.mjs";
import { enlivenForms } from "./rolling.mjs";
import { sendOwnDays, showOwnTimes } from "./times.mjs";

document.documentElement.classList.add("scripted");
signInByLink();
addEventListener("hashchange", signInByLink); // the link was opened where the console is open already
showOwnTimes(document);
sendOwnDays();
offerCopies();
enlivenForms();
followTable();
followReports();
