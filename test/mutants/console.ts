// Who comes into the console, what its forms must carry, and what an operator's role allows.

import type { Mutant } from "./mutant.ts";

const contract = { file: "test/workers/contract/console/console.test.ts" };
const byAccess = { file: "test/workers/contract/console/access.test.ts" };
const tokens = {
  file: "shared/credential/console-session.ts",
  test: { file: "test/shared/credential/console-session.test.ts" },
};
const signIn = { file: "workers/endpoints/console/console-sign-in.ts" };
const roles = { file: "shared/credential/operator-roles.ts", test: { file: "test/shared/credential/operator-roles.test.ts" } };

export const consoleMutants: readonly Mutant[] = [
  {
    name: "a form of the console carries its session's token",
    file: "workers/endpoints/console/console.ts",
    from: "if (!isOwn) return errorPage",
    to: "if (!isOwn && form.size === 0) return errorPage",
    test: contract,
  },
  {
    name: "a form of the console comes from its own page",
    file: "workers/endpoints/console/console.ts",
    from: "const body = await readForm(c, { settings }, longestForm);",
    to: 'const body = { text: await c.req.text() } as { readonly text: string } | Response;\n  if (!c.req.header("Content-Type")?.includes("form")) return errorPage(c, "wrongType", 415);',
    test: contract,
  },
  {
    name: "a session of another admin token is over",
    file: "workers/endpoints/console/console-operator.ts",
    from: " || session.fingerprint !== operator.fingerprint",
    to: "",
    test: contract,
  },
  {
    name: "a session of the console ends",
    file: "workers/objects/console-sessions.ts",
    from: "WHERE id = ? AND until > ?",
    to: "WHERE id = ? AND until > ? - 1e15",
    test: contract,
  },
  {
    name: "a download of the console is for operators",
    file: "workers/endpoints/console/console.ts",
    from: "if (signedIn === null) return signInPage(c, settings, { status: 401, to: page });\n",
    to: "if (signedIn === null && !page.startsWith(downloadPrefix)) return signInPage(c, settings, { status: 401, to: page });\n    if (signedIn === null) return Response.json({});\n",
    test: contract,
  },
  {
    name: "signing in leads to the console alone",
    file: "workers/endpoints/console/console-sign-in.ts",
    from: 'return /^[\\w-]+(\\/[\\w-]+)*$/.test(page) && !page.startsWith("sign-") ?',
    to: 'return page !== "" ?',
    test: contract,
  },
  {
    name: "the console speaks to the operator's API alone",
    file: "workers/endpoints/console/console-api.ts",
    from: 'if (!url.pathname.startsWith("/admin/") || ',
    to: "if (",
    test: contract,
    survives: "the app that it speaks to has nothing but the operator's API: the check names the reason, and holds where routes are added",
  },
  {
    name: "a name in a form leads to no other endpoint",
    file: "workers/endpoints/console/console-api.ts",
    from: " || url.pathname + url.search !== path",
    to: "",
    test: { ...contract, only: "reaches no other endpoint" },
  },
  {
    name: "a role is asked for at the console's API",
    file: "workers/endpoints/console/console-api.ts",
    from: "return requireRole(c, next);",
    to: "return next();",
    test: byAccess,
  },
  {
    name: "a role is asked for under /admin",
    file: "workers/endpoints/auth.ts",
    from: "    return requireRole(c, next);\n",
    to: "    return next();\n",
    test: byAccess,
  },
  {
    name: "another site's page cannot use Access under /admin",
    file: "workers/endpoints/auth.ts",
    from: "presented === undefined && !isFromElsewhere(c.req.raw.headers)",
    to: "presented === undefined",
    test: byAccess,
  },
  {
    name: "a wrong token is not made good by Access",
    file: "workers/endpoints/auth.ts",
    from: "presented === undefined && !isFromElsewhere",
    to: "!isFromElsewhere",
    test: byAccess,
  },
  {
    name: "Access brings no operator whom nobody named",
    file: "workers/endpoints/auth.ts",
    from: "if (identity === null || role === null) return null;\n",
    to: "if (identity === null) return null;\n",
    test: byAccess,
  },
  {
    ...roles,
    name: "a role allows no more than those before it",
    from: "roles.indexOf(role) >= roles.indexOf(needed)",
    to: 'role !== "see" || needed === "see"',
  },
  { ...roles, name: "an own entry counts before the domain's", from: "entries.find(({ who }) => who === address) ?? ", to: "" },
  {
    ...tokens,
    name: "a form's token is compared in every byte",
    from: "equalBytes(bytes, formMac(key.bytes, bound))",
    to: "bytes[0] === formMac(key.bytes, bound)[0]",
  },
  {
    ...tokens,
    name: "a form's token has a domain of its own",
    from: '"countersign/console-form/v1"',
    to: '"countersign/console-session/v1"',
  },
  {
    ...tokens,
    name: "a form's token is good after the signing key has changed",
    from: "keys.some((key) => equalBytes(bytes",
    to: "[keys[0]].some((key) => equalBytes(bytes",
  },
  {
    ...tokens,
    name: "a session of the console lasts twelve hours",
    from: "12 * 60 * 60_000",
    to: "24 * 60 * 60_000",
    test: { ...contract, only: "a session ends after twelve hours" },
  },
  {
    ...signIn,
    name: "guesses of the admin token at the console are counted",
    from: 'if (await isFlooding(c, "console")) return errorPage(c, "tooMany", 429);',
    to: "",
    test: { file: "test/workers/contract/review-http.test.ts", only: "tokens at the console" },
  },
  {
    ...signIn,
    name: "a form to sign in at the console has its token",
    from: 'if (!isConsoleFormToken(settings.keys, nobody, form.get(formTokenName) ?? ""))\n',
    to: "if (form.size === 0)\n",
    test: { ...contract, only: "signs nobody in, though" },
  },
  {
    ...signIn,
    name: "a form to sign in at the console comes from its own page",
    from: "const read = await readForm(c, { settings }, smallForm);\n  if (read instanceof Response) return read;\n  const form = new URLSearchParams(read.text);\n  const to",
    to: "const read = { text: await c.req.text() };\n  const form = new URLSearchParams(read.text);\n  const to",
    test: { ...contract, only: "signs nobody in, though" },
  },
  {
    ...signIn,
    name: "a form to sign out of the console carries its session's token",
    from: 'if (!isConsoleFormToken(settings.keys, signedIn.bound, form.get(formTokenName) ?? "")) return errorPage(c, "crossSite", 403);',
    to: "",
    test: { ...contract, only: "out needs the session's own form" },
  },
  {
    ...signIn,
    name: "a form to sign out of the console comes from its own page",
    from: "const read = await readForm(c, { settings }, smallForm);\n  if (read instanceof Response) return read;\n  const form = new URLSearchParams(read.text);\n  const signedIn",
    to: "const read = { text: await c.req.text() };\n  const form = new URLSearchParams(read.text);\n  const signedIn",
    test: { ...contract, only: "out needs the session's own form" },
  },
  {
    ...signIn,
    name: "signing out of the console ends nobody else's session",
    from: "everywhere ? null : signedIn.session",
    to: "null",
    test: { ...contract, only: "a session ends after twelve hours" },
  },
  {
    ...signIn,
    name: "who signs out of the console is signed out at the gateway",
    from: "await configStub(c.env).endConsoleSessions(everywhere ? null : signedIn.session, signedIn.operator);",
    to: "",
    test: { ...contract, only: "a session ends after twelve hours" },
  },
  {
    file: "workers/endpoints/console/console-operator.ts",
    name: "the forms of a session of the console are its own",
    from: "bound: `session/${id}`",
    to: "bound: `session/`",
    test: { ...contract, only: "out needs the session's own form" },
  },
  {
    file: "workers/endpoints/console/console-operator.ts",
    name: "the forms of an operator whom Access signed in are their own",
    from: "bound: `access/${email}`",
    to: "bound: `access/`",
    test: { ...byAccess, only: "with the token of another operator" },
  },
  {
    file: "workers/endpoints/console/console.ts",
    name: "a download runs nothing in a browser",
    from: 'headers.set("Content-Security-Policy", "default-src \'none\'; sandbox");',
    to: "",
    test: { ...contract, only: "a download is the record" },
  },
];
