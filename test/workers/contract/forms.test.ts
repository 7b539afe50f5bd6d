// Forms of MCP servers that a person answers at the gateway, in the four cells of the relay: who is
// asked, what the server is told, and who cannot answer.

import { beforeEach, describe, expect, test } from "vitest";
import { revision2026 } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { stopStub } from "../../../workers/stubs/stubs.ts";
import { asObject, ringAlarm, ringNextAlarm, stubOf } from "../objects/inside.ts";
import {
  admin,
  adminJson,
  configure,
  createKey,
  env,
  eventually,
  gateway,
  jsonBody,
  notices,
  openNotice,
  publicUrl,
  travel,
} from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox, mail } from "../support/inbox.ts";
import { neverLogged } from "../support/logs.ts";
import {
  RelayClient,
  type Upstream,
  type UpstreamCall,
  configureServers,
  eventFor,
  openStream,
  responseTo,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { expectOfficial } from "../support/official.ts";
import { recordLines } from "../support/record.ts";
import { filledForm, formOf, nonceFor, pathOf, postForm } from "../support/reviewer.ts";
import { StatelessClient, answerWith, capabilitiesAt, responsesTo, roundOf, textResult } from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
const room = "the room that the answer names";
neverLogged(room);

const schema = {
  type: "object",
  properties: {
    where: { type: "string", enum: ["ada", "grace"], enumNames: ["Ada (6)", "Grace (12)"] },
    people: { type: "integer", title: "People", minimum: 1, maximum: 12 },
    note: { type: "string", maxLength: 200 },
    projector: { type: "boolean" },
  },
  required: ["where", "people"],
};
const form = { mode: "form", message: "Which room?", requestedSchema: schema };
const answer = { where: "grace", people: 4, note: room, projector: true };

/** Fills the fields as a person does. */
const fill = (fields: URLSearchParams): void => {
  fields.set("edit:/content/where", '"grace"');
  fields.set("edit:/content/people", "4");
  fields.set("edit:/content/note", room);
  fields.set("edit:/content/projector", "on");
};

let upstream: Upstream;
let key: string;
let tests = 0;
beforeEach(async () => {
  // Later than the test before: what this isolate was told of stops in it counts no longer.
  tests += 1;
  travel(tests * 60_000);
  upstream = scriptUpstream();
  await configureServers({
    sessions: { url, elicitation: "fulfil" },
    rounds: { url, protocol: "2026", elicitation: "fulfil" },
    fallback: { url, elicitation: "fallback" },
    forward: { url },
    hosts: { url, elicitation: "fulfil", elicitationHosts: ["linear.app"] },
    roots: { url, roots: [{ uri: "file:///work", name: "Work" }] },
  });
  await policyFor([{ name: "Ann", email: "ann@example.com" }, { name: "Bo" }]);
  ({ key } = await createKey({ owner: "Ann" }));
});

const policyFor = (everyone: readonly object[], rules: readonly object[] = []): Promise<void> =>
  configure("policy", {
    rules,
    default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
    reviewers: { everyone },
  });

/** A server with sessions, whose tool asks once. */
function asksInSession(params: object = form): void {
  upstream.answer = ({ message }) => {
    if (message.method !== "tools/call") return undefined;
    const stream = openStream();
    stream.say(eventFor({ jsonrpc: "2.0", id: "ask", method: "elicitation/create", params }));
    void eventually("the answer", async () => upstream.answersTo("ask").length > 0).then(() => {
      stream.say(eventFor(responseTo(message.id)));
      stream.end();
    });
    return stream.response();
  };
}

/** The same of 2026-07-28. */
function asksInRounds(params: object = form): void {
  upstream.answer = (call: UpstreamCall) => {
    if (call.message.method === "server/discover")
      return answerWith(call, { resultType: "complete", supportedVersions: [revision2026], capabilities: { tools: {} } });
    const responses = responsesTo(call);
    return answerWith(
      call,
      responses === undefined ? roundOf({ ask: { method: "elicitation/create", params } }, "the state") : textResult("done"),
    );
  };
}

type Result = { readonly action?: string; readonly content?: object };

/** What the server was told, however it is told. */
const toldServer = (): Promise<Result> =>
  eventually("the server's answer", async () => {
    const posted = upstream.answersTo("ask")[0];
    if (posted?.error !== undefined) throw new Error(`an error: ${posted.error.message}`);
    return (posted?.result ?? upstream.calls.map((call) => responsesTo(call)?.["ask"]).find((each) => each !== undefined)) as
      | Result
      | undefined;
  });

async function inSession(server: string, capabilities: object = {}, revision?: string): Promise<RelayClient> {
  const client = new RelayClient(server, { key });
  expect((await client.connect(capabilities, revision)).status).toBe(200);
  return client;
}

type Cell = { readonly asks: (params?: object) => void; readonly call: () => Promise<unknown> };
const cells: readonly [string, Cell][] = [
  ["both with sessions", { asks: asksInSession, call: async () => (await (await inSession("sessions")).call("call")).text() }],
  ["both of 2026-07-28", { asks: asksInRounds, call: async () => new StatelessClient("rounds", { key }).callToEnd() }],
  [
    "a client with sessions at a server without",
    { asks: asksInRounds, call: async () => (await (await inSession("rounds")).call("call")).text() },
  ],
  [
    "a client without sessions at a server with",
    { asks: asksInSession, call: async () => new StatelessClient("sessions", { key }).callToEnd() },
  ],
];

const sends = async (change: (fields: URLSearchParams) => void = fill): Promise<Response> => {
  const { link } = await openNotice("request");
  return postForm(link, await filledForm(link, "fill", change));
};

describe.each(cells)("a form, with %s", (_, { asks, call }) => {
  test("is answered by the key's owner, whose client declares no elicitation, and the call ends with the tool's result", async () => {
    asks();
    const called = call();
    const { reviewer } = await openNotice("request");
    expect(reviewer).toBe("Ann");
    expect((await sends()).status).toBe(303);
    const told = await toldServer();
    expect(told).toEqual({ action: "accept", content: answer });
    expectOfficial("ElicitResult", told);
    expect(JSON.stringify(await called)).toContain("done");
  });

  test.each<[string, string, string]>([
    ["declined is declined", "deny", "decline"],
    ["put away is cancelled, and never declined", "dismiss", "cancel"],
  ])("%s", async (_what, act, action) => {
    asks();
    const called = call();
    const { link } = await openNotice("request");
    expect((await postForm(link, await filledForm(link, act))).status).toBe(303);
    expect(await toldServer()).toEqual({ action });
    await called;
  });

  test("that nobody answers in time is cancelled", async () => {
    asks();
    const called = call();
    const { run } = await openNotice("request");
    travel(601_000);
    await ringNextAlarm(stubOf(run));
    expect(await toldServer()).toEqual({ action: "cancel" });
    await called;
  });

  test("is cancelled once an operator stops everything, and the call is not sent again", async () => {
    asks();
    const called = call();
    const { run } = await openNotice("request");
    expect((await admin("/stops/everything", { method: "PUT" })).status).toBe(204);
    await ringAlarm(asObject(stopStub(env, 0)));
    const ended = JSON.stringify(await called);
    if (asks === asksInSession) expect(await toldServer()).toEqual({ action: "cancel" });
    else expect(ended).toContain("An operator has stopped calls like this one");
    expect(upstream.calls.filter(({ message }) => message.method === "tools/call")).toHaveLength(1);
    expect((await adminJson<{ state: string }>(`/runs/${run}`)).state).toBe("cancelled");
  });

  test("that nobody can be asked is cancelled at once", async () => {
    await policyFor([{ name: "Bo" }]);
    asks();
    const called = call();
    expect(await toldServer()).toEqual({ action: "cancel" });
    expect(await notices()).toEqual([]);
    await called;
  });

  test("that is nested is refused, and nobody is asked", async () => {
    asks({ ...form, requestedSchema: { type: "object", properties: { a: { type: "object", properties: {} } } } });
    await call();
    expect(await notices()).toEqual([]);
    expect(upstream.calls.map((each) => responsesTo(each)).filter((each) => each !== undefined)).toEqual([]);
    expect(upstream.answersTo("ask").map(({ error }) => error?.code)).toEqual(upstream.answersTo("ask").map(() => -32_602));
  });
});

describe("the form's page", () => {
  const page = async (): Promise<{ link: string; html: string }> => {
    const { link } = await openNotice("request");
    return { link, html: await (await gateway(pathOf(link), { key: null })).text() };
  };

  test("says what is wrong beside the field, keeps what was typed, and sends nothing", async () => {
    asksInSession();
    const called = (await inSession("sessions")).call("call");
    const refused = await sends((fields) => {
      fill(fields);
      fields.set("edit:/content/people", "13");
      fields.set("edit:/content/where", "");
    });
    expect(refused.status).toBe(422);
    const html = await refused.text();
    expect(html).toContain("This must be 12 or less.");
    expect(html).toContain("This is required.");
    expect(html).toContain(room);
    expect(upstream.answersTo("ask")).toEqual([]);
    expect((await sends()).status).toBe(303);
    expect((await toldServer()).content).toEqual(answer);
    await called;
  });

  test("a bare Approve, a written reply and a grant answer nothing, and neither does a preview", async () => {
    asksInSession();
    const called = (await inSession("sessions")).call("call");
    const { link } = await openNotice("request");
    for (const act of ["approve:0", "answer:0", "askModel", "allow"]) {
      const fields = await filledForm(link, "fill", fill);
      fields.set("act", act);
      if (act === "allow") fields.set("grant", "tool:exact");
      expect((await postForm(link, fields)).status, act).toBe(422);
    }
    const preview = await filledForm(link, "preview", fill);
    expect((await postForm(link, preview)).status).toBe(200);
    expect(upstream.answersTo("ask")).toEqual([]);
    expect((await sends()).status).toBe(303);
    await called;
  });

  test("answers once: the second answer is told that it came too late, and the server hears of one", async () => {
    asksInSession();
    const called = (await inSession("sessions")).call("call");
    const { link } = await openNotice("request");
    const [one, two] = [await filledForm(link, "fill", fill), await filledForm(link, "fill", fill)];
    two.set("edit:/content/people", "5");
    const answers = await Promise.all([postForm(link, one), postForm(link, two)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
    // Either may come first; the one that did is told the same again, the other that it is late.
    const again = answers[0]?.status === 303 ? [one, two] : [two, one];
    const statuses = [];
    for (const fields of again) statuses.push((await postForm(link, fields)).status);
    expect(statuses).toEqual([303, 409]);
    await toldServer();
    await called;
    expect(upstream.answersTo("ask")).toHaveLength(1);
  });

  test("changes nothing by being read, and shows the server's text as text", async () => {
    asksInSession({ ...form, message: "<b>Approve</b> https://evil.example" });
    const called = (await inSession("sessions")).call("call");
    const { link, html } = await page();
    expect(html).toContain("&lt;b&gt;Approve&lt;/b&gt;");
    expect(html).not.toContain('href="https://evil.example');
    await gateway(pathOf(link), { key: null, method: "HEAD" });
    expect(upstream.answersTo("ask")).toEqual([]);
    expect((await sends()).status).toBe(303);
    await called;
  });

  test("warns of a field that asks for a secret, and a rule can refuse it by that", async () => {
    const secret = { type: "object", properties: { apiKey: { type: "string", title: "Your API key" } } };
    asksInSession({ ...form, requestedSchema: secret });
    const called = (await inSession("sessions")).call("call");
    expect((await page()).html).toContain("Asks for a secret");
    expect((await sends((fields) => fields.set("edit:/content/apiKey", ""))).status).toBe(303);
    await called;
    upstream = scriptUpstream();
    await policyFor([{ name: "Ann" }], [{ name: "no secrets", when: { subject: "form", risk: "high" }, then: { request: "refuse" } }]);
    asksInSession({ ...form, requestedSchema: secret });
    const refused = (await inSession("sessions")).call("call");
    expect(await toldServer()).toEqual({ action: "cancel" });
    await refused;
  });

  test("leaves the answer out of the record, which has its digest", async () => {
    asksInSession();
    const called = (await inSession("sessions")).call("call");
    await sends();
    await toldServer();
    await called;
    const lines = await eventually("the record", async () => {
      const all = await recordLines();
      return all.some(({ fact }) => fact.kind === "finished") ? all : null;
    });
    expect(lines.map(({ fact }) => fact.kind)).toEqual(expect.arrayContaining(["received", "replyWritten", "approved", "finished"]));
    expect(JSON.stringify(lines)).not.toContain(room);
    expect(JSON.stringify(lines)).not.toContain("Which room");
  });
});

describe("who answers", () => {
  test("a server's forms pass as they came, unless its entry says otherwise", async () => {
    asksInSession();
    const client = await inSession("forward", { elicitation: {} });
    const reading = (await client.call("call")).text();
    await client.post({ jsonrpc: "2.0", id: "ask", result: { action: "accept", content: answer } });
    expect(await reading).toContain("Which room?");
    expect(upstream.answersTo("ask")).toHaveLength(1);
    expect(await notices()).toEqual([]);
  });

  test.each<[string, string, object, boolean]>([
    ["fallback, for a client without it", "fallback", {}, true],
    ["fallback, for a client with it", "fallback", { elicitation: {} }, false],
    ["fulfil, also for a client with it", "sessions", { elicitation: {} }, true],
  ])("%s", async (_, server, capabilities, isHere) => {
    asksInSession();
    const client = await inSession(server, capabilities);
    const declared = upstream.calls[0]?.message.params?.["capabilities"];
    expect(declared).toMatchObject({ elicitation: isHere ? { form: {}, url: {} } : {} });
    const called = client.call("call");
    if (isHere) await sends();
    else await client.post({ jsonrpc: "2.0", id: "ask", result: { action: "decline" } });
    expect(await toldServer()).toEqual(isHere ? { action: "accept", content: answer } : { action: "decline" });
    await called;
  });

  test.each(["2025-06-18", "2025-03-26"])("revision %s has one kind of form, and is told of no other", async (revision) => {
    await inSession("sessions", {}, revision);
    expect(upstream.calls[0]?.message.params?.["capabilities"]).toMatchObject({ elicitation: {} });
    expect(JSON.stringify(upstream.calls[0]?.message.params)).not.toContain('"url":{}');
  });

  test("a server of 2026-07-28 is told with each request", async () => {
    asksInRounds();
    const called = new StatelessClient("rounds", { key }).callToEnd();
    await sends();
    await called;
    for (const call of upstream.calls) expect(capabilitiesAt(call)["elicitation"]).toEqual({ form: {}, url: {} });
  });

  test("nobody answers a form that its server sends after its call was answered", async () => {
    upstream.answer = ({ message }) => {
      if (message.method !== "tools/call") return undefined;
      const stream = openStream();
      stream.say(eventFor(responseTo(message.id)));
      stream.say(eventFor({ jsonrpc: "2.0", id: "ask", method: "elicitation/create", params: form }));
      void eventually("the answer", async () => upstream.answersTo("ask").length > 0).then(() => stream.end());
      return stream.response();
    };
    const called = (await inSession("sessions")).call("call").then((response) => response.text());
    await eventually("the server's answer", async () => upstream.answersTo("ask").length > 0);
    expect(upstream.answersTo("ask").map(({ result }) => result?.["action"])).not.toContain("accept");
    expect(await notices()).toEqual([]);
    await called;
  });

  test("a client cannot answer for the person: its own answer is not sent on", async () => {
    asksInSession();
    const client = await inSession("sessions");
    const called = client.call("call");
    await openNotice("request");
    for (const result of [{ action: "accept", content: answer }, { Action: "accept" }])
      expect((await client.post({ jsonrpc: "2.0", id: "ask", result })).status).toBe(400);
    const batch = [
      { jsonrpc: "2.0", id: "ask", result: { action: "accept" } },
      { jsonrpc: "2.0", id: 9, method: "ping" },
    ];
    expect((await client.post(batch)).status).toBe(400);
    expect(upstream.answersTo("ask")).toEqual([]);
    await sends();
    await called;
  });

  test("a key that asks cannot answer, and neither can another key", async () => {
    asksInSession();
    const called = (await inSession("sessions")).call("call");
    const { run, link } = await openNotice("request");
    const other = await createKey({ owner: "Bo" });
    const fields = await filledForm(link, "fill", fill);
    for (const bearer of [key, other.key]) {
      const posted = await gateway(`/inbox/reviews/request/${run}`, { ...jsonBody("POST", {}), key: bearer });
      expect(posted.status).toBeGreaterThanOrEqual(400);
      expect((await gateway(`/runs/${run}`, { key: other.key })).status).toBe(404);
    }
    expect(upstream.answersTo("ask")).toEqual([]);
    expect((await postForm(link, fields)).status).toBe(303);
    await called;
  });

  test("another review's nonce and another review's link answer nothing", async () => {
    asksInSession();
    const called = (await inSession("sessions")).call("call");
    const { link } = await openNotice("request");
    const fields = await filledForm(link, "fill", fill);
    const forged = new URLSearchParams(fields);
    forged.set("nonce", nonceFor(`${publicUrl}/r/elsewhere`, await formOf(link), 5_000));
    expect((await postForm(link, forged)).status).toBe(403);
    expect((await postForm(link.slice(0, -3), fields)).status).toBe(404);
    expect(upstream.answersTo("ask")).toEqual([]);
    await sends();
    await called;
  });
});

describe("an address that a server wants opened", () => {
  const address = "https://linear.app/oauth/authorize?state=the-state-of-the-owner";
  neverLogged("the-state-of-the-owner");
  const ask = (to: string): object => ({ mode: "url", elicitationId: "e1", message: "Sign in to Linear.", url: to });

  beforeEach(async () => {
    await configureInbox({}, [
      { name: "Ada", email: addresses.Ada },
      { name: "Grace", email: addresses.Grace },
    ]);
    ({ key } = await createKey({ owner: "Ada" }));
  });

  const waits = () =>
    eventually("a waiting review", async () => {
      const listed = await admin("/runs?state=waiting").then((answered) => answered.json<{ runs: { id: string }[] }>());
      return listed.runs[0]?.id;
    });

  test("is opened by the key's owner alone, signed in to their inbox: a notice that was forwarded opens and declines nothing", async () => {
    asksInSession(ask(address));
    const called = (await inSession("sessions")).call("call");
    const run = await waits();
    const browser = new InboxBrowser();
    await browser.signIn(addresses.Ada);
    const path = `/inbox/reviews/request/${run}`;
    const html = await eventually("the page", async () => {
      const text = await browser.text(path);
      return text.includes("the-state-of-the-owner") ? text : null;
    });
    expect(html).toMatch(/<a class="btn yes" href="https:\/\/linear\.app\/oauth[^"]*" target="_blank" rel="noreferrer noopener">/);
    const told = await eventually("the email", async () => mail.taken.find(({ text }) => text.includes(path))?.text);
    for (const text of [told, JSON.stringify(await adminJson("/notices"))]) expect(text).not.toMatch(/linear\.app|\/r\//);
    const fields = await browser.form(path);
    travel(1_500);
    const shown = await (await gateway(path, { key: null })).text();
    expect(shown).not.toContain("linear.app");
    const other = new InboxBrowser();
    await other.signIn(addresses.Grace);
    expect((await other.get(path)).status).toBe(404);
    for (const act of ["fill", "deny", "dismiss"]) {
      fields.set("act", act);
      expect((await other.post(path, fields)).status).toBe(404);
    }
    expect(upstream.answersTo("ask")).toEqual([]);
    fields.set("act", "fill");
    expect((await browser.post(path, fields)).status).toBe(303);
    expect(await toldServer()).toEqual({ action: "accept" });
    await called;
  });

  test.each<[string, string, string]>([
    ["plain http", "sessions", "http://linear.app/"],
    ["no address", "sessions", "linear.app"],
    ["another scheme", "sessions", "javascript:alert(1)"],
    ["with a password", "sessions", "https://user:secret@linear.app/"],
    ["a private address", "sessions", "https://192.168.1.1/"],
    ["the gateway", "sessions", `${publicUrl}/inbox`],
    ["a host that the entry does not list", "hosts", "https://linear.app.evil.example/"],
  ])("%s is refused, and nobody is asked", async (_, server, to) => {
    asksInSession(ask(to));
    await (await (await inSession(server)).call("call")).text();
    expect(upstream.answersTo("ask")[0]?.error?.code).toBe(-32_602);
    expect(await notices()).toEqual([]);
  });

  test("its server's own notice that it is done passes", async () => {
    const done = { jsonrpc: "2.0", method: "notifications/elicitation/complete", params: { elicitationId: "e1" } };
    upstream.answer = ({ message }) => {
      if (message.method !== "tools/call") return undefined;
      const stream = openStream();
      stream.say(eventFor(done));
      stream.say(eventFor(responseTo(message.id)));
      stream.end();
      return stream.response();
    };
    expect(await (await (await inSession("sessions")).call("call")).text()).toContain(JSON.stringify(done));
  });
});

describe("roots", () => {
  const asksForRoots = (): void => {
    upstream.answer = ({ message }) => {
      if (message.method !== "tools/call") return undefined;
      const stream = openStream();
      stream.say(eventFor({ jsonrpc: "2.0", id: "ask", method: "roots/list" }));
      void eventually("the answer", async () => upstream.answersTo("ask").length > 0).then(() => {
        stream.say(eventFor(responseTo(message.id)));
        stream.end();
      });
      return stream.response();
    };
  };

  test("are told by the gateway where the client declares none, and declared to the server", async () => {
    asksForRoots();
    const client = await inSession("roots");
    expect(upstream.calls[0]?.message.params?.["capabilities"]).toMatchObject({ roots: {} });
    await (await client.call("call")).text();
    expect(upstream.answersTo("ask")[0]?.result).toEqual({ roots: [{ uri: "file:///work", name: "Work" }] });
  });

  test("are the client's own where it has some", async () => {
    asksForRoots();
    const client = await inSession("roots", { roots: {} });
    const reading = (await client.call("call")).text();
    await client.post({ jsonrpc: "2.0", id: "ask", result: { roots: [] } });
    await reading;
    expect(upstream.answersTo("ask").map(({ result }) => result)).toEqual([{ roots: [] }]);
  });
});
