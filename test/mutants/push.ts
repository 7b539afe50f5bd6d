// Push notices: where the gateway posts to, whose devices are whose, and what leaves it.

import type { Mutant } from "./mutant.ts";

const subscription = { file: "shared/channels/push/subscription.ts" };
const devices = { file: "workers/objects/inbox/inbox-devices.ts" };
const object = { file: "workers/objects/inbox/inbox-object.ts" };
const pushing = { file: "workers/objects/inbox/inbox-pushing.ts" };
const renderers = { file: "shared/channels/push/push-renderers.ts" };
const inInbox = (only: string): Mutant["test"] => ({ file: "test/workers/contract/devices.test.ts", only });
const sent = (only: string): Mutant["test"] => ({ file: "test/workers/channels/push.test.ts", only });
const worker = { file: "workers/ui/inbox/push-worker.ts", test: { file: "test/shared/channels/push-worker.test.ts" } };

export const pushMutants: readonly Mutant[] = [
  {
    ...subscription,
    name: "a device's address is a public host",
    from: " && !isPrivateHost(hostname)",
    to: "",
    test: inInbox("a private address is refused"),
  },
  {
    ...subscription,
    name: "a device's address is https",
    from: 'return protocol === "https:" && port',
    to: "return port",
    test: inInbox("no https is refused"),
  },
  { ...subscription, name: "a device's address has no port", from: ' && port === ""', to: "", test: inInbox("another port is refused") },
  {
    ...subscription,
    name: "a device's address has no user name",
    from: 'if (username !== "" || password !== "" || hash !== "") return false;',
    to: "",
    test: inInbox("a user name is refused"),
  },
  {
    ...pushing,
    name: "a device's address is judged before each message",
    from: ' || !mayPostTo(url, settingsOf(this.#env).publicUrl ?? "")',
    to: "",
    test: sent("no subscription may have"),
  },
  {
    ...pushing,
    name: "a device is for one key of the gateway",
    from: "authorization.publicKey !== key || ",
    to: "",
    test: sent("for another key"),
  },
  {
    ...devices,
    name: "a device is one address's",
    from: "return rows.filter((row) => row.address === address);",
    to: "return rows;",
    test: sent("whose address changed"),
  },
  {
    ...devices,
    name: "a new subscription needs its device's secret",
    from: "WHERE secret = ? AND address = ?",
    to: "WHERE ? <> '' AND address = ?",
    test: inInbox("with its own secret"),
  },
  { ...devices, name: "a person has 20 devices", from: ".length >= mostDevices", to: ".length > 1_000", test: inInbox("20 are the most") },
  {
    ...object,
    name: "a device is turned on by a session that there is",
    from: "if (!this.#isGood(visitor)) return null;\n    this.tables.create();\n    const added",
    to: "this.tables.create();\n    const added",
    test: inInbox("a session that there is not"),
  },
  {
    ...object,
    name: "a device is turned off by a session that there is",
    from: "if (!this.#isGood(visitor)) return null;\n    if (this.tables.exist) this",
    to: "if (this.tables.exist) this",
    test: inInbox("a session that there is not"),
  },
  {
    ...object,
    name: "devices end with all sessions",
    from: "if (session === null) this.#devices.removeAll();",
    to: "",
    test: inInbox("signs out everywhere"),
  },
  {
    name: "a push message's length says nothing",
    file: "workers/channels/push/message-encryption.ts",
    from: "new Uint8Array(padding)",
    to: "new Uint8Array(0)",
    test: { file: "test/workers/channels/message-encryption.test.ts", only: "the same length" },
  },
  {
    ...renderers,
    name: "a push notice has content where the policy allows it",
    from: "inboxExcerpt({ view, excerpt,",
    to: 'inboxExcerpt({ view, excerpt: "start",',
    test: sent("says server, tool"),
  },
  { ...renderers, name: "content in a push notice is one line", from: '.replaceAll(/\\s+/g, " ")', to: "", test: sent("quotes content") },
  { ...worker, name: "a notice opens the gateway's own pages", from: "url !== null && url.origin === location.origin", to: "url !== null" },
];
