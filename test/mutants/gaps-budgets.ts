// Budgets, tokens, stops and settings, where a weaker check once passed every test.

import type { Mutant } from "./mutant.ts";

const account = (only: string): Mutant["test"] => ({ file: "test/shared/budget/account.test.ts", only });
const costs: Mutant["test"] = { file: "test/shared/budget/cost.test.ts", only: "of an attempt that ends with" };
const budgets = (only: string): Mutant["test"] => ({ file: "test/workers/contract/budgets.test.ts", only });

const scoped = (only: string): Mutant["test"] => ({ file: "test/shared/credential/scoped-token.test.ts", only });
const v1 = (file: string, only: string): Mutant["test"] => ({ file: `test/workers/contract/v1/${file}.test.ts`, only });
const guesses: Mutant["test"] = { file: "test/workers/contract/review-http.test.ts", only: "too many from" };
const stops = (only: string): Mutant["test"] => ({ file: "test/workers/contract/stops.test.ts", only });
const setting = (only: string): Mutant["test"] => ({ file: "test/workers/platform/settings.test.ts", only });

const settings = { file: "workers/platform/settings.ts" };
const arithmetic = { file: "shared/budget/account.ts" };
const held = { file: "shared/budget/held-share.ts" };
const cost = { file: "shared/budget/cost.ts" };
const token = { file: "shared/credential/scoped-token.ts" };
const v1Call = { file: "workers/pipeline/incoming/v1-call.ts" };
const spending = { file: "workers/pipeline/spend/spending.ts" };

