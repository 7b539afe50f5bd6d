// Servers of 2026-07-28 that break the rules: what their clients get is bounded, says what is
// wrong, and asks for nothing that went around the gates.

import { beforeEach, describe, expect, test } from "vitest";
import { configure, createKey, gatewayWith, model, policy, publicUrl } from "../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  type UpstreamCall,
  configureServers,
  scriptUpstream,
  streamOf,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import {
  type Said,
  StatelessClient,
  answerWith,
  continuations,
  formInput,
  lastOf,
  messagesOf,
  resultFor,
  rootsInput,
  roundOf,
  samplesOnce,
  samplingInput,
  textResult,
  urlInput,
} from "../support/stateless.ts";
import { framesOf } from "../support/stream.ts";

const url = `${upstreamOrigin}/mcp`;
const everything = { elicitation: { form: {}, url: {} }, roots: {}, sampling: { tools: {} } };
const call = { name: "summarize", arguments: {} };

let upstream: Upstream;
let client: StatelessClient;
beforeEach(async () => {
  upstream = scriptUpstream();
  client = new StatelessClient();
  await configureServers({ open: { url, protocol: "2026" }, "open-own": { url, protocol: "2026", passAuthorization: true } });
});

const onCall = (answer: (call: UpstreamCall) => Response | Promise<Response>): void => {
  upstream.answer = (each) => (each.message.method === "tools/call" ? answer(each) : undefined);
};
/** Both ways of an answer. */
const ways = [false, true] as const;

