const KEY = /^#key=([\w-]{1,4000})$/;

/**
 * Sign in with the key that the link carries behind its #. That part is sent to no server; it leaves the address
 * bar, and this entry of the browser's history, before anything else happens.
 */
export function signInByLink() {
  const found = KEY.exec(location.hash);
  if (!found) {
    // The cookie stayed back on the way from another site: from here on it comes along.
    if (document.querySelector("[data-foreign]")) location.replace(location.href);
    return;
  }
  history.replaceState(null, "", location.pathname);
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/console/sign-in";
  const key = document.createElement("input");
  key.type = "hidden";
  key.name = "key";
  key.value = found[1];
  form.append(key);
  document.body.append(form);
  form.submit();
}
