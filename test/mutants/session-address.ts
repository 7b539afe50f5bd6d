// Where a session's cookie counts on a loopback host, whose ports share cookies.

import type { Mutant } from "./mutant.ts";

const address = "workers/endpoints/session-address.ts";
const atConsole = { file: "test/workers/contract/console/console.test.ts" };
const atInbox = { file: "test/workers/contract/inbox-sign-in.test.ts" };
const mark = { file: "shared/credential/session-mark.ts", test: { file: "test/shared/credential/session-mark.test.ts" } };

export const sessionAddressMutants: readonly Mutant[] = [
  {
    name: "a session of a loopback host has a mark in its address",
    file: address,
    from: '!isShared(publicUrl) || isSessionMark(keys, session, markOf(c.req.raw) ?? "")',
    to: "!isShared(publicUrl) || markOf(c.req.raw) !== undefined",
    test: atConsole,
  },
  {
    name: "a session's cookie is for its own pages' path",
    file: address,
    from: "home !== undefined && isShared(publicUrl) ? pathOfUrl(home)",
    to: "home === undefined && isShared(publicUrl) ? publicUrl",
    test: atConsole,
  },
  {
    name: "the console compares the mark",
    file: "workers/endpoints/console/console-operator.ts",
    from: " || !isAtItsAddress(c, settings, id)",
    to: "",
    test: atConsole,
  },
  {
    name: "the inbox compares the mark",
    file: "workers/endpoints/inbox/reader.ts",
    from: "if (!isAtItsAddress(c, settings, session)) return null;",
    to: "",
    test: atInbox,
  },
  {
    ...mark,
    name: "a mark is by the key of this gateway",
    from: "keys.some((key) => equalBytes(",
    to: "keys.some((key) => key.bytes.length > 0 || equalBytes(",
  },
  { ...mark, name: "a mark is good after the signing key has changed", from: "keys.some((key)", to: "[keys[0]].some((key)" },
  { ...mark, name: "a mark is of one session", from: "utf8ToBytes(session)", to: 'utf8ToBytes(session && "")' },
];
