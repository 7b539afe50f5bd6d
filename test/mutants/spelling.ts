// Messages that two JSON libraries read as two messages, or that no library should read.

import type { Mutant } from "./mutant.ts";

const names = { file: "shared/relay/member-names.ts" };
const spelling = (only: string): Mutant["test"] => ({ file: "test/workers/contract/spelling.test.ts", only });

export const spellingMutants: readonly Mutant[] = [
  {
    file: "shared/relay/client-message.ts",
    name: "a message nests no deeper than a walk through it may",
    from: "if (isDeeperThan(deepestMessage, value))",
    to: "if (isDeeperThan(deepestMessage * 1_000, value))",
    test: { file: "test/workers/contract/deep-json.test.ts", only: "a client of 2026-07-28 sends them as arguments" },
  },
  {
    file: "shared/relay/client-message.ts",
    name: "no message in two spellings reaches a server",
    from: "return found === null ? ok(value)",
    to: "return found === null || true ? ok(value)",
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
    from: "(messages.length === 0 ? [whole(body)] : messages)",
    to: "[whole(body)]",
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
    file: "shared/relay/client-message.ts",
    name: "a body with a byte order mark reaches no server",
    from: "ignoreBOM: true",
    to: "ignoreBOM: false",
    test: spelling("with a byte order mark"),
  },
  {
    file: "shared/relay/client-message.ts",
    name: "bytes that are no UTF-8 reach no server",
    from: "fatal: true",
    to: "fatal: false",
    test: { file: "test/client/stdio/stdio-relay.test.ts", only: "bytes that are no UTF-8" },
  },
  {
    file: "shared/relay/client-message.ts",
    name: "what is no JSON reaches no server",
    from: "if (value === undefined) return",
    to: "if (value === undefined && false) return",
    test: spelling("is no JSON, which its library reads"),
  },
  {
    file: "workers/endpoints/relay/sessions/session-relay.ts",
    name: "no request reaches a server unseen",
    from: "if (values.some(mayBeHiddenRequest))",
    to: "if (values.length === 0)",
    test: spelling("does not pass unseen"),
  },
  {
    file: "shared/relay/messages.ts",
    name: "a reply to sampling is one without its role and model too",
    from: ' || !names.has("action")',
    to: "",
    test: spelling("with nothing but content"),
  },
  {
    file: "client/stdio/client-line.ts",
    name: "no line of the command has another line in it",
    from: "at !== -1 && at < line.length - 2 ?",
    to: "at === -2 ?",
    test: { file: "test/client/stdio/stdio-relay.test.ts", only: "another line to what ends lines" },
  },
  {
    file: "client/stdio/client-line.ts",
    name: "no request passes the command unseen",
    from: "isHidden(read.value) ? HIDDEN : null",
    to: "null",
    test: { file: "test/client/stdio/stdio-relay.test.ts", only: "has an id that is none" },
  },
  {
    file: "client/stdio/stdio-relay.ts",
    name: "a client's own reply to sampling does not pass the command",
    from: "&& maySampleByItself(line, value)) return",
    to: "&& line.length === 0) return",
    test: { file: "test/client/stdio/stdio-relay.test.ts", only: "the server's own answer to sampling" },
  },
  {
    file: "client/stdio/translating-relay.ts",
    name: "no deep line passes the command between revisions",
    from: "if (refusal !== null) return",
    to: "if (refusal !== null && false) return",
    test: { file: "test/client/stdio/translating-relay.test.ts", only: "servers would read in more than one way" },
  },
  {
    file: "client/stdio/stdio-relay.ts",
    name: "no server behind the command asks as the gateway",
    from: "this.#asksAsGateway(request)) {",
    to: "this.#asksAsGateway(request) && false) {",
    test: { file: "test/client/stdio/stdio-relay.test.ts", only: "is answered with an error, and the client is not asked" },
  },
  {
    file: "workers/endpoints/relay/translated/translated-relay.ts",
    name: "a response answers what its own session was asked",
    from: "    server: relay.name,\n    session: session.name,\n    id: idKey(id),",
    to: '    own: session.name === "" || relay.name === "",\n    id: idKey(id),',
    test: { file: "test/workers/contract/client-inputs.test.ts", only: "a session answers what it was asked itself" },
  },
  {
    file: "workers/endpoints/relay/relay-endpoint.ts",
    name: "no message in another charset reaches a server",
    from: 'if (namesOtherCharset(c.req.header("Content-Type")))',
    to: 'if (c.req.header("Content-Type") === "")',
    test: spelling("its server would decode another one"),
  },
];
