// OAuth in front of the relay: who lets a client in, for what, and that it is put out again.

import type { Mutant } from "./mutant.ts";

const file = "test/workers/contract/oauth.test.ts";
const connect = "workers/endpoints/oauth/connect.ts";
const token = "workers/credentials/access-token.ts";

export const oauthMutants: readonly Mutant[] = [
  {
    name: "a client is let in by a form of this session about this client",
    file: connect,
    from: 'if (judged === "late" || judged === "forged") return connectPage(c, found, judged);',
    to: "",
    test: { file, only: "a form of another client" },
  },
  {
    name: "a client is let in by Allow alone",
    file: connect,
    from: 'if (fields.get(formFields.act) !== "allow")',
    to: "if (false)",
    test: { file, only: "Cancel gives no key" },
  },
  {
    name: "Allow pressed twice makes one key",
    file: connect,
    from: "    once,\n    id,",
    to: "    id,",
    test: { file, only: "pressed twice" },
  },
  {
    name: "a client's key is for the server that it asked for",
    file: connect,
    from: "    servers: [server],\n",
    to: "",
    test: { file, only: "and no other" },
  },
  {
    name: "a person ends their own clients alone",
    file: connect,
    from: "owner === person.name && oauthClient !== undefined",
    to: "oauthClient !== undefined",
    test: { file, only: "another person's page cannot" },
  },
  {
    name: "an access token belongs to somebody whom the policy knows",
    file: token,
    from: "owner !== undefined && (await mayConnect(owner))",
    to: "owner !== undefined",
    test: { file, only: "leaves the policy" },
  },
  {
    name: "an access token ends with its key",
    file: token,
    from: 'if (caller.kind === "refused") return err("accessToken");',
    to: 'if (caller.kind === "refused") return keyById(env, "key_dev", now).then((dev) => (dev.kind === "key" ? ok(dev.record) : err("accessToken")));',
    test: { file, only: "an operator's revocation" },
  },
  {
    name: "a server that passes Authorization on takes no token of ours",
    file: "workers/endpoints/oauth/oauth.ts",
    from: "(connectionTerms(server) === null ? [] : [name])",
    to: "[name]",
    test: { file, only: "a server with its own authorization" },
  },
  {
    name: "a person connects clients where the server's entry names them",
    file: connect,
    from: "if (terms === null || !mayConnect(",
    to: "if (terms === null || false && !mayConnect(",
    test: { file, only: "nobody does whom the server's entry does not name" },
  },
  {
    name: "no end is later than the operator allows",
    file: "shared/review/connect-ends.ts",
    from: 'mostDays === undefined ? ["unused", "day", "year"] :',
    to: 'mostDays !== 1 ? ["unused", "day", "year", "most"] :',
    test: { file, only: "less the tools that the person excepts" },
  },
  {
    name: "tools that a person excepts are denied",
    file: connect,
    from: "chosen.except.length === 0 ? tools :",
    to: "chosen.except.length < 9 ? tools :",
    test: { file, only: "less the tools that the person excepts" },
  },
  {
    name: "a key that an operator revokes takes its grant along, and no ended key is refreshed",
    file: "workers/oauth/worker.ts",
    from: "if (!(await isGood(key, resource)))",
    to: "if (false && !(await isGood(key, resource)))",
    test: { file, only: "the end that they chose" },
  },
  {
    name: "a key ends with the last grant that stands for it",
    file: "workers/objects/oauth-object.ts",
    from: 'if (name.startsWith("grant:")) await this.#endKeyOf(name);',
    to: "",
    test: { file, only: "its client does, by giving its tokens back" },
  },
  {
    name: "and not before the last",
    file: "workers/objects/oauth-object.ts",
    from: "AND name <> ended.name AND",
    to: "AND name <> ended.name AND 1 = 0 AND",
    test: { file, only: "pressed twice" },
  },
  {
    name: "a refresh token that is over ends what came of it",
    file: "workers/oauth/worker.ts",
    from: "if (isNotCurrent) await",
    to: "if (false && isNotCurrent) await",
    test: { file, only: "where a thief refreshed first" },
  },
  {
    name: "only a refresh token that was given ends anything",
    file: "workers/oauth/worker.ts",
    from: "sha256Hex(token)))) === null) return;",
    to: "sha256Hex(token)))) === undefined) return;",
    test: { file, only: "a made-up one ends nothing" },
  },
  {
    name: "registrations that nobody let in are bounded",
    file: "workers/objects/oauth-object.ts",
    from: 'if (name.startsWith("client:")) this.#forgetUnusedClients();',
    to: "",
    test: { file, only: "push out those that nobody let in" },
  },
  {
    name: "a flood of registrations forgets no client that is used",
    file: "workers/oauth/worker.ts",
    from: 'if (!request.clientId.startsWith("https:")) await api.updateClient(request.clientId, {});',
    to: "",
    test: { file, only: "are forgotten after a week, and the others are not" },
  },
  {
    name: "a registration that nobody lets in lasts a week",
    file: "workers/oauth/worker.ts",
    from: "isRegistration ? unusedClientMs : Infinity",
    to: "isRegistration ? Infinity : Infinity",
    test: { file, only: "are forgotten after a week" },
  },
  {
    name: "a flood of registrations refuses no refreshing",
    file: "workers/endpoints/oauth/oauth.ts",
    from: 'isFlooding(c, isRegistration ? "registrations" : "oauth")',
    to: 'isFlooding(c, isRegistration ? "oauth" : "oauth")',
    test: { file, only: "from one address are refused" },
  },
  {
    name: "a registration is small",
    file: "workers/endpoints/oauth/oauth.ts",
    from: "const mostBodyBytes = 32 * 1024;",
    to: "const mostBodyBytes = 64 * 1024;",
    test: { file, only: "at most 32 KiB" },
  },
  {
    name: "a sign-in leads to pages of ours alone",
    file: "shared/review/inbox.ts",
    from: "const connectForm = /^connect\\?[\\x21-\\x7e]{1,4096}$/;",
    to: "const connectForm = /^/;",
    test: { file: "test/workers/contract/inbox-sign-in.test.ts", only: "leads nowhere else" },
  },
];
