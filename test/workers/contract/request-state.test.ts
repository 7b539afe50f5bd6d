// The `requestState` that the relay gives to clients of 2026-07-28: it is good for the very request
// that it was made for, for a day, and what it continues goes to the server once.

import { beforeEach, describe, expect, test } from "vitest";
import { fromBase64url, toBase64url } from "../../../shared/encoding.ts";
import { admin, createKey, env, eventually, gatewayWith, model, openNotice, travel } from "../support/gateway.ts";
import { type Upstream, configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { everything } from "../objects/inside.ts";
import { press } from "../support/reviewer.ts";
import {
  type Asked,
  type Said,
  StatelessClient,
  answerWith,
  continuations,
  formInput,
  responsesTo,
  roundOf,
  samplesOnce,
  samplingInput,
  stateAt,
  textResult,
} from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
const capabilities = { elicitation: { form: {} } };
const accepted = { action: "accept", content: { ok: true } };
const params = { name: "summarize", arguments: { text: "one" } };
const serversState = "the server's own state, in the clear";

let upstream: Upstream;
let client: StatelessClient;
beforeEach(async () => {
  upstream = scriptUpstream();
  client = new StatelessClient();
  await configureServers({
    open: { url, protocol: "2026" },
    "open-other": { url, protocol: "2026" },
    "request-gate": { url, protocol: "2026" },
  });
});

/**
 * A state that holds the server's own, and one that names a call which waits: what sealed them is
 * the same, what opens them is not.
 */
const kinds = {
  "of a round that passes": { inputs: { confirm: formInput } },
  "of a round that is answered in part": { inputs: { confirm: formInput, reply: samplingInput() } },
} as const;

async function stateOf(kind: keyof typeof kinds, at = client, more: object = {}, asked: Asked = {}): Promise<string> {
  upstream.answer = samplesOnce(kinds[kind].inputs, serversState);
  const { result } = await at.call({ ...params, ...more }, { capabilities, ...asked });
  expect(Object.keys(result?.inputRequests ?? {})).toEqual(["confirm"]);
  return result?.requestState ?? "";
}

const retry = (requestState: string, more: object = {}): object => ({
  ...params,
  requestState,
  inputResponses: { confirm: accepted },
  ...more,
});

const isRefused = (said: Said): void => {
  expect(said.error?.code).toBe(-32602);
  expect(continuations(upstream.calls)).toEqual([]);
};

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])("a state %s", (kind) => {
  test("says nothing to whoever reads it, and opens for the same request", async () => {
    const state = await stateOf(kind);
    expect(state).toMatch(/^[\w-]+$/);
    expect(atob(state.replaceAll("-", "+").replaceAll("_", "/"))).not.toContain("server");
    const said = await client.call(retry(state), { capabilities });
    expect(said.result).toMatchObject({ resultType: "complete" });
    expect(continuations(upstream.calls).map(stateAt)).toEqual([serversState]);
    expect(responsesTo(continuations(upstream.calls)[0]!)).toMatchObject({ confirm: accepted });
  });

  test("that was changed in any byte is refused", async () => {
    const state = await stateOf(kind);
    const bytes = fromBase64url(state) ?? new Uint8Array();
    // The key's id, the nonce, the expiry, what is sealed, and the tag: each byte of the head and
    // of the tail, and some between them.
    const places = [...Array(24).keys(), 40, 60, ...Array.from({ length: 17 }, (_, index) => bytes.length - 1 - index)];
    for (const place of places) {
      const changed = bytes.slice();
      changed[place] = (changed[place] ?? 0) ^ 1;
      isRefused(await client.call(retry(toBase64url(changed)), { capabilities }));
    }
  });

  test.each<[string, (state: string) => unknown]>([
    ["empty", () => ""],
    ["cut", (state) => state.slice(0, -4)],
    ["longer", (state) => `${state}AAAA`],
    ["padded", (state) => `${state}=`],
    ["in other letters", (state) => `${state}+/`],
    ["the key's id alone", (state) => state.slice(0, 2)],
    ["the nonce alone", (state) => state.slice(0, 18)],
    ["the server's own", () => serversState],
    ["of 100,000 letters", () => "A".repeat(100_000)],
    ["a number", () => 7],
    ["null", () => null],
    ["a list", (state) => [state]],
  ])("that is %s is refused", async (_what, changed) => {
    const state = await stateOf(kind);
    isRefused(await client.call(retry(changed(state) as string), { capabilities }));
  });

  test.each<[string, object, Asked]>([
    ["other arguments", { arguments: { text: "two" } }, {}],
    ["no arguments", { arguments: undefined }, {}],
    ["a member more", { more: 1 }, {}],
    ["another name", { name: "other" }, {}],
  ])("is refused with %s", async (_what, more, asked) => {
    isRefused(await client.call(retry(await stateOf(kind), more), { capabilities, ...asked }));
  });

  test("is refused with another method, at another server, with another key", async () => {
    const state = await stateOf(kind);
    isRefused(await client.says("prompts/get", retry(state), { capabilities }));
    isRefused(await new StatelessClient("open-other").call(retry(state), { capabilities }));
    const { key } = await createKey();
    isRefused(await new StatelessClient("open", { key }).call(retry(state), { capabilities }));
  });

  test("is good for a day, and no longer", async () => {
    const state = await stateOf(kind);
    travel(24 * 3_600_000 + 1_000);
    isRefused(await client.call(retry(state), { capabilities }));
  });

  test("made with the previous LINK_KEY is accepted, one made with a key of somebody else is not", async () => {
    const with_ = (variables: Parameters<typeof gatewayWith>[0]): ConstructorParameters<typeof StatelessClient>[1] => ({
      send: (path, init) => gatewayWith(variables, path, init),
    });
    const LINK_KEY = "the-next-link-key-0123456789abcdef";
    const state = await stateOf(kind);
    isRefused(await new StatelessClient("open", with_({ LINK_KEY })).call(retry(state), { capabilities }));
    const both = { LINK_KEY, LINK_KEY_PREVIOUS: env.LINK_KEY ?? "" };
    const said = await new StatelessClient("open", with_(both)).call(retry(state), { capabilities });
    expect(said.result).toMatchObject({ resultType: "complete" });
    expect(continuations(upstream.calls)).toHaveLength(1);
  });
});