export const budgetGapMutants: readonly Mutant[] = [
  {
    ...held,
    name: "what an attempt spent is not free again",
    from: "Math.max(0, amount - spent - unaccounted)",
    to: "amount",
    test: account("is not free again"),
  },
  {
    ...held,
    name: "what an attempt is sure to have spent is not free again",
    from: "Math.max(0, amount - spent - unaccounted)",
    to: "Math.max(0, amount - unaccounted)",
    test: account("is not free again"),
  },
  {
    ...held,
    name: "what an attempt may have spent is not free again",
    from: "Math.max(0, amount - spent - unaccounted)",
    to: "Math.max(0, amount - spent)",
    test: account("is not free again"),
  },
  {
    ...arithmetic,
    name: "a reservation that comes again with more is not the first one",
    from: "return known.amount >= wanted.amount ? account : null;",
    to: "return account;",
    test: account("is reserved and settled once"),
  },
  {
    ...arithmetic,
    name: "what a share's holder has under way ends when the share does",
    from: "until: given.until }));",
    to: "until: given.until + lateMs }));",
    test: account("leaves what is under way held"),
  },
  {
    ...arithmetic,
    name: "what a share's holder has under way is of the share's period",
    from: "startsAt: given.startsAt, until: given.until }));",
    to: "startsAt: given.until, until: given.until }));",
    test: account("leaves what is under way held"),
  },
  {
    ...cost,
    name: "an attempt without an answer in time may have been paid",
    from: 'kind === "timeout" || ',
    to: "",
    test: costs,
  },
  {
    ...cost,
    name: "an attempt with an answer that cannot be read may have been paid",
    from: ' || kind === "brokenAnswer"',
    to: "",
    test: costs,
  },
  {
    ...cost,
    name: "an attempt that the provider answered with an error was not paid",
    from: "isPaidMaybe && (status === undefined || status === 200)",
    to: "isPaidMaybe",
    test: costs,
  },
  {
    ...cost,
    name: "what breaks after an answer has begun may have been paid",
    from: "(status === undefined || status === 200)",
    to: "status === undefined",
    test: costs,
  },
  {
    ...cost,
    name: "an error that says what was used was paid so",
    from: "if (usage !== undefined) return known(unit, priced, usage);",
    to: "",
    test: costs,
  },
  {
    ...spending,
    name: "where the budgets cannot be read nothing is sent",
    from: 'if (allowances === null) return err(unverifiedError("overBudget"));',
    to: "if (allowances === null) return free;",
    test: budgets("not taken for none"),
  },
  {
    file: "workers/stores/documents.ts",
    name: "budgets that were never read bind nobody to none",
    from: "if (servedOf(env).budgets.isUnread) throw new ConfigurationUnavailable();",
    to: "",
    test: { file: "test/workers/stores/documents.test.ts", only: "malformed budgets bind nobody" },
  },
  {
    file: "workers/stores/documents.ts",
    name: "budgets that were never read are not in memory",
    from: "return budgets.isUnread ? null : budgets.recent(now);",
    to: "return budgets.recent(now);",
    test: { file: "test/workers/stores/documents.test.ts", only: "malformed budgets bind nobody" },
  },
  {
    ...token,
    name: "what was sealed for something else is no scoped token",
    from: 'const domain = "countersign/scoped-token/v1";',
    to: 'const domain = "countersign/run/v1";',
    test: scoped("sealed for that alone"),
  },
  {
    ...token,
    name: "a text too long for a scoped token is not looked at",
    from: " || text.length > longest",
    to: "",
    test: scoped("too long to be one"),
  },
  {
    ...token,
    name: "a server's token lives no longer than its entry allows",
    from: "Math.min(asked.seconds ?? allowed.seconds, allowed.seconds)",
    to: "asked.seconds ?? allowed.seconds",
    test: scoped("never more than what is allowed"),
  },
  {
    ...v1Call,
    name: "an Idempotency-Key is for its endpoint",
    from: "{ what, body, models })",
    to: "{ body, models })",
    test: v1("chat", "at another endpoint is another request"),
  },
  {
    ...v1Call,
    name: "an Idempotency-Key is for its body",
    from: "{ what, body, models })",
    to: "{ what, models })",
    test: v1("chat", "the same Idempotency-Key is the same request"),
  },
  {
    ...v1Call,
    name: "an Idempotency-Key is for the models of its token",
    from: "{ what, body, models })",
    to: "{ what, body })",
    test: v1("tokens", "another request under the same Idempotency-Key"),
  },
  {
    ...v1Call,
    name: "a token takes over no run of other models",
    from: "{ request, images, models })",
    to: "{ request, images })",
    test: v1("tokens", "takes over no run of the other one"),
  },
  {
    ...v1Call,
    name: "a retry takes over no run of another question",
    from: "{ request, images, models })",
    to: "{ images, models })",
    test: v1("retries", "with another question is one of its own"),
  },
  {
    file: "workers/endpoints/v1/v1-endpoint.ts",
    name: "bodies at /v1 are counted before they are read",
    from: "if (tooMany !== null) return refuse(tooMany);",
    to: "",
    test: { file: "test/workers/contract/flood.test.ts", only: "counts every body at /v1" },
  },
  {
    file: "workers/endpoints/v1/v1-endpoint.ts",
    name: "a body at /v1 is no longer than its key may send",
    from: "const read = await readBody(c.req.raw, bodyBytes);",
    to: "const read = await readBody(c.req.raw, 1_000 * bodyBytes);",
    test: v1("chat", "longer than its key's limit"),
  },
  {
    file: "workers/endpoints/tokens.ts",
    name: "a host's requests for tokens are counted",
    from: "if (uncounted !== null) return refused(uncounted);",
    to: "",
    test: v1("token-requests", "a host that asks for a token again and again"),
  },
  {
    file: "workers/endpoints/tokens.ts",
    name: "a host's request for a token counts for the object that it wakes",
    from: "countCalls(c.env, c.var.key, callsOfNewObject)",
    to: "countCalls(c.env, c.var.key)",
    test: v1("token-requests", "a host that asks for a token again and again"),
  },
  {
    file: "workers/endpoints/v1/v1-caller.ts",
    name: "guesses at /v1 are counted",
    from: '(await isFlooding(c, "keys"))) return',
    to: "c.req.path === null) return",
    test: guesses,
  },
  {
    file: "workers/endpoints/control/control-auth.ts",
    name: "guesses at /control are counted",
    from: '(await isFlooding(c, "keys")) ? { kind: "flooded" } : known.error',
    to: "known.error",
    test: guesses,
  },
  {
    file: "workers/endpoints/metrics.ts",
    name: "guesses at /metrics are counted",
    from: 'if (await isFlooding(c, "admin tokens"))\n    return',
    to: "if (c.req.path === null)\n    return",
    test: guesses,
  },
  {
    file: "workers/objects/stop-object.ts",
    name: "stops of servers and keys are limited",
    from: 'if (!isKnown && !isOfTool && stop.scope !== "everything" && stops.length - tools.length >= mostStops) return false;',
    to: "",
    test: stops("a thousand stops are kept at most"),
  },
  {
    file: "workers/objects/stop-object.ts",
    name: "everything can be stopped, however many stops there are",
    from: 'if (!isKnown && !isOfTool && stop.scope !== "everything" && stops',
    to: "if (!isKnown && !isOfTool && stops",
    test: stops("a thousand stops are kept at most"),
  },
  {
    file: "workers/objects/stop-object.ts",
    name: "a stop that was taken back withdraws nothing",
    from: 'this.sql.exec("DELETE FROM withdrawal WHERE name = ?", nameOf(stop));',
    to: "",
    test: stops("a stop that was taken back withdraws nothing"),
  },
  {
    ...settings,
    name: "links are made for https, or a loopback address",
    from: 'if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {',
    to: 'if (url.protocol === "http:" && url.hostname === "") {',
    test: setting("none: no link is made"),
  },
  {
    ...settings,
    name: "no link is made for an address that health refuses",
    from: '{ key: "publicUrlPlain" } });\n    return undefined;',
    to: '{ key: "publicUrlPlain" } });',
    test: setting("none: no link is made"),
  },
  {
    ...settings,
    name: "PUBLIC_URL is a plain address",
    from: 'url.search !== "" || url.hash !== "" || url.username !== "") {\n    issues.push({ variable: "PUBLIC_URL",',
    to: 'url.search !== "") {\n    issues.push({ variable: "PUBLIC_URL",',
    test: setting("none: no link is made"),
  },
  {
    ...settings,
    name: "a development key is for a loopback address",
    from: "devApiKey: loopback && secretError",
    to: "devApiKey: secretError",
    test: setting("for a loopback address"),
  },
  {
    ...settings,
    name: "the list of links is for a loopback address",
    from: 'env.OUTBOX === "on" || (loopback && env.OUTBOX !== "off")',
    to: 'env.OUTBOX !== "off"',
    test: setting("for a loopback address"),
  },
  {
    ...settings,
    name: "a previous LINK_KEY that is an example verifies nothing",
    from: "previousError === null ? [current, signingKey(previous)] : [current]",
    to: 'previous !== "" ? [current, signingKey(previous)] : [current]',
    test: setting("is no previous LINK_KEY"),
  },
  {
    ...settings,
    name: "a METRICS_TOKEN that is an example opens nothing",
    from: "metricsTokenError === null ? metricsToken : undefined",
    to: 'metricsToken !== "" ? metricsToken : undefined',
    test: setting("is no previous LINK_KEY"),
  },
  {
    ...settings,
    name: "content goes on being encrypted with the previous key alone",
    from: "return [...new Set([current, previous])].filter",
    to: "return [...new Set([current])].filter",
    test: setting("encrypted with the previous CONTENT_KEY"),
  },
  {
    ...settings,
    name: "Cloudflare Access needs the application's tag",
    from: "if (!/^[\\x21-\\x7e]{1,200}$/.test(audience)) {",
    to: "if (audience.length > 200) {",
    test: setting("signs nobody in with the team"),
  },
  {
    ...settings,
    name: "the issuer of Cloudflare Access is a host over https",
    from: 'url?.protocol !== "https:" ||',
    to: "url === null ||",
    test: setting("signs nobody in with the team"),
  },
  {
    ...settings,
    name: "a number out of its range is not used",
    from: "value >= least && value <= most",
    to: "value >= least",
    test: setting("a number out of its range"),
  },
];
