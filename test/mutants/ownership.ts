// Ownership and admission: a key reaches its own runs, sessions, servers and models, while it is
// not revoked.

import type { Mutant } from "./mutant.ts";

const keys = "test/workers/contract/keys.test.ts";

export const ownershipMutants: readonly Mutant[] = [
  {
    name: "a run is its key's",
    file: "workers/endpoints/runs.ts",
    from: "if (snapshot === null || (caller.key !== null && snapshot.key !== caller.key)) return c.json(unknown, 404);",
    to: "if (snapshot === null) return c.json(unknown, 404);",
    test: { file: "test/workers/contract/async.test.ts", only: "is for the key that made it|by another key" },
  },
  {
    name: "a task is its key's",
    file: "workers/pipeline/wait/tasks.ts",
    from: "snapshot === null || snapshot.key !== key",
    to: "snapshot === null",
    test: { file: "test/workers/contract/tasks.test.ts", only: "of an unknown id" },
  },
  {
    name: "a made-up run id wakes nothing",
    file: "workers/pipeline/wait/tasks.ts",
    from: "const snapshot = genuine ? await runStub(env, taskId).snapshot() : null;",
    to: 'const snapshot = await runStub(env, genuine || taskId !== "" ? taskId : taskId).snapshot();',
    test: { file: "test/workers/contract/tasks.test.ts", only: "of an unknown id" },
  },
  {
    name: "a key needs the scope for sampling",
    file: "workers/endpoints/auth.ts",
    from: 'if (!caller.record.scopes.includes("sampling")) return refuseKnown(c, "sampling", { kind: "wrongScope", scope: "sampling" });',
    to: "",
    test: { file: keys, only: "a key for the control endpoint alone" },
  },
  {
    name: "a server is for its keys",
    file: "workers/endpoints/relay/relay-request.ts",
    from: "if (caller.record.servers !== undefined && !caller.record.servers.includes(name))",
    to: "if (caller.record.servers !== undefined && caller.record.servers.length > 99)",
    test: { file: "test/workers/contract/relay.test.ts", only: "only at the servers that it is for" },
  },
  {
    name: "an expired key is refused",
    file: "workers/stores/keys.ts",
    from: 'if (record.expiresAt !== undefined && now >= record.expiresAt) return { kind: "refused", why: "expired" };',
    to: "",
    test: { file: keys, only: "that expires" },
  },
  {
    name: "a key that KV shows revoked is refused",
    file: "workers/stores/keys.ts",
    from: 'if (revokedAt !== null) return { kind: "refused", why: "revoked" };',
    to: "",
    test: { file: keys, only: "revoked" },
  },
  {
    name: "a revoked key is not admitted",
    file: "workers/objects/key/key-object.ts",
    from: 'if (this.#revoked) return { kind: "revoked" };\n    const now = this.now();\n    this.#end(released',
    to: "const now = this.now();\n    this.#end(released",
    test: { file: keys, only: "refused by the object that admits it" },
  },
  {
    name: "the admin token is compared",
    file: "workers/endpoints/auth.ts",
    from: "presented !== undefined && equalBytes(utf8ToBytes(presented), utf8ToBytes(adminToken));",
    to: "presented !== undefined;",
    test: { file: keys, only: "operator" },
  },
  {
    name: "the operator's view of a request holds no content",
    file: "workers/endpoints/admin/operator-runs.ts",
    from: "return c.json({ ...lineOf(line),",
    to: 'return c.json({ ...(await runStub(c.env, c.req.param("id")).snapshot()), ...lineOf(line),',
    test: { file: "test/workers/contract/audit.test.ts", only: "the operator does not" },
  },
  {
    name: "the development key counts on a loopback address",
    file: "workers/platform/settings.ts",
    from: "devApiKey: loopback && ",
    to: "devApiKey: ",
    test: { file: keys, only: "the development key counts only" },
  },
];
