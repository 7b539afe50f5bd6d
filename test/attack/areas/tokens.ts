// Scoped tokens and /v1: a server that has a token reaching for what it is not for, and a key reaching through /v1 for another's.

import { type Area, type Attack, eachOf, must, mustEqual, mustNotHave } from "../attack.ts";
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
      mustEqual(answer.status, 401, "the status");
      mustNotHave(answer.text, key.slice(4), "the answer");
    },
  }),
);

const changed: Attack = {
  name: "a scoped token that was changed anywhere is unknown",
  run: async (world) => {
    const token = await tokenOf(world);
    for (let at = 4; at < token.length; at += 7) {
      const other = `${token.slice(0, at)}${token[at] === "A" ? "B" : "A"}${token.slice(at + 1)}`;
      must((await chat(world, other)).status === 401, `with another letter at ${at} it was accepted`);
    }
    for (const other of ["cst_", `${token}A`, token.slice(0, -1), `${token.slice(0, 4)}${"A".repeat(20_000)}`])
      must((await chat(world, other)).status === 401, "it was accepted");
  },
};

const ended: Attack = {
  name: "a scoped token is dead once its client request or its session has ended, and no new one is made for it",
  run: async (world) => {
    const originatingRequest = { id: 1, method: "tools/call", name: "summarize", server: "open" };
    const [one, two] = [`over-${requests}a`, `over-${requests}b`];
    const first = await tokenOf(world, { session: one, originatingRequest });
    const second = await tokenOf(world, { session: two, originatingRequest });
    must((await chat(world, first)).status === 200, "it was refused before its end: the attack shows nothing");
    await world.ask(`/sessions/${one}/requests/1?server=open`, { method: "DELETE", key: world.ann.key });
    await world.ask(`/sessions/${two}`, { method: "DELETE", key: world.ann.key });
    const calls = world.model.requests.length;
    for (const token of [first, second]) must((await chat(world, token)).status === 400, "it was served after its end");
    must((await ask(world, claim({ session: one, originatingRequest }))).status === 403, "a new one was made for an ended request");
    must((await ask(world, claim({ session: two }))).status === 403, "a new one was made for an ended session");
    mustEqual(world.model.requests.length, calls, "calls of the model");
  },
};

const widened: Attack = {
  name: "a scoped token spends no more than it may, however many requests come at once",
  run: async (world) => {
    const token = await tokenOf(world, { maxUsd: 0.000_000_001 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => chat(world, token, { messages: [{ role: "user", content: "poor" }] })),
    );
    for (const { status } of answers) mustEqual(status, 402, "the status");
    mustEqual(callsWith(world, "poor"), 0, "calls of the model");
  },
};

const names: Attack = {
  name: "no token is made for a server with the gateway's own names, for another's session name, or for a key without the scope",
  run: async (world) => {
    for (const server of ["v1", "V1", "control", ""]) {
      const originatingRequest = { id: 1, method: "tools/call", name: "x", server };
      must((await ask(world, claim({ originatingRequest }))).status === 400, `one was made for ${JSON.stringify(server)}`);
    }
    for (const session of ["mcp:1", "", "x".repeat(200), "a b"])
      must((await ask(world, claim({ session }))).status === 400, `one was made in ${JSON.stringify(session)}`);
    const { key } = await world.newKey({ scopes: ["sampling"] });
    must((await ask(world, claim(), key)).status === 403, "a key without the scope v1 got one");
    must((await chat(world, key)).status === 403, "a key without the scope v1 was served");
  },
};

const idempotency: Attack = {
  name: "an Idempotency-Key finds no other key's request, and the same key with another body is refused",
  run: async (world) => {
    const headers = { "Idempotency-Key": `shared-${(requests += 1)}` };
    const [ann, bob] = [await tokenOf(world), (await ask(world, claim(), world.bob.key)).json as { readonly token: string }]; // the contract's
    const anns = await chat(world, ann, {}, headers);
    must(anns.status === 200, `the status is ${anns.status}`);
    const bobs = await chat(world, bob.token, {}, headers);
    const runOf = ({ json }: Answer): string => (json as { readonly countersign: { readonly run: string } }).countersign.run;
    must(bobs.status === 200 && runOf(bobs) !== runOf(anns), "Bob got the answer to Ann's request");
    must((await chat(world, ann, { max_tokens: 21 }, headers)).status === 409, "another body was served");
  },
};

export const tokens: Area = {
  name: "tokens",
  about: "scoped tokens beyond what they are for, and /v1",
  attacks: [...elsewhere, changed, ended, widened, names, idempotency],
};
