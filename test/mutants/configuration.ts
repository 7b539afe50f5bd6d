// What is published, who floods, and how long tokens live.

import type { Mutant } from "./mutant.ts";

const published = { file: "shared/published.ts", test: { file: "test/shared/published.test.ts" } };
const served = { file: "workers/stores/published-document.ts" };
const tampering = { file: "test/workers/contract/configuration.test.ts", only: "in KV is not used" };
const flooding = { file: "test/workers/contract/review-http.test.ts", only: "too many from" };

const secrets = { file: "shared/secret-error.ts", test: { file: "test/shared/secret-error.test.ts" } };

export const configurationMutants: readonly Mutant[] = [
  { ...secrets, name: "an example is no secret", from: 'return isExample(text) ? "example" : null;', to: "return null;" },
  { ...secrets, name: "a short text is no secret", from: 'if (text.length < shortestSecret) return "short";', to: "" },
  { ...published, name: "a copy counts under its own name", from: "`${name}\\0${version}\\0${text}`", to: "`${version}\\0${text}`" },
  { ...published, name: "a copy's version is under its MAC", from: "`${name}\\0${version}\\0${text}`", to: "`${name}\\0${text}`" },
  { ...published, name: "a copy's text is under its MAC", from: "`${name}\\0${version}\\0${text}`", to: "`${name}\\0${version}`" },
  {
    ...published,
    name: "a copy without a genuine MAC is none",
    from: "return genuine ? published : undefined;",
    to: "return published;",
  },
  {
    ...served,
    name: "a copy of another version than was written is not used",
    from: "copy.version === version)",
    to: "copy.version > 0)",
    test: tampering,
  },
  {
    ...served,
    name: "health tells of a copy that is not used",
    from: 'if (typeof copy !== "object") return copy;',
    to: 'if (typeof copy !== "object") return null;',
    test: tampering,
  },
  {
    ...served,
    name: "the ConfigObject is asked again after a minute",
    from: "latest !== null && now - askedAt < latestServesMs ? latest :",
    to: "latest !== null ? latest :",
    test: { file: "test/workers/stores/documents.test.ts" },
  },
  {
    file: "workers/stores/documents.ts",
    name: "without any configuration requests are refused",
    from: 'if (found.kind === "unavailable") throw new ConfigurationUnavailable();',
    to: "",
    test: { file: "test/workers/contract/configuration.test.ts", only: "does not answer" },
  },
  {
    file: "workers/stores/keys.ts",
    name: "a key's copy in KV is genuine",
    from: "const copy = stored === null ? undefined : readPublished(keys, name, stored);",
    to: "const copy = stored === null ? undefined : (readPublished(keys, name, stored) ?? { version: 1, text: stored });",
    test: { file: "test/workers/contract/keys.test.ts", only: "in KV" },
  },
  {
    file: "workers/objects/config-object.ts",
    name: "a change of LINK_KEY publishes anew",
    from: "if (row?.mark === mark) return;",
    to: "if (row !== undefined) return;",
    test: { file: "test/workers/objects/publishing.test.ts", only: "is published again" },
  },
  {
    file: "workers/endpoints/review/review-link.ts",
    name: "made-up links are counted",
    from: 'if (tooMany) return errorPage(c, "tooMany", 429);',
    to: 'if (tooMany && link !== null) return errorPage(c, "tooMany", 429);',
    test: flooding,
  },
  {
    file: "workers/endpoints/review/review-link.ts",
    name: "a genuine link is counted by itself",
    from: 'link === null ? "made-up links" : `link ${linkId(link.claims)}`',
    to: '"made-up links"',
    test: flooding,
  },
  {
    file: "workers/endpoints/auth.ts",
    name: "each kind of guess is counted for itself",
    from: "`${what} ${address}`",
    to: "address",
    test: flooding,
  },
  {
    file: "shared/credential/lifetime.ts",
    name: "a token lives a day from now",
    from: "if (exp - Math.floor(now / 1000) > mostSeconds + toleranceSeconds) return true;",
    to: "",
    test: { file: "test/workers/endpoints/control/control-auth.test.ts", only: "a day at most" },
  },
  {
    file: "shared/credential/lifetime.ts",
    name: "a token lives a day from when it was issued",
    from: "exp - iat <= mostSeconds",
    to: "exp > iat",
    test: { file: "test/workers/endpoints/control/control-auth.test.ts", only: "a day at most" },
  },
  {
    file: "shared/wire/mcp-2025/meta.ts",
    name: "no client names a session of the relay",
    from: "/^(?!mcp:)[",
    to: "/^[",
    test: { file: "test/workers/contract/association.test.ts", only: "whose name is the relay" },
  },
];
