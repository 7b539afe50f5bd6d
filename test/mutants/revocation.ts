// Revocation and expiry: with a key ends everything of it, at every endpoint and at every phase of
// its runs.

import type { Mutant } from "./mutant.ts";

const endpoints = { file: "test/workers/contract/revoking.test.ts", only: "is refused with 401 at every endpoint" };
const contract = (only: string): Mutant["test"] => ({ file: "test/workers/contract/revoking.test.ts", only });
const runs = (only: string): Mutant["test"] => ({ file: "test/workers/objects/revoked-runs.test.ts", only });

export const revocationMutants: readonly Mutant[] = [
  {
    name: "a task is its key's at the relay too",
    file: "workers/pipeline/wait/tasks.ts",
    from: "snapshot === null || snapshot.key !== key",
    to: "snapshot === null",
    test: contract("of another key is told that there is none"),
  },
  {
    name: "revocation at tasks/* of the relay",
    file: "workers/endpoints/relay/sampling/relay-sampling.ts",
    from: "const refused = await countCalls(env, key);",
    to: "const refused = null as Awaited<ReturnType<typeof countCalls>>;",
    test: contract("on a stream that was opened before its key was revoked"),
  },
  {
    name: "revocation at tasks/* and notifications",
    file: "workers/endpoints/sampling-endpoint.ts",
    from: "const uncounted = admitted ? null : await countCalls(c.env, c.var.key);",
    to: "const uncounted = null as Awaited<ReturnType<typeof countCalls>>;",
    test: endpoints,
  },
  {
    name: "revocation at GET and DELETE /runs",
    file: "workers/endpoints/runs.ts",
    from: "const refusal = known === null ? null : await countCalls(c.env, known.record);",
    to: "const refusal = null as Awaited<ReturnType<typeof countCalls>>;",
    test: endpoints,
  },
  {
    name: "revocation where no admission follows",
    file: "workers/endpoints/auth.ts",
    from: "const refusal = await countCalls(c.env, c.var.key);",
    to: "const refusal = null as Awaited<ReturnType<typeof countCalls>>;",
    test: endpoints,
  },
  {
    name: "revocation at the relay",
    file: "workers/endpoints/relay/relay-request.ts",
    from: "const refusal = await countCalls(c.env, caller.record);",
    to: "const refusal = null as Awaited<ReturnType<typeof countCalls>>;",
    test: endpoints,
  },
  {
    name: "a revoked key begins no run",
    file: "workers/objects/key/key-object.ts",
    from: "    if (!this.#revoked) this.#dependents.add(dependent, until, this.now());\n    return !this.#revoked;",
    to: "    this.#dependents.add(dependent, until, this.now());\n    return true;",
    test: runs("just after its request was let in"),
  },
  {
    name: "revoking ends what there is of the key",
    file: "workers/objects/key/key-object.ts",
    from: "      this.#dependents.queueAll(now);\n",
    to: "",
    test: runs("as a task: nothing is sent or delivered"),
  },
  {
    name: "the key is asked before a model is called",
    file: "workers/objects/run/act/run-call.ts",
    from: "    if (keyEnd !== null) return this.#uncalled(call, keyEnd);\n",
    to: "",
    test: runs("while its run cannot be told"),
  },
  {
    name: "the key is asked before a reply is let out",
    file: "workers/objects/run/deliver/run-delivery.ts",
    from: 'before.end?.kind === "completed" ? keyEndOf(this.#deps.env, input, this.#deps.now()) : null,',
    to: "null,",
    test: runs("between the last decision and the delivery"),
  },
  {
    name: "an expired key has no model called",
    file: "workers/objects/run/act/run-key.ts",
    from: '  if (key.expiresAt !== undefined && now >= key.expiresAt) return "keyExpired";\n',
    to: "",
    test: runs("before its alarm rings"),
  },
  {
    name: "a run ends when its key expires",
    file: "workers/objects/run/begin/run-start.ts",
    from: '    if (stored.key.expiresAt !== undefined) store.schedule.set("keyExpires", stored.key.expiresAt);\n',
    to: "",
    test: runs("as a task: the run ends with it"),
  },
  {
    name: "a run that is over leaves its model's queue",
    file: "workers/objects/run/run-object.ts",
    from: "          this.#call.stop();\n",
    to: "",
    test: runs("in the queue of a model's lane"),
  },
  {
    name: "windows on a key close when it is revoked",
    file: "workers/objects/key/key-object.ts",
    from: "    this.#windows.endAll();\n",
    to: "",
    test: contract("a stand-alone stream ends"),
  },
  {
    name: "a window on a revoked key is refused",
    file: "workers/objects/key/key-object.ts",
    from: "return this.#revoked ? new Response(null, { status: revokedStatus }) : this.#windows.open(request.headers);",
    to: "return this.#windows.open(request.headers);",
    test: contract("leaves the queue of its model"),
  },
  {
    name: "nothing is kept for a revoked key",
    file: "workers/stubs/of-key.ts",
    from: "return isAdded && !this.#revoked;",
    to: "return isAdded || !this.#revoked;",
    test: contract("nothing is kept for a key that was revoked"),
  },
  {
    name: "a call at the relay ends with its key",
    file: "workers/endpoints/relay/relay-endpoint.ts",
    from: "const first = await Promise.race([answer, watch.ended]);",
    to: "const first = await answer;",
    test: contract("a call whose server has not answered yet"),
  },
  {
    name: "a stream at the relay ends with its key",
    file: "workers/endpoints/relay/sessions/sse-relay.ts",
    from: "watch.ended.then((end) => this.#endWith(end))",
    to: "watch.ended.then(() => {})",
    test: contract("a stand-alone stream ends"),
  },
  {
    name: "a reply on the fast path is not delivered to a key that ended",
    file: "workers/pipeline/start/fast.ts",
    from: "return cutOff(call, called, calling);",
    to: "return (await calling).outcome;",
    test: contract("is told so while the model still thinks"),
  },
];