describe("a round", () => {
  test.each<[string, object, RegExp]>([
    ["with a state of 1 MB", roundOf({ reply: samplingInput() }, "s".repeat(1_000_000)), /requestState of more than 262144/],
    ["with a state of 1 MB alone", roundOf(undefined, "s".repeat(1_000_000)), /requestState of more than 262144/],
    ["that asks for nothing", roundOf(), /without saying which/],
    ["that asks for no inputs", roundOf({}), /without saying which/],
    ["with a state that is a number", roundOf({ reply: samplingInput() }, 7), /requestState that is no text/],
    ["with a list of inputs", { resultType: "input_required", inputRequests: [samplingInput()] }, /inputRequests that are no object/],
    [
      "that asks for a tool",
      roundOf({ reply: samplingInput(), other: { method: "tools/call", params: call } }),
      /no sampling\/createMessage/,
    ],
    ["that asks for an unknown method", roundOf({ other: { method: "files/upload" } }), /no sampling\/createMessage/],
    ["with an input that is null", roundOf({ other: null }), /no sampling\/createMessage/],
    [
      "of a thousand inputs",
      roundOf(Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, samplingInput()]))),
      /more than 64/,
    ],
    ["with a key of 1,000 letters", roundOf({ ["k".repeat(1_000)]: samplingInput() }), /cannot be read/],
    ["that leads to the gateway", roundOf({ open: urlInput(`${publicUrl}/r/x`), reply: samplingInput() }), /address of the gateway/],
    ["that leads to the gateway alone", roundOf({ open: urlInput("HTTP://localhost.:8787/inbox") }), /address of the gateway/],
    ["that leads to it by another name of this machine", roundOf({ open: urlInput("http://[::1]:8787/inbox") }), /address of the gateway/],
    [
      "under the gateway's own key",
      roundOf({ "countersign/review": urlInput("https://evil.example/") }),
      /key that begins with countersign/,
    ],
    ["under that key in another spelling", roundOf({ "Countersign\u200b\uff0freview": formInput }), /key that begins with countersign/],
  ])("%s ends the call with an error, and nothing is sampled", async (_what, round, message) => {
    for (const asStream of ways) {
      onCall((each) => answerWith(each, round, asStream));
      const answer = await client.request("tools/call", call, { capabilities: everything });
      expect(answer.status).toBe(asStream ? 200 : 502);
      expect((await lastOf(answer)).error).toMatchObject({ code: -32603, message: expect.stringMatching(message) });
    }
    expect([model.calls.length, continuations(upstream.calls).length]).toEqual([0, 0]);
  });

  test.each<[string, object, object, object]>([
    ["a form", formInput, {}, { elicitation: { form: {} } }],
    ["a form of one that opens addresses", formInput, { elicitation: { url: {} } }, { elicitation: { form: {} } }],
    ["an address of one that fills in forms", urlInput("https://idp.example.com/"), { elicitation: {} }, { elicitation: { url: {} } }],
    ["roots", rootsInput, { elicitation: {} }, { roots: {} }],
  ])(
    "that asks the client for %s which it did not declare is -32021, at the first round and at a later one",
    async (_what, input, capabilities, missing) => {
      for (const asStream of ways) {
        onCall((each) => answerWith(each, roundOf({ reply: samplingInput(), other: input }), asStream));
        const answer = await client.request("tools/call", call, { capabilities });
        const { error } = await lastOf(answer);
        expect([answer.status, error?.code, error?.data]).toEqual([asStream ? 200 : 400, -32021, { requiredCapabilities: missing }]);
        expect(model.calls).toEqual([]);
      }
      onCall((each) =>
        answerWith(
          each,
          continuations([each]).length === 0
            ? roundOf({ reply: samplingInput() })
            : roundOf({ reply: samplingInput("Again."), other: input }),
        ),
      );
      const { error } = await client.call({}, { capabilities });
      expect([error?.code, error?.data]).toEqual([-32021, { requiredCapabilities: missing }]);
      expect([model.calls.length, continuations(upstream.calls).length]).toEqual([1, 1]);
    },
  );

  test("that leads to the gateway is refused at a later round too", async () => {
    onCall((each) =>
      answerWith(
        each,
        continuations([each]).length === 0 ? roundOf({ reply: samplingInput() }) : roundOf({ open: urlInput(`${publicUrl}/inbox`) }),
      ),
    );
    const { error, result } = await client.call({}, { capabilities: everything });
    expect([result, error?.message]).toEqual([undefined, expect.stringMatching(/address of the gateway/)]);
  });

  test("of what a list may not ask for is refused", async () => {
    for (const method of ["tools/list", "resources/list", "completion/complete", "server/discover"]) {
      upstream.answer = (each) => answerWith(each, roundOf({ reply: samplingInput() }));
      const answer = await client.request(method, {}, { capabilities: everything });
      expect([answer.status, (await lastOf(answer)).error?.message]).toEqual([502, expect.stringContaining(method)]);
    }
    expect(model.calls).toEqual([]);
  });

  test("that comes for ever ends after a number of rounds: of states, of the same sampling, of sampling with other states", async () => {
    const { key } = await createKey({ limits: { callsPerMinute: 1_000, roundsPerOriginatingRequest: 5 } });
    const limited = new StatelessClient("open", { key });
    let rounds = 0;
    const endings: (readonly [number, string | undefined])[] = [];
    for (const round of [
      () => roundOf({ reply: samplingInput() }),
      () => roundOf({ reply: samplingInput() }, "same"),
      () => roundOf({ reply: samplingInput() }, `state ${rounds}`),
      () => (rounds === 1 ? roundOf({ reply: samplingInput() }) : roundOf(undefined, `state ${rounds}`)),
    ]) {
      rounds = 0;
      onCall((each) => {
        rounds += 1;
        return answerWith(each, round());
      });
      const { result, error } = await limited.call({ arguments: { of: endings.length } });
      endings.push([rounds, JSON.stringify(result ?? error)]);
    }
    for (const [count, said] of endings) {
      expect(count).toBeLessThanOrEqual(101);
      expect(said).toMatch(/rounds/);
    }
    expect(model.calls.length).toBeLessThanOrEqual(16);
  });

  test("of a state alone for ever ends after a hundred, however often the client comes back", async () => {
    const { key } = await createKey({ limits: { callsPerMinute: 1_000 } });
    const limited = new StatelessClient("open", { key });
    let rounds = 0;
    onCall((each) => {
      rounds += 1;
      return answerWith(each, roundOf(undefined, `state ${rounds}`));
    });
    const { error } = await limited.callToEnd();
    expect([rounds, error?.message]).toEqual([101, expect.stringMatching(/more than 100 rounds/)]);
  });
});

