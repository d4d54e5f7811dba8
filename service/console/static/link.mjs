const KEY = /^#key=([\w-]{1,4000})$/;

/**
 * Sign in with the key that the link carries behind its #. That part is sent to no server; it leaves the address
 * bar, and this entry of the browser's history, before anything else happens.
 *
 * Any site can lead a browser here with a key of its own, so the form waits for a click unless the server saw that
 * nobody is signed in and that the way here led over no other page.
 */
export function signInByLink() {
  const found = KEY.exec(location.hash);
  if (!found) {
    // The cookie stayed back on the way from another site: from here on it comes along.
    if (document.querySelector("[data-foreign]")) location.replace(location.href);
    return;
  }
  history.replaceState(null, "", location.pathname);
  const template = document.getElementById("link-form");
  const form = template.content.firstElementChild.cloneNode(true);
  form.elements.namedItem("key").value = found[1];
  document.getElementById("link")?.remove();
  document.getElementById("main").prepend(form);
  form.hidden = "atOnce" in template.dataset;
  if (form.hidden) form.submit();
  else form.focus(); // not its button: a key held down on the way here must press nothing
}
