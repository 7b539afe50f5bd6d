// A person's own login at a server: to which requests its token goes, and who may connect it.

import type { Mutant } from "./mutant.ts";

const file = "test/workers/contract/own-login.test.ts";
const reviewed = "test/workers/contract/own-login-reviewed.test.ts";
const object = "workers/objects/own-login.ts";
const tools = "workers/tools/login.ts";

export const ownLoginMutants: readonly Mutant[] = [
  {
    name: "a login is for the entry that it was made for",
    file: object,
    from: "return login?.binding === binding ? login : null;",
    to: "return login;",
    test: { file, only: "not sent to an entry that was changed" },
  },
  {
    name: "a sign-in ends in the session that began it",
    file: object,
    from: "begun.bound !== bound || ",
    to: "",
    test: { file, only: "a state is good once" },
  },
  {
    name: "a sign-in's state is used once",
    file: object,
    from: "this.#deps.store.remove(name);\n    const { issuer, grant, verifier } = begun;",
    to: "const { issuer, grant, verifier } = begun;",
    test: { file, only: "a state is good once" },
  },
  {
    name: "one renewal serves all calls that wait",
    file: object,
    from: "if (this.#renewing?.access !== tokens.access)",
    to: "if (true)",
    test: { file, only: "is renewed before it expires" },
  },
  {
    name: "what a server's metadata names is not reached inside",
    file: tools,
    from: 'protocol === "https:" && !isPrivateHost(hostname)',
    to: "true",
    test: { file, only: "a token endpoint inside" },
  },
  {
    name: "a server gets no token for another's resource",
    file: tools,
    from: "if (!checkResourceAllowed({ requestedResource: own, configuredResource: resource }))",
    to: "if (false)",
    test: { file, only: "another server's resource" },
  },
  {
    name: "the issuer of a code is checked",
    file: tools,
    from: "...(iss === null ? {} : { iss }),",
    to: "iss: metadata.issuer,",
    test: { file, only: "a code of another authorization server" },
  },
  {
    name: "a browser that comes back is of the server that it was sent to: the page",
    file: "workers/endpoints/oauth/logins.ts",
    from: ' || state.server !== c.req.param("server")',
    to: "",
    test: { file, only: "mix-up" },
  },
  {
    name: "a browser that comes back is of the server that it was sent to: its form",
    file: "workers/endpoints/oauth/logins.ts",
    from: 'server === c.req.param("server") ? await ownServer(c, server) : undefined',
    to: "await ownServer(c, server)",
    test: { file, only: "mix-up" },
  },
  {
    name: "tokens that are forgotten end at their server",
    file: object,
    from: "if (login !== null && login.tokens !== null) void",
    to: "if (false) void",
    test: { file, only: "the server is told" },
  },
  {
    name: "an approval of a call is for the account that was shown",
    file: "workers/endpoints/relay/reviewed/read-call.ts",
    from: "account === undefined ? contentOf(relay, body) : ofAccount(contentOf(relay, body), account)",
    to: "contentOf(relay, body)",
    test: { file: reviewed, only: "with another account" },
  },
  {
    name: "an approved call is not claimed for another account",
    file: "workers/mcp-client/ask-upstream.ts",
    from: 'found.account)) return { kind: "otherAccount" };',
    to: 'found.account) && found.kind === "unreachable") return { kind: "otherAccount" };',
    test: { file: reviewed, only: "with another account" },
  },
  {
    name: "a request carries no token of another account than it is for",
    file: "workers/mcp-client/ask-upstream.ts",
    from: 'found.account)) return err("otherAccount");',
    to: 'found.account) && asked > 0) return err("otherAccount");',
    test: { file: reviewed, only: "a token of another account" },
  },
  {
    name: "what the gateway is at one issuer it is at no other",
    file: tools,
    from: "registration === null || registration.issuer !== issuer ||",
    to: "registration === null ||",
    test: { file, only: "at another issuer it is another client" },
  },
  {
    name: "a registration that its issuer has forgotten is used no more",
    file: object,
    from: "if (isClientUnknown) this.#deps.store.remove(registeredName);",
    to: "",
    test: { file, only: "where the issuer has forgotten it" },
  },
  {
    name: "a registration that no browser came back with is used no more",
    file: object,
    from: "known?.binding === binding && known.isKnown ?",
    to: "known?.binding === binding ?",
    test: { file, only: "where the issuer kept the browser" },
  },
  {
    name: "a call is sent again only where the server refused its token",
    file: "workers/mcp-client/ask-upstream.ts",
    from: "|| !mayAct(request.body)) continue;",
    to: "|| !mayAct(request.body) || asked === 0) continue;",
    test: { file: reviewed, only: "but does not say so" },
  },
  {
    name: "a call that is refused for its token is sent once more",
    file: "workers/mcp-client/ask-upstream.ts",
    from: "const mostResent = 1;",
    to: "const mostResent = 2;",
    test: { file: reviewed, only: "and refuses a second time" },
  },
  {
    name: "a call that its server refused before it ran keeps its approval",
    file: "workers/endpoints/relay/reviewed/approved-call.ts",
    from: "sent === 1 && lacksLogin(found.message)",
    to: "sent === 0 && lacksLogin(found.message)",
    test: { file: reviewed, only: "and cannot be renewed" },
  },
  {
    name: "an approval is good again only where the login says so, not the server",
    file: "workers/endpoints/relay/reviewed/approved-call.ts",
    from: 'if (login !== null && login.kind !== "ready") return { kind: "unsent", login: login.kind };',
    to: 'if (login !== null) return { kind: "unsent", login: "none" };',
    test: { file: reviewed, only: "nothing that a server can claim" },
  },
  {
    name: "a refusal that is told twice frees one claim",
    file: "shared/run/lifecycle.ts",
    from: "call: { number: nextCall(state), startedAt: null } } };",
    to: "call: { number: event.call, startedAt: null } } };",
    test: { file: "test/shared/run/lifecycle.test.ts", only: "under another number" },
  },
  {
    name: "a 401 of a backend is no refusal of the token",
    file: "shared/relay/login.ts",
    from: 'return errors.every(([, error]) => error === "invalid_token");',
    to: "return errors.length < 9;",
    test: { file: "test/shared/relay/login.test.ts", only: "refuses the token before" },
  },
  {
    name: "a grant for calls is for the account that was shown",
    file: "shared/run/granting.ts",
    from: "  account === undefined ? digest",
    to: "  true ? digest",
    test: { file: "test/shared/run/granting.test.ts", only: "the account at the server" },
  },
];
