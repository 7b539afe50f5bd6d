// The browser keeps the address of a session's pages on a loopback host (`/console/~mark`), for
// this port alone, and finds it again from the plain address. Without scripts one signs in again.
// Constants.

/** For the pages of a session. */
export const keepSessionScript = `
(() => {
  const [home, root] = /^(.*\\/(?:console|inbox))\\/~[\\w-]+(?=\\/|$)/.exec(location.pathname) ?? [];
  try {
    if (home !== undefined) localStorage.setItem(root, home);
  } catch {} // A browser that keeps nothing.
})();
`;

/** For the page to sign in. An address whose session is over is forgotten. */
export const findSessionScript = `
(() => {
  const [, home = "", root = "", rest = ""] = /^((.*\\/(?:console|inbox))(?:\\/~[\\w-]+)?)(\\/.*)?$/.exec(location.pathname) ?? [];
  try {
    const kept = localStorage.getItem(root);
    if (kept === home) localStorage.removeItem(root);
    else if (kept?.startsWith(root + "/~")) location.replace(kept + rest + location.search);
  } catch {}
})();
`;
