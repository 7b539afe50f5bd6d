// URL elicitation at the relay: the review's own address is offered to the key's owner inside the
// client, without a token; and no server can lead a client to the gateway.

import { beforeEach, describe, expect, test } from "vitest";
import { configure, createKey, eventually, openNotice, policy, publicUrl } from "../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { expectOfficial } from "../support/official.ts";
import { decide } from "../support/reviewer.ts";
import { Stream, framesOf, messageOf } from "../support/stream.ts";

const ann = { name: "Ann", email: "ann@example.com" };
const bo = { name: "Bo", email: "bo@example.com" };
const urls = { elicitation: { url: {} } };

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ notes: { url: `${upstreamOrigin}/mcp` } });
});

const gates = (reviewers: readonly object[], more: object = {}): Promise<void> =>
  configure("policy", {
    ...policy,
    rules: [],
    default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600, selfApproval: true, ...more },
    reviewers: { everyone: reviewers },
  });

async function connected(owner: string | undefined, capabilities: object = urls, revision = "2025-11-25"): Promise<RelayClient> {
  const { key } = await createKey(owner === undefined ? {} : { owner });
  const client = new RelayClient("notes", { key });
  expect((await client.connect(capabilities, revision)).status).toBe(200);
  return client;
}

type Sent = {
  readonly id?: string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly error?: { code: number };
};

const messagesIn = (text: string): Sent[] => framesOf(text).flatMap((frame) => (/^data: ./m.test(frame) ? [messageOf(frame) as Sent] : []));

/** A call whose server asks for sampling: what the client is sent until its response. */
async function sampledCall(client: RelayClient, decides: () => Promise<void>): Promise<Sent[]> {
  const stream = openStream();
  upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
  const frames = new Stream(await client.call("call"));
  stream.say(eventFor(samplingRequest("ask", "A question")));
  await decides();
  await eventually("the server's answer", async () => upstream.answersTo("ask").length > 0);
  stream.say(eventFor(responseTo("call")));
  stream.end();
  return messagesIn(await frames.rest());
}

const bothGates = async (): Promise<void> => {
  const { run } = await decide("request", "approve");
  await decide("response", "approve", run);
};

const offersIn = (sent: readonly Sent[]): Sent[] => sent.filter(({ method }) => method === "elicitation/create");

describe("the review's address", () => {
  test("is offered at each gate to a client that declared URL elicitation, for its owner, and without any token", async () => {
    await gates([ann]);
    const client = await connected("ann");
    let run = "";
    const sent = await sampledCall(client, async () => {
      ({ run } = await openNotice("request"));
      await bothGates();
    });
    const offers = offersIn(sent);
    expect(offers.map(({ params }) => params?.["url"])).toEqual([
      `${publicUrl}/inbox/reviews/request/${run}`,
      `${publicUrl}/inbox/reviews/response/${run}`,
    ]);
    for (const offer of offers) expectOfficial("ElicitRequest", offer);
    expect(JSON.stringify(sent)).not.toContain("/r/");
    const done = sent
      .filter(({ method }) => method === "notifications/elicitation/complete")
      .map(({ params }) => params?.["elicitationId"]);
    expect(done).toEqual(offers.map(({ params }) => params?.["elicitationId"]));
  });

  test("is answered to the gateway alone: the server never hears of it, and a no changes nothing", async () => {
    await gates([ann]);
    const client = await connected("Ann");
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const frames = new Stream(await client.call("call"));
    stream.say(eventFor(samplingRequest("ask", "A question")));
    while (!frames.text.includes("elicitation/create")) await frames.next();
    const [{ id } = {}] = offersIn(messagesIn(frames.text));
    for (const action of ["accept", "decline", "cancel"])
      expect((await client.post({ jsonrpc: "2.0", id, result: { action } })).status).toBe(202);
    await bothGates();
    await eventually("the server's answer", async () => upstream.answersTo("ask").length > 0);
    stream.say(eventFor(responseTo("call")));
    stream.end();
    await frames.rest();
    expect(upstream.answersTo(id ?? "")).toEqual([]);
    expect(upstream.answersTo("ask")[0]?.result).toBeDefined();
  });

  test.each<[string, { owner?: string; capabilities?: object; revision?: string; reviewers?: object[]; gate?: object }]>([
    ["whose client did not declare it", { capabilities: {} }],
    ["whose client declared forms alone", { capabilities: { elicitation: { form: {} } } }],
    ["of a revision without it", { revision: "2025-06-18" }],
    ["whose key has no owner", { owner: "" }],
    ["whose owner is no reviewer", { reviewers: [bo] }],
    ["whose owner has no address to sign in with", { reviewers: [{ name: "Ann" }] }],
    ["where the rule bars own requests", { reviewers: [ann, bo], gate: { selfApproval: false } }],
  ])(
    "is not offered to one %s",
    async (_, { owner = "Ann", capabilities = urls, revision = "2025-11-25", reviewers = [ann], gate = {} }) => {
      await gates(reviewers, { response: "allow", ...gate });
      const client = await connected(owner === "" ? undefined : owner, capabilities, revision);
      const sent = await sampledCall(client, async () => {
        await decide("request", "deny", (await openNotice("request")).run);
      });
      expect(sent.map(({ method }) => method)).not.toContain("elicitation/create");
    },
  );
});