describe("a request for sampling that is no round", () => {
  const asks = (id: unknown = 1): object => ({ jsonrpc: "2.0", id, ...samplingInput() });
  const asText = (id: unknown = 1): string => JSON.stringify(asks(id));
  const escaped = (text: string): string =>
    text.replaceAll("createMessage", "\\u0063reateMessage").replaceAll("input_required", "input\\u005frequired");
  const inAnotherCase = (text: string): string =>
    text.replace('"method"', '"Method"').replace('"resultType"', '"ResultType"').replace('"inputRequests"', '"InputRequests"');
  const round = (each: UpstreamCall): string => JSON.stringify(resultFor(each, roundOf({ reply: samplingInput() })));
  const seen = (text: string): boolean => /createMessage|input_required|\\u0063reateMessage|input\\u005frequired/.test(text);

  const inPlaceOfAnAnswer: Readonly<Record<string, (each: UpstreamCall) => string | Uint8Array>> = {
    "as it is": ({ message }) => asText(message.id),
    "with another id": () => asText("other"),
    "with escapes": ({ message }) => escaped(asText(message.id)),
    "with names in another case": ({ message }) => inAnotherCase(asText(message.id)),
    "with its name twice": ({ message }) => asText(message.id).replace('"method"', '"method":"sampling/createMessage","method":"x","_"'),
    "beside a result": ({ message }) => asText(message.id).replace('"method"', '"result":{"resultType":"complete","content":[]},"method"'),
    "in a list": ({ message }) => `[${asText(message.id)}]`,
    "in JSON that only some read": ({ message }) => asText(message.id).replace("50", "NaN"),
    "in UTF-16": ({ message }) => new Uint8Array(new Uint16Array([...asText(message.id)].map((each) => each.charCodeAt(0))).buffer),
    "in UTF-16 with its mark": ({ message }) =>
      new Uint8Array(new Uint16Array([..."\uFEFF", ...asText(message.id)].map((each) => each.charCodeAt(0))).buffer),
    "as a round whose names are in another case": (each) => inAnotherCase(round(each)),
    "as a round that says twice what it is": (each) =>
      round(each).replace('"resultType"', '"resultType":"input_required","resultType":"complete","_"'),
    "as a round beside a result": (each) => round(each).replace('"result":', '"result":{"resultType":"complete","content":[]},"Result":'),
    "as a round before a result": (each) => round(each).replace(/\}$/, ',"result":{"resultType":"complete","content":[]}}'),
  };

  test.each(Object.entries(inPlaceOfAnAnswer))("in place of a JSON answer, %s, never reaches the client", async (_how, text) => {
    for (const status of [200, 400, 404, 500]) {
      onCall((each) => new Response(text(each), { status, headers: { "Content-Type": "application/json" } }));
      const answer = await client.request("tools/call", call, { capabilities: everything });
      const body = new Uint8Array(await answer.arrayBuffer());
      const said = new TextDecoder().decode(body);
      expect([status, seen(said), body.includes(0)]).toEqual([status, false, false]);
      expect((JSON.parse(said) as Said).error?.code).toBe(-32603);
    }
    expect(model.calls).toEqual([]);
  });

  const event = (data: string): string => `event: message\ndata: ${data}\n\n`;
  const hidden = (data: string, end: string): string =>
    `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${end}${end}data: ${data.replaceAll('"', "'")}${end}${end}"}}`;
  const onTheStream: Readonly<Record<string, string>> = {
    "as it is": event(asText()),
    "with escapes": event(escaped(asText())),
    "with names in another case": event(inAnotherCase(asText())),
    "without an id": event(JSON.stringify({ jsonrpc: "2.0", ...samplingInput() })),
    "with an id in another case": event(inAnotherCase(asText()).replace('"id"', '"Id"')),
    "with its id in another case and its name twice": event(
      asText().replace('"id"', '"Id"').replace('"method"', '"method":"sampling/createMessage","method":"notifications/message","_"'),
    ),
    "in a list": event(`[${asText()}]`),
    "in several lines": asText()
      .replaceAll(",", ",\n")
      .split("\n")
      .map((line) => `data: ${line}\n`)
      .join("")
      .concat("\n"),
    "in JSON that only some read": event(asText().replace("50", "NaN")),
  };

  test.each(Object.entries(onTheStream))("on the stream of a request, %s, never reaches the client", async (_how, text) => {
    onCall((each) => streamOf(text, event(JSON.stringify(resultFor(each, textResult("done"))))));
    const said = await (await client.request("tools/call", call, { capabilities: everything })).text();
    expect([seen(said), said.includes("done")]).toEqual([false, true]);
    // The same while a round of the call is answered.
    onCall((each) =>
      continuations([each]).length === 0
        ? answerWith(each, roundOf({ reply: samplingInput("Once.") }))
        : streamOf(text, event(JSON.stringify(resultFor(each, textResult("done"))))),
    );
    const later = await (await client.request("tools/call", { ...call, arguments: { later: true } }, { capabilities: everything })).text();
    expect([seen(later), later.includes("done")]).toEqual([false, true]);
    expect(model.calls).toHaveLength(1);
  });

  test.each(["\u0085", "\u2028", "\u2029"])("behind a line end that only some clients know is no event of its own (%j)", async (end) => {
    const clients = (text: string): string[] => text.split(/[\n\r\u0085\u2028\u2029]/);
    const notice = event(hidden(asText(), end));
    const said = (each: UpstreamCall): string =>
      event(JSON.stringify(resultFor(each, textResult(`${end}${end}data: ${asText()}${end}${end}`))));
    for (const early of [true, false]) {
      onCall((each) =>
        early || continuations([each]).length > 0
          ? streamOf(notice, said(each))
          : answerWith(each, roundOf({ reply: samplingInput("Once.") })),
      );
      const text = await (await client.request("tools/call", { ...call, arguments: { early } }, { capabilities: everything })).text();
      expect(
        clients(text).filter((line) => line.startsWith("data:") && !line.startsWith('data: {"jsonrpc"') && !line.startsWith('data: {"id"')),
      ).toEqual([]);
      expect(framesOf(text).filter((frame) => frame.includes("data:")).length).toBeGreaterThanOrEqual(2);
    }
  });
});

