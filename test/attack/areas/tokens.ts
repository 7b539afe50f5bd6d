// Scoped tokens and /v1: a server that has a token reaching for what it is not for, and a key
// reaching through /v1 for another's.

import { expect } from "vitest";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { callsWith } from "../people.ts";
import type { Answer, World } from "../world.ts";

let requests = 0;

const claim = (more: object = {}): object => ({
  session: `token-${(requests += 1)}`,
  originatingRequest: { id: requests, method: "tools/call", name: "summarize", server: "open" },
  maxUsd: 1,
  ...more,
});

const ask = (world: World, body: object, key: string = world.ann.key): Promise<Answer> => world.ask("/tokens", { key, body });

async function tokenOf(world: World, more: object = {}): Promise<string> {
  const answer = await ask(world, claim(more));
  if (answer.status !== 201) throw new Error(`tokens: ${answer.status} ${answer.text}`);
  return (answer.json as { readonly token: string }).token; // the contract's
}

const chat = (world: World, key: string, more: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  world.ask("/v1/chat/completions", {
    key,
    headers,
    body: { model: "auto", messages: [{ role: "user", content: "token attack" }], max_tokens: 20, ...more },
  });

const elsewhere = eachOf(
  [
    ["POST", "/sampling"],
    ["POST", "/control"],
    ["POST", "/tokens"],
    ["POST", "/mcp/notes"],
    ["GET", "/runs/run_1"],
    ["DELETE", "/sessions/sess-1"],
    ["GET", "/admin/keys"],
    ["POST", "/admin/doctor"],
  ] as const,
  ([method, path]) => ({
    name: `a scoped token is no credential at ${method} ${path}`,
    run: async (world) => {
      const key = await tokenOf(world);
      const answer = await world.ask(path, { method, key, ...(method === "POST" ? { body: {} } : {}) });
      expect(answer.status, "the status").toBe(401);
      expect(answer.text, "the answer").not.toContain(key.slice(4));
    },
  }),
);

const changed: Attack = {
  name: "a scoped token that was changed anywhere is unknown",
  run: async (world) => {
    const token = await tokenOf(world);
    for (let at = 4; at < token.length; at += 7) {
      const other = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      expect((await chat(world, other)).status, `with another letter at ${at} it was accepted`).toBe(401);
    }
    for (const other of ["cst_", `${token}A`, token.slice(0, -1), `${token.slice(0, 4)}${"A".repeat(20_000)}`])
      expect((await chat(world, other)).status, "it was accepted").toBe(401);
  },
};

const ended: Attack = {
  name: "a scoped token is dead once its client request or its session has ended, and no new one is made for it",
  run: async (world) => {
    const originatingRequest = { id: 1, method: "tools/call", name: "summarize", server: "open" };
    const [one, two] = [`over-${requests}a`, `over-${requests}b`];
    const first = await tokenOf(world, { session: one, originatingRequest });
    const second = await tokenOf(world, { session: two, originatingRequest });
    expect((await chat(world, first)).status, "it was refused before its end: the attack shows nothing").toBe(200);
    await world.ask(`/sessions/${one}/requests/1?server=open`, { method: "DELETE", key: world.ann.key });
    await world.ask(`/sessions/${two}`, { method: "DELETE", key: world.ann.key });
    const calls = world.model.requests.length;
    for (const token of [first, second]) expect((await chat(world, token)).status, "it was served after its end").toBe(400);
    expect((await ask(world, claim({ session: one, originatingRequest }))).status, "a new one was made for an ended request").toBe(403);
    expect((await ask(world, claim({ session: two }))).status, "a new one was made for an ended session").toBe(403);
    expect(world.model.requests.length, "calls of the model").toEqual(calls);
  },
};

const widened: Attack = {
  name: "a scoped token spends no more than it may, however many requests come at once",
  run: async (world) => {
    const token = await tokenOf(world, { maxUsd: 0.000_000_001 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => chat(world, token, { messages: [{ role: "user", content: "poor" }] })),
    );
    for (const { status } of answers) expect(status, "the status").toBe(402);
    expect(callsWith(world, "poor"), "calls of the model").toBe(0);
  },
};

const names: Attack = {
  name: "no token is made for a server with the gateway's own names, for another's session name, or for a key without the scope",
  run: async (world) => {
    for (const server of ["v1", "V1", "control", ""]) {
      const originatingRequest = { id: 1, method: "tools/call", name: "x", server };
      expect((await ask(world, claim({ originatingRequest }))).status, `one was made for ${JSON.stringify(server)}`).toBe(400);
    }
    for (const session of ["mcp:1", "", "x".repeat(200), "a b"])
      expect((await ask(world, claim({ session }))).status, `one was made in ${JSON.stringify(session)}`).toBe(400);
    const { key } = await world.newKey({ scopes: ["sampling"] });
    expect((await ask(world, claim(), key)).status, "a key without the scope v1 got one").toBe(403);
    expect((await chat(world, key)).status, "a key without the scope v1 was served").toBe(403);
  },
};

const idempotency: Attack = {
  name: "an Idempotency-Key finds no other key's request, and the same key with another body is refused",
  run: async (world) => {
    const headers = { "Idempotency-Key": `shared-${(requests += 1)}` };
    const [ann, bob] = [await tokenOf(world), (await ask(world, claim(), world.bob.key)).json as { readonly token: string }]; // the contract's
    const anns = await chat(world, ann, {}, headers);
    expect(anns.status, "the status").toBe(200);
    const bobs = await chat(world, bob.token, {}, headers);
    const runOf = ({ json }: Answer): string => (json as { readonly countersign: { readonly run: string } }).countersign.run;
    expect(bobs.status === 200 && runOf(bobs) !== runOf(anns), "Bob got the answer to Ann's request").toBe(true);
    expect((await chat(world, ann, { max_tokens: 21 }, headers)).status, "another body was served").toBe(409);
  },
};

export const tokens: Area = {
  name: "tokens",
  about: "scoped tokens beyond what they are for, and /v1",
  attacks: [...elsewhere, changed, ended, widened, names, idempotency],
};