describe("a state that comes again", () => {
  /** Two rounds of the same tool, each with its own form beside sampling. */
  const twoRounds = (): void => {
    upstream.answer = (call) => {
      if (call.message.method !== "tools/call") return undefined;
      const state = stateAt(call);
      const round = state === undefined ? 1 : Number(String(state).slice(-1)) + 1;
      if (round > 2) return answerWith(call, textResult("done"));
      return answerWith(call, roundOf({ [`confirm${round}`]: formInput, reply: samplingInput(`Round ${round}`) }, `after ${round}`));
    };
  };

  test("after the end gives the kept result, and no second continuation", async () => {
    const state = await stateOf("of a round that is answered in part");
    const first = await client.call(retry(state), { capabilities });
    for (const action of ["accept", "decline"]) {
      const again = await client.call(retry(state, { inputResponses: { confirm: { action } } }), { capabilities });
      expect(again.result).toEqual(first.result);
    }
    expect(continuations(upstream.calls)).toHaveLength(1);
    expect(model.calls).toHaveLength(1);
  });

  test("from an earlier round answers nothing of a later one", async () => {
    twoRounds();
    const first = (await client.call(params, { capabilities })).result?.requestState ?? "";
    const second = await client.call(retry(first, { inputResponses: { confirm1: accepted } }), { capabilities });
    expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(["confirm2"]);
    const inputResponses = { confirm1: { action: "decline" }, confirm2: { action: "decline" }, reply: { role: "assistant" } };
    const again = await client.call(retry(first, { inputResponses }), { capabilities });
    expect(Object.keys(again.result?.inputRequests ?? {})).toEqual(["confirm2"]);
    const last = await client.call(retry(second.result?.requestState ?? "", { inputResponses: { confirm2: accepted } }), { capabilities });
    expect(last.result?.["content"]).toEqual([{ type: "text", text: "done" }]);
    expect(continuations(upstream.calls).map(stateAt)).toEqual(["after 1", "after 2"]);
    const [one = {}, two = {}] = continuations(upstream.calls).map(responsesTo);
    expect([Object.keys(one).toSorted(), Object.keys(two).toSorted()]).toEqual([
      ["confirm1", "reply"],
      ["confirm2", "reply"],
    ]);
    expect([one["confirm1"], two["confirm2"]]).toEqual([accepted, accepted]);
    expect(JSON.stringify([one["reply"], two["reply"]])).toContain("Hello.");
  });

  test("without the answer gets the same question again", async () => {
    const state = await stateOf("of a round that is answered in part");
    for (const inputResponses of [undefined, {}, { other: accepted }, [accepted], "confirm"]) {
      const said = await client.call(retry(state, { inputResponses }), { capabilities });
      expect(Object.keys(said.result?.inputRequests ?? {})).toEqual(["confirm"]);
    }
    expect(continuations(upstream.calls)).toEqual([]);
  });

  test("each day keeps its call for another one, and the key knows of it for as long", async () => {
    const { id, key } = await createKey();
    const mine = new StatelessClient("open", { key });
    let state = await stateOf("of a round that is answered in part", mine);
    for (const _day of [1, 2, 3]) {
      travel(20 * 3_600_000);
      const said = await mine.call(retry(state, { inputResponses: {} }), { capabilities });
      expect(Object.keys(said.result?.inputRequests ?? {})).toEqual(["confirm"]);
      state = said.result?.requestState ?? "";
    }
    expect(await everything()).toContain(serversState);
    expect((await admin(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
    await eventually("nothing of the call", async () => !(await everything()).includes(serversState));
  });

  test("with a reply of the client's own to sampling that is the gateway's is not answered by it", async () => {
    const soon = new StatelessClient("request-gate", { send: (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init) });
    const state = await stateOf("of a round that is answered in part", soon);
    const own = { role: "assistant", model: "own", content: { type: "text", text: "nobody reviewed this" } };
    const inputResponses = { confirm: accepted, reply: own };
    expect((await soon.call(retry(state, { inputResponses }), { capabilities })).result?.["content"]).toBeUndefined();
    expect(continuations(upstream.calls)).toEqual([]);
    await press((await openNotice("request")).link, "approve");
    await eventually("the continuation", async () => {
      await soon.call(retry(state, { inputResponses }), { capabilities });
      return continuations(upstream.calls).length > 0;
    });
    expect(JSON.stringify(continuations(upstream.calls).map(responsesTo))).not.toContain("nobody reviewed");
  });

  test("ten at once send one continuation, and all get its result", async () => {
    const state = await stateOf("of a round that is answered in part");
    const said = await Promise.all(Array.from({ length: 10 }, () => client.call(retry(state), { capabilities })));
    expect(new Set(said.map(({ result }) => JSON.stringify(result))).size).toBe(1);
    expect(said[0]?.result).toMatchObject({ resultType: "complete" });
    expect([continuations(upstream.calls).length, model.calls.length]).toEqual([1, 1]);
  });

  test("while a person thinks says to come again, with a state that is good then", async () => {
    const soon = new StatelessClient("request-gate", { send: (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init) });
    upstream.answer = samplesOnce();
    const states: string[] = [];
    for (const _ of [1, 2]) {
      const { result } = await soon.call({ ...params, ...(states[0] === undefined ? {} : { requestState: states.at(-1) }) });
      expect(result).toEqual({ resultType: "input_required", requestState: expect.any(String) });
      states.push(result?.requestState ?? "");
    }
    await press((await openNotice("request")).link, "approve");
    // The first of them as well as the last.
    const said = await eventually("the end", async () => {
      const { result } = await soon.call({ ...params, requestState: states[0] });
      return result?.["content"] === undefined ? null : result;
    });
    expect((await soon.call({ ...params, requestState: states[1] })).result).toEqual(said);
    expect([continuations(upstream.calls).length, model.calls.length]).toEqual([1, 1]);
  });
});