describe("an error that wants an address of the gateway opened", () => {
  const data = { elicitations: [{ mode: "url", elicitationId: "e", url: `${publicUrl}/r/x`, message: "Please sign in" }] };
  const wanted = ({ message }: UpstreamCall): object => ({
    jsonrpc: "2.0",
    id: message.id,
    error: { code: -32042, message: "Please sign in", data },
  });

  test.each(["one JSON value", "an event", "the end of a call", "an event at the end of a call"])(
    "is replaced in %s, for clients of both families",
    async (how) => {
      onCall((each) => {
        if (how.includes("end") && continuations([each]).length === 0) return answerWith(each, roundOf({ reply: samplingInput() }));
        return how.includes("event") ? streamOf(`data: ${JSON.stringify(wanted(each))}\n\n`) : Response.json(wanted(each));
      });
      upstream.answer = (
        (before) => (each) =>
          each.message.method === "server/discover"
            ? answerWith(each, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } })
            : before(each)
      )(upstream.answer);
      const older = new RelayClient("open");
      await older.connect(everything);
      for (const answer of [await client.request("tools/call", call, { capabilities: everything }), await older.call(1)]) {
        const text = await answer.clone().text();
        expect(text).not.toContain("sign in");
        expect((await lastOf(answer)).error).toMatchObject({ code: -32603, message: expect.stringContaining("address of the gateway") });
      }
    },
  );
});

