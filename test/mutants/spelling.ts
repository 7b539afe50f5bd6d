// Messages that two JSON libraries read as two messages, or that no library should read.

import type { Mutant } from "./mutant.ts";

const names = { file: "shared/relay/member-names.ts" };
const spelling = (only: string): Mutant["test"] => ({ file: "test/workers/contract/spelling.test.ts", only });

export const spellingMutants: readonly Mutant[] = [
  {
    file: "workers/endpoints/relay/relay-endpoint.ts",
    name: "a message nests no deeper than a walk through it may",
    from: "if (isDeeperThan(deepest, value))",
    to: "if (isDeeperThan(deepest * 1_000, value))",
    test: { file: "test/workers/contract/deep-json.test.ts", only: "a client of 2026-07-28 sends them as arguments" },
  },
  {
    file: "workers/endpoints/relay/relay-endpoint.ts",
    name: "no message in two spellings reaches a server",
    from: "if (ambiguous !== null) return",
    to: "if (ambiguous !== null && false) return",
    test: spelling("after a review the approved reply"),
  },
  {
    ...names,
    name: "a name of the protocol has one case",
    from: "if (written !== meant || seen.has(meant))",
    to: "if (seen.has(meant))",
    test: spelling("with InputResponses"),
  },
  {
    ...names,
    name: "a name of the protocol is there once",
    from: "if (written !== meant || seen.has(meant))",
    to: "if (written !== meant)",
    test: spelling("with name twice"),
  },
  {
    ...names,
    name: "letters that fold into a name's letters are its letters",
    from: ".toLowerCase()\n    .toUpperCase()",
    to: ".toLowerCase()\n    .replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())",
    test: spelling("with a long s"),
  },
  {
    ...names,
    name: "a name with underscores is the name without",
    from: '.replaceAll(/[^A-Z0-9]/g, "");',
    to: ";",
    test: spelling("with input_responses"),
  },
  {
    ...names,
    name: "each message of a batch is looked at",
    from: "(messages.length === 0 ? [whole] : messages)",
    to: "[whole]",
    test: spelling("also in a batch"),
  },
  {
    ...names,
    name: "the members of params are looked at",
    from: '?? (params === undefined ? null : among(membersOf(body, params), ofParams, "/params"))',
    to: "?? null",
    test: spelling("with InputResponses"),
  },
  {
    file: "workers/endpoints/relay/relay-endpoint.ts",
    name: "a body with a byte order mark reaches no server",
    from: 'text.startsWith("\\ufeff") || ',
    to: "",
    test: spelling("with a byte order mark"),
  },
  {
    file: "workers/endpoints/relay/relay-endpoint.ts",
    name: "a body with a NUL reaches no server",
    from: ' || text.includes("\\0") ? null',
    to: " ? null",
    test: spelling("with a NUL"),
  },
];
