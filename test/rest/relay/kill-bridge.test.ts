// Kill -9 of the gateway while a client of 2026-07-28 has calls at servers with sessions: what the
// server can resume goes on, the rest ends with the truth, and nothing is sent twice.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type StatelessAnswer, comeBack, rawStateless } from "../../outside/support/raw-stateless.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

let office: RelayOffice;
let servers: Record<"resumable" | "forgetful", OldServer>;
beforeAll(async () => {
  const [resumable, forgetful] = await Promise.all([serveOld({ resumable: true }), serveOld()]);
  servers = { resumable, forgetful };
  office = await relayOffice({ RELAY_HOLD_SECONDS: "1" });
  const rule = { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"] } };
  await office.rule({ ...openGates, rules: [rule], reviewers: { everyone: [{ name: "Ada" }] } });
  const at = ({ url }: OldServer, more: object = {}): object => ({ url, allowPrivate: true, ...more });
  await office.serve({
    resumable: at(servers.resumable),
    forgetful: at(servers.forgetful),
    signed: at(servers.resumable, { passAuthorization: true }),
  });
});
afterAll(async () => {
  await Promise.all([office?.close(), servers?.resumable.close(), servers?.forgetful.close()]);
});

const accepted = { action: "accept", content: { confirm: true } };
const stateOf = ({ message }: StatelessAnswer): string => {
  const state = message.result?.requestState;
  if (state === undefined) throw new Error(`no state: ${JSON.stringify(message)}`);
  return state;
};
const keyOf = ({ message }: StatelessAnswer): string => Object.keys(message.result?.inputRequests ?? {})[0] ?? "";
const textOf = ({ message }: StatelessAnswer): string | undefined => message.result?.content?.[0]?.text;
const restart = async (): Promise<void> => {
  await office.kill();
  await office.start();
};
const decided = new Set<string>();
/** Approves the review that nobody has decided yet. */
const approve = async (): Promise<void> => {
  const { run, link } = await until("its review", async () => (await office.notices()).find((each) => !decided.has(each.run)));
  decided.add(run);
  expect((await decideByLink(link ?? "", "approve")).status).toBe(303);
};

describe("a kill -9 while a server with sessions waits", () => {
  test("for a person: the server gets the reply once, and the client that comes back gets the result", async () => {
    const client = rawStateless(office.relay("resumable"));
    const given = { question: "Person?" };
    const state = stateOf(await client.call("ask", given));
    await restart();
    await approve();
    expect(textOf(await comeBack(client, ["ask", given], state))).toContain("Hello");
    expect(servers.resumable.runs).toEqual(["ask"]);
    expect(servers.resumable.answers).toHaveLength(1);
  });

  test("for a person, where it samples beside its request", async () => {
    const client = rawStateless(office.relay("resumable"));
    const given = { question: "Beside?" };
    const state = stateOf(await client.call("aside", given));
    await restart();
    await approve();
    expect(textOf(await comeBack(client, ["aside", given], state))).toContain("Hello");
    expect(servers.resumable.runs).toEqual(["ask", "aside"]);
    expect(servers.resumable.answers).toHaveLength(2);
  });

  test("for its client: the answer is posted once, and the client gets the result", async () => {
    const client = rawStateless(office.relay("resumable"));
    const given = { question: "Client?" };
    const first = await client.call("elicit", given);
    await restart();
    const answer = await comeBack(client, ["elicit", given], stateOf(first), { [keyOf(first)]: accepted });
    expect(textOf(answer)).toBe(JSON.stringify(accepted));
    expect(servers.resumable.runs.filter((name) => name === "elicit")).toHaveLength(1);
    expect(servers.resumable.answers.filter((text) => text.includes("confirm"))).toHaveLength(1);
  });

  test("for its client, who repeats the request instead", async () => {
    const client = rawStateless(office.relay("resumable"));
    const given = { question: "Repeated?" };
    await client.call("elicit", given);
    await restart();
    const again = await client.call("elicit", given);
    const answer = await comeBack(client, ["elicit", given], stateOf(again), { [keyOf(again)]: accepted });
    expect(textOf(answer)).toBe(JSON.stringify(accepted));
    expect(servers.resumable.runs.filter((name) => name === "elicit")).toHaveLength(2);
  });

  test("nobody comes back: the call goes on all the same, and its result is there later", async () => {
    const client = rawStateless(office.relay("resumable"));
    const given = { question: "Later?" };
    const state = stateOf(await client.call("ask", given));
    await restart();
    const before = servers.resumable.answers.length;
    await approve();
    await until("the answer", () => servers.resumable.answers.length > before);
    await restart();
    expect(textOf(await comeBack(client, ["ask", given], state))).toContain("Hello");
    expect(servers.resumable.runs.filter((name) => name === "ask")).toHaveLength(2);
  });

  test("with the client's own credential: the call goes on when the client is back with it", async () => {
    const headers = { Authorization: "Bearer its-own", "X-Countersign-Key": relayKey };
    const client = rawStateless(office.relay("signed"), { headers });
    const given = { question: "Signed?" };
    const first = await client.call("elicit", given);
    await restart();
    const answer = await comeBack(client, ["elicit", given], stateOf(first), { [keyOf(first)]: accepted });
    expect(textOf(answer)).toBe(JSON.stringify(accepted));
    expect(servers.resumable.runs.filter((name) => name === "elicit")).toHaveLength(3);
  });

  test("where it cannot resume, the client is told that the outcome is unknown, and the next call is served", async () => {
    const client = rawStateless(office.relay("forgetful"));
    const [given, other] = [{ question: "Forgotten?" }, { question: "Form?" }];
    const [state, asked] = [stateOf(await client.call("ask", given)), stateOf(await client.call("elicit", other))];
    await restart();
    const ended = await Promise.all([comeBack(client, ["ask", given], state), comeBack(client, ["elicit", other], asked)]);
    for (const { message } of ended) expect(message.error?.message).toMatch(/unknown/);
    expect(servers.forgetful.runs).toEqual(["ask", "elicit"]);
    expect(textOf(await client.call("plain"))).toBe("Plain.");
    expect(servers.forgetful.sessions()).toBe(1);
  });

  test("and the server has forgotten the session too: the call ends, and the next one begins a new session", async () => {
    const client = rawStateless(office.relay("resumable"));
    const given = { question: "Both?" };
    const state = stateOf(await client.call("elicit", given));
    await office.kill();
    servers.resumable.restart();
    await office.start();
    expect((await comeBack(client, ["elicit", given], state)).message.error?.message).toMatch(/unknown/);
    expect(textOf(await client.call("count"))).toBe("1");
  });
});