describe("an answer", () => {
  test("to another request is none, in each form", async () => {
    for (const result of [textResult(`other's ${samplingInput().method}`), roundOf({ reply: samplingInput() })]) {
      const ofAnother = (each: UpstreamCall): string => JSON.stringify({ ...resultFor(each, result), id: "of another" });
      onCall((each) => new Response(ofAnother(each), { headers: { "Content-Type": "application/json" } }));
      expect((await client.call()).error?.message).toMatch(/another request/);
      onCall((each) => streamOf(`data: ${ofAnother(each)}\n\n`));
      expect(await messagesOf(await client.request("tools/call", call))).toEqual([]);
    }
    expect(model.calls).toEqual([]);
    onCall((each) =>
      continuations([each]).length === 0
        ? answerWith(each, roundOf({ reply: samplingInput() }))
        : Response.json({ ...resultFor(each, textResult("other's")), id: "of another" }),
    );
    expect((await client.call()).error?.message).toMatch(/outcome of the request is unknown/);
  });

  test("that never comes, breaks off, or is no JSON ends a continued call with an unknown outcome, and is not asked for again", async () => {
    const answers: readonly (() => Response)[] = [
      () => new Response(null, { status: 200 }),
      () => new Response("<p>Gone</p>", { status: 502, headers: { "Content-Type": "text/html" } }),
      () => streamOf(": nothing\n\n"),
      () => streamOf('data: {"jsonrpc":"2.0"'),
      () => new Response(new ReadableStream({ start: (controller) => controller.error(new Error("broken")) })),
    ];
    for (const [index, answer] of answers.entries()) {
      onCall((each) => (continuations([each]).length === 0 ? answerWith(each, roundOf({ reply: samplingInput() })) : answer()));
      upstream.calls.length = 0;
      const { error } = await client.call({ arguments: { index } });
      expect([index, error?.message]).toEqual([index, expect.stringMatching(/outcome of the request is unknown/)]);
      expect(continuations(upstream.calls)).toHaveLength(1);
    }
  });

  test("of more than ten million characters is cut off: at the first request, and at a continuation", async () => {
    const inPieces = (text: string, type: string): Response => {
      const pieces = text.match(/.{1,1000000}|\n/gs) ?? [];
      const pull = (controller: ReadableStreamDefaultController): void => {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(piece));
      };
      return new Response(new ReadableStream({ pull }), { headers: { "Content-Type": type } });
    };
    const long = (each: UpstreamCall, asStream: boolean): Response => {
      const text = JSON.stringify(resultFor(each, textResult("x".repeat(11_500_000))));
      return asStream ? inPieces(`data: ${text}\n\n`, "text/event-stream") : inPieces(text, "application/json");
    };
    for (const asStream of ways) {
      onCall((each) => long(each, asStream));
      expect((await client.call()).error?.message).toMatch(/more than 10000000|too long/);
      onCall((each) => (continuations([each]).length === 0 ? answerWith(each, roundOf({ reply: samplingInput() })) : long(each, asStream)));
      expect((await client.call({ arguments: { asStream } })).error?.message).toMatch(/too long/);
    }
  });

  test("that redirects is not followed", async () => {
    const away = (): Response => new Response(null, { status: 307, headers: { Location: "https://elsewhere.example.com/" } });
    onCall(away);
    const answer = await client.request("tools/call", call);
    expect([answer.status, (await lastOf(answer)).error?.message]).toEqual([502, expect.stringContaining("redirect")]);
    onCall((each) => (continuations([each]).length === 0 ? answerWith(each, roundOf({ reply: samplingInput() })) : away()));
    expect((await client.call()).error?.message).toMatch(/redirect/);
    expect(upstream.calls.every((each) => each.url.startsWith(upstreamOrigin))).toBe(true);
  });

  test("401 passes with its challenge where the client's own credential is passed on, and without it elsewhere", async () => {
    onCall(() => new Response(null, { status: 401, headers: { "WWW-Authenticate": 'Bearer resource_metadata="https://x.example.com"' } }));
    const { key } = await createKey();
    const own = new StatelessClient("open-own", { key: null });
    const beside = await own.request("tools/call", call, { headers: { "X-Countersign-Key": key, Authorization: "Bearer mine" } });
    expect([beside.status, beside.headers.get("WWW-Authenticate")]).toEqual([401, 'Bearer resource_metadata="https://x.example.com"']);
    expect(upstream.calls[0]?.headers.get("Authorization")).toBe("Bearer mine");
    const plain = await client.request("tools/call", call);
    expect([plain.status, plain.headers.get("WWW-Authenticate")]).toEqual([401, null]);
  });
});

describe("sampling that gets no reply", () => {
  const prompts = samplesOnce();
  test.each<[string, string, object, (said: Said) => void]>([
    ["tools/call", "a result that says so", call, ({ result }) => expect(result).toMatchObject({ isError: true, resultType: "complete" })],
    ["prompts/get", "an error", { name: "summarize" }, ({ error }) => expect(error?.code).not.toBeUndefined()],
    ["resources/read", "an error", { uri: "test://a" }, ({ error }) => expect(error?.code).not.toBeUndefined()],
  ])("because the policy refuses it ends %s with %s", async (method, _what, params, isEnd) => {
    upstream.answer = prompts;
    await configure("policy", { ...policy, rules: [{ name: "refused", when: {}, then: { request: "refuse", response: "allow" } }] });
    const said = await client.says(method, params);
    isEnd(said);
    expect([model.calls.length, continuations(upstream.calls).length]).toEqual([0, 0]);
  });

  test("because the gateway has no hold left is no end: the client comes back", async () => {
    upstream.answer = prompts;
    await configure("policy", { ...policy, rules: [] });
    const soon = new StatelessClient("open", { send: (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init) });
    expect((await soon.call()).result).toEqual({ resultType: "input_required", requestState: expect.any(String) });
  });
});