describe("a server's elicitation", () => {
  const elicit = (url: string): object => ({
    jsonrpc: "2.0",
    id: "elicit",
    method: "elicitation/create",
    params: { mode: "url", elicitationId: "e", url, message: "Please sign in" },
  });
  const ownAddresses = [
    `${publicUrl}/r/x`,
    `${publicUrl.toUpperCase()}/inbox`,
    "http://user:pass@localhost:8787/r/x",
    "http://localhost.:8787/",
    "http:\\\\localhost:8787/r/x",
    "https://localhost:8787/",
    "http://\u2113ocalhost:8787/",
    "http://127.0.0.1:8787/r/x",
    "http://[::ffff:127.0.0.1]:8787/inbox",
  ];

  test.each(ownAddresses)("that leads to the gateway is refused, and the client never sees it: %s", async (url) => {
    await gates([ann]);
    const client = await connected("Ann");
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const reading = (await client.call("call")).text();
    stream.say(eventFor(elicit(url)).replaceAll("elicitation/create", "elicitation\\/create"));
    await eventually("the refusal", async () => upstream.answersTo("elicit").length > 0);
    expect(upstream.answersTo("elicit")[0]?.error?.code).toBe(-32602);
    stream.say(eventFor(responseTo("call")));
    stream.end();
    expect(await reading).not.toContain("sign in");
  });

  test("under an id of the gateway's own requests is refused, and the client never sees it", async () => {
    await gates([ann]);
    const client = await connected("Ann");
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const reading = (await client.call("call")).text();
    const id = "countersign/review/1";
    stream.say(eventFor({ ...elicit("https://evil.example/"), id }));
    await eventually("the refusal", async () => upstream.answersTo(id).length > 0);
    expect(upstream.answersTo(id)[0]?.error).toMatchObject({ code: -32602, data: { errors: [{ pointer: "/id" }] } });
    stream.say(eventFor(responseTo("call")));
    stream.end();
    expect(await reading).not.toContain("sign in");
  });

  test.each([true, false])("as an error that wants the gateway's address opened is replaced, on a stream: %s", async (asStream) => {
    await gates([ann]);
    const client = await connected("Ann");
    const data = { elicitations: [{ mode: "url", elicitationId: "e", url: `${publicUrl}/r/x`, message: "Please sign in" }] };
    const refused = { jsonrpc: "2.0", id: "call", error: { code: -32042, message: "Please sign in", data } };
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id !== "call" ? undefined : asStream ? stream.response() : Response.json(refused));
    const reading = (await client.call("call")).text();
    if (asStream) {
      stream.say(eventFor(refused));
      stream.end();
    }
    const text = await reading;
    expect(text).not.toContain("sign in");
    expect(text).toContain("-32603");
  });

  test("that leads elsewhere passes as it came", async () => {
    await gates([ann]);
    const client = await connected("Ann");
    const stream = openStream();
    upstream.answer = ({ message }) => (message.id === "call" ? stream.response() : undefined);
    const reading = (await client.call("call")).text();
    const elsewhere = eventFor(elicit("https://idp.example.com/authorize?redirect=http://localhost:8787/"));
    stream.say(elsewhere);
    stream.say(eventFor(responseTo("call")));
    stream.end();
    expect(await reading).toContain(elsewhere.split("\n")[1]);
    expect(upstream.answersTo("elicit")).toEqual([]);
  });
});
