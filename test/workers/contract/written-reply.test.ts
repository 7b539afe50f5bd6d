// "Write the reply yourself": a reviewer answers in the model's place, through the page's own form.
// No model is called.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { control, envelopeOf, everyKind, gates, textEnvelope } from "../support/control.ts";
import {
  type Asked,
  answerOf,
  configure,
  createKey,
  eventually,
  gateway,
  model,
  notices,
  openNotice,
  runOf,
  runReaches,
  sample,
} from "../support/gateway.ts";
import { decide, filledForm, pathOf, postForm, press } from "../support/reviewer.ts";
import { crash, everything, kindsOf, recordOf, recordWith, stubOf, tablesOf } from "../objects/inside.ts";

const secret = "The capital is Ghent, says Ada.";
const people = ["Ada", "Grace", "Edsger"];
const policyWith = (then: object = {}, more: object = {}): object => ({
  rules: [],
  default: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600, ...then },
  reviewers: { everyone: people.map((name) => ({ name })) },
  ...more,
});

const writes =
  (text: string) =>
  (fields: URLSearchParams): void =>
    fields.set("answer", text);

/** The links of everybody at a gate, by name. */
const linksAt = (gate: "request" | "response"): Promise<Map<string, string>> =>
  eventually(`links at the ${gate} gate`, async () => {
    const open = (await notices()).filter((each) => each.gate === gate && each.state === "sent");
    return open.length >= people.length ? new Map(open.map(({ reviewer, link }) => [reviewer, link])) : null;
  });
const of = (links: ReadonlyMap<string, string>, name: string): string => links.get(name) ?? "";
const pageOf = async (link: string): Promise<string> => (await gateway(pathOf(link), { key: null })).text();
const asks = (over: Asked = {}): Promise<Response> => sample({ server: "notes", ...over });
const textOf = async (response: Promise<Response> | Response) => (await answerOf(response)).result;

beforeEach(() => configure("policy", policyWith()));

describe("one approval decides", () => {
  test("the requestor gets the reviewer's text as the reply of “human”; no model is called, and nothing is spent", async () => {
    const response = await asks();
    const link = of(await linksAt("request"), "Ada");
    const { run } = await openNotice("request");
    expect((await press(link, "answer", writes(secret))).status).toBe(303);
    const result = await textOf(response);
    expect(result).toMatchObject({
      role: "assistant",
      model: "human",
      stopReason: "endTurn",
      content: { type: "text", text: secret },
      _meta: {
        "countersign/run": {
          model: { id: "human" },
          edited: { request: false, response: false },
          usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
        },
      },
    });
    expect(JSON.stringify(result)).not.toContain('"Ada"');
    expect(model.calls).toEqual([]);
    const events = await recordWith(run, "finished");
    expect(kindsOf(events).filter((kind) => ["replyWritten", "approved", "called", "answered", "edited"].includes(kind))).toEqual([
      "replyWritten",
      "approved",
    ]);
    const written = events.find(({ fact }) => fact.kind === "replyWritten")?.fact;
    expect(written).toMatchObject({ gate: "request", by: "Ada", channel: "outbox", version: 2 });
    expect(JSON.stringify(events)).not.toContain("Ghent");
  });

  test("the author's name is `model` only where the policy says so, of every rule that the request meets", async () => {
    await configure("policy", policyWith({ tellAuthor: true }));
    const response = await asks();
    await decide("request", "answer", undefined, writes(secret));
    expect(await textOf(response)).toMatchObject({ model: expect.stringMatching(/^(?:Ada|Grace|Edsger)$/) });
  });

  test("what was typed is sent to the character: line ends as a form gives them, spaces and what nobody sees", async () => {
    const text = "  Two lines,\r\na \u202etwist\u202c, <b>no</b> markup & a 上海\n\n ";
    const response = await asks();
    await decide("request", "answer", undefined, writes(text));
    expect(await textOf(response)).toMatchObject({ content: { text: text.replaceAll("\r\n", "\n") } });
  });

  test("without a script the reply is shown once, uncut and with labels, before it is sent", async () => {
    const response = await asks();
    const { link } = await openNotice("request");
    const unseen = await filledForm(link, "answer", (fields) => {
      writes("A \u202ereply")(fields);
      fields.set("act", "answer:0");
    });
    const first = await postForm(link, unseen);
    const page = await first.text();
    expect(first.status).toBe(409);
    expect(page).toContain('value="answer:1"');
    expect(page).toMatch(/id="own-shown"[\s\S]*U\+202E/);
    // Another text than the one that the page shows is not it.
    const shown = /name="shown" value="([^"]+)"/.exec(page)?.[1] ?? "";
    const other = await filledForm(link, "answer", (fields) => {
      writes("Another")(fields);
      fields.set("act", "answer:1");
      fields.set("shown", shown);
    });
    expect((await postForm(link, other)).status).toBe(409);
    const same = await filledForm(link, "answer", (fields) => {
      writes("A \u202ereply")(fields);
      fields.set("act", "answer:1");
      fields.set("shown", shown);
    });
    expect((await postForm(link, same)).status).toBe(303);
    expect(await textOf(response)).toMatchObject({ content: { text: "A \u202ereply" } });
  });

  test.each([
    ["Approve while the field has text", "approve", writes(secret)],
    [
      "the reply beside an edited prompt",
      "answer",
      (fields: URLSearchParams) => {
        writes(secret)(fields);
        fields.set("edit:/messages/0/content/0/text", "Something else.");
      },
    ],
    [
      "the reply beside another model",
      "answer",
      (fields: URLSearchParams) => {
        writes(secret)(fields);
        fields.set("model", "second");
      },
    ],
  ] as const)("%s decides nothing: the page asks which of the two, and keeps the text", async (_what, act, change) => {
    await asks();
    const { link, run } = await openNotice("request");
    const answer = await press(link, act, change);
    const page = await answer.text();
    expect([answer.status, page.includes("Choose one of the two"), page.includes(secret)]).toEqual([409, true, true]);
    expect((await tablesOf(stubOf(run)))["versions"]).toHaveLength(1);
    expect(model.calls).toEqual([]);
  });

  test.each([
    ["a blank text", writes(" \r\n\t "), 422],
    ["no field at all", (fields: URLSearchParams) => fields.delete("answer"), 422],
  ])("%s is no reply", async (_what, change, status) => {
    await asks();
    const { link } = await openNotice("request");
    expect((await press(link, "answer", change)).status).toBe(status);
  });

  test("no grant is given with it", async () => {
    await configure("policy", policyWith({ grants: true }));
    await asks();
    const { link } = await openNotice("request");
    const fields = await filledForm(link, "answer", (each) => {
      writes(secret)(each);
      each.set("act", "allow");
      each.set("grant", "tool:exact");
    });
    expect((await postForm(link, fields)).status).toBe(409);
    const sent = await filledForm(link, "answer", (each) => {
      writes(secret)(each);
      each.set("grant", "tool:exact");
    });
    expect((await postForm(link, sent)).status).toBe(303);
    await asks({ originating: 9, id: "later" });
    await openNotice("request");
    expect(model.calls).toEqual([]);
  });

  test("the owner who may not approve their own request may not answer it either", async () => {
    await configure("policy", policyWith({ selfApproval: false }));
    const { key } = await createKey({ name: "own", owner: "Ada" });
    void sample({ server: "notes" }, { key });
    const links = await linksAt("request");
    expect(await pageOf(of(links, "Ada"))).not.toContain('name="answer"');
    const fields = await filledForm(of(links, "Ada"), "answer", writes(secret));
    expect((await postForm(of(links, "Ada"), fields)).status).toBe(403);
    expect(await pageOf(of(links, "Grace"))).toContain('name="answer"');
  });

  test("a written reply is denied with its request: nothing of it is left", async () => {
    await configure("policy", policyWith({ quorum: 2 }));
    const response = await asks();
    const links = await linksAt("request");
    await press(of(links, "Ada"), "answer", writes(secret));
    expect(await everything()).toContain("Ghent");
    expect((await press(of(links, "Grace"), "deny")).status).toBe(303);
    expect((await answerOf(response)).error?.code).toBe(-1);
    expect(await everything()).not.toContain("Ghent");
    expect(await pageOf(of(links, "Edsger"))).not.toContain("Ghent");
  });
});

describe("two of three decide", () => {
  beforeEach(() => configure("policy", policyWith({ quorum: 2 })));

  test("the others see the text uncut, as its author's, and vote for it; one person is one vote", async () => {
    const response = await asks();
    const links = await linksAt("request");
    const { run } = await openNotice("request");
    expect((await press(of(links, "Ada"), "answer", writes(secret))).status).toBe(303);
    expect((await runOf(run)).state).toBe("waiting");
    // Ada's vote is counted already.
    expect((await press(of(links, "Ada"), "answer", writes(secret))).status).toBe(303);
    const page = await pageOf(of(links, "Grace"));
    expect(page).toMatch(/From <bdi class="name">Ada<\/bdi>, written in the model’s place/);
    expect(page).toContain(secret);
    expect(page).toContain("No model is asked.");
    // The request below goes nowhere: it has no field.
    expect(page).not.toContain('name="edit:');
    expect((await press(of(links, "Grace"), "approve")).status).toBe(303);
    expect(await textOf(response)).toMatchObject({ model: "human", content: { text: secret } });
    expect(model.calls).toEqual([]);
    expect(kindsOf(await recordOf(run)).filter((kind) => ["replyWritten", "voted", "approved"].includes(kind))).toEqual([
      "replyWritten",
      "voted",
      "approved",
    ]);
  });

  test("an approval of the request, which another page shows, counts for nothing once there is a reply", async () => {
    await asks();
    const links = await linksAt("request");
    const old = await filledForm(of(links, "Grace"), "approve");
    await press(of(links, "Ada"), "answer", writes(secret));
    const answer = await postForm(of(links, "Grace"), old);
    expect([answer.status, (await answer.text()).includes(secret)]).toEqual([412, true]);
    expect(model.calls).toEqual([]);
  });

  test("a reply voids the votes for the request, another reply those for the first one, and the model those for the reply", async () => {
    const response = await asks();
    const links = await linksAt("request");
    const { run } = await openNotice("request");
    await press(of(links, "Edsger"), "approve");
    await press(of(links, "Ada"), "answer", writes(secret));
    expect((await runOf(run)).state).toBe("waiting");
    await press(of(links, "Grace"), "answer", writes("Grace writes another."));
    expect((await runOf(run)).state).toBe("waiting");
    expect(await pageOf(of(links, "Ada"))).toContain("Grace writes another.");
    expect((await press(of(links, "Edsger"), "askModel")).status).toBe(303);
    expect((await runOf(run)).state).toBe("waiting");
    const page = await pageOf(of(links, "Ada"));
    expect(page).toContain("chose the model in place of the reply that");
    expect(page).not.toContain("Grace writes another.");
    await press(of(links, "Ada"), "approve");
    expect(await textOf(response)).toMatchObject({ model: "vendor/first" });
    expect(model.calls).toHaveLength(1);
    expect(kindsOf(await recordOf(run)).filter((kind) => ["replyWritten", "voted", "approved", "edited"].includes(kind))).toEqual([
      "voted",
      "replyWritten",
      "voted",
      "replyWritten",
      "voted",
      "edited",
      "voted",
      "approved",
    ]);
  });

  test("the same words by two people are one reply, of the one who wrote it first", async () => {
    const response = await asks();
    const links = await linksAt("request");
    const { run } = await openNotice("request");
    await press(of(links, "Ada"), "answer", writes(secret));
    expect((await press(of(links, "Grace"), "answer", writes(secret))).status).toBe(303);
    expect(await textOf(response)).toMatchObject({ content: { text: secret } });
    expect(kindsOf(await recordOf(run)).filter((kind) => kind === "replyWritten")).toHaveLength(1);
  });

  test("an approval that edits the request below a written reply decides nothing", async () => {
    await asks();
    const links = await linksAt("request");
    await press(of(links, "Ada"), "answer", writes(secret));
    const edited = (fields: URLSearchParams): void => fields.set("edit:/messages/0/content/0/text", "Else.");
    expect((await press(of(links, "Grace"), "approve", edited)).status).toBe(422);
    expect((await press(of(links, "Grace"), "askModel", edited)).status).toBe(422);
  });
});

describe("the response gate", () => {
  const othersLinks = (): Promise<Map<string, string>> =>
    eventually("the others' links at the response gate", async () => {
      const open = (await notices()).filter((each) => each.gate === "response" && each.state === "sent");
      return open.length >= 2 ? new Map(open.map(({ reviewer, link }) => [reviewer, link])) : null;
    });
  const decidedIn = async (run: string) =>
    (await recordWith(run, "finished")).flatMap(({ fact }) =>
      fact.kind === "approved" || fact.kind === "voted" ? [[fact.kind, fact.gate, fact.by, fact.byWriting ?? false]] : [],
    );

  test("where one approval is enough, writing the reply is its author's: nobody is asked again, and the record says so", async () => {
    await configure("policy", policyWith({ response: "review" }));
    const response = await asks();
    const link = of(await linksAt("request"), "Ada");
    const { run } = await openNotice("request");
    expect((await press(link, "answer", writes(secret))).status).toBe(303);
    expect(await textOf(response)).toMatchObject({ model: "human", content: { text: secret } });
    expect(await decidedIn(run)).toEqual([
      ["approved", "request", "Ada", false],
      ["approved", "response", "Ada", true],
    ]);
    const page = await pageOf(link);
    expect(page).toMatch(/<b class="person">You<\/b> wrote this reply in the model’s place/);
    expect(page).not.toContain("with changes");
    expect((await notices()).filter(({ gate }) => gate === "response")).toEqual([]);
  });

  test("where two must approve, its author has a vote there by writing it, and another person is asked", async () => {
    await configure("policy", policyWith({ response: "review", quorum: 2 }));
    const response = await asks();
    const first = await linksAt("request");
    const { run } = await openNotice("request");
    await press(of(first, "Ada"), "answer", writes(secret));
    await press(of(first, "Grace"), "approve");
    const links = await othersLinks();
    expect([...links.keys()].sort()).toEqual(["Edsger", "Grace"]);
    const page = await pageOf(of(links, "Edsger"));
    expect(page).toContain(secret);
    expect(page).toMatch(/From <bdi class="name">Ada<\/bdi>, written in the model’s place/);
    expect((await press(of(links, "Edsger"), "approve")).status).toBe(303);
    expect(await textOf(response)).toMatchObject({ model: "human", content: { text: secret } });
    expect(await decidedIn(run)).toEqual([
      ["voted", "request", "Ada", false],
      ["approved", "request", "Grace", false],
      ["voted", "response", "Ada", true],
      ["approved", "response", "Edsger", false],
    ]);
    expect(model.calls).toEqual([]);
  });

  test("where people may not approve what is their own, another person approves the reply", async () => {
    await configure("policy", policyWith({ response: "review", selfApproval: false }));
    const { key } = await createKey({ name: "of edsger", owner: "Edsger" });
    const response = sample({ server: "notes" }, { key });
    const first = await linksAt("request");
    const { run } = await openNotice("request");
    await press(of(first, "Ada"), "answer", writes(secret));
    const links = await othersLinks();
    expect([...links.keys()].sort()).toEqual(["Edsger", "Grace"]);
    expect((await press(of(links, "Grace"), "approve")).status).toBe(303);
    expect(await textOf(response)).toMatchObject({ model: "human", content: { text: secret } });
    expect((await decidedIn(run)).at(-1)).toEqual(["approved", "response", "Grace", false]);
  });

  test("a reply with a warning closes a gate that the policy opens for others", async () => {
    await configure("policy", policyWith({ replyRisk: "high" }));
    void asks();
    const { reviewer: author } = await decide(
      "request",
      "answer",
      undefined,
      writes("Your key: sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"),
    );
    const links = await linksAt("response");
    const { run } = await openNotice("response");
    expect((await runOf(run)).state).toBe("responseReview");
    // Whoever wrote it sees its warnings here for the first time, and may approve it.
    for (const name of people)
      expect((await pageOf(of(links, name))).includes("You wrote this reply in the model’s place.")).toBe(name === author);
    expect((await press(of(links, author), "approve")).status).toBe(303);
    expect((await decidedIn(run)).at(-1)).toEqual(["approved", "response", author, false]);
  });

  test("where nobody else could approve the reply, it cannot be written", async () => {
    const then = { response: "review", selfApproval: false, reviewers: ["everyone"] };
    await configure("policy", policyWith(then, { reviewers: { everyone: [{ name: "Ada" }, { name: "Grace" }] } }));
    const { key } = await createKey({ name: "of grace", owner: "Grace" });
    void sample({ server: "notes" }, { key });
    const link = await eventually("Ada's link", async () => (await notices()).find(({ reviewer }) => reviewer === "Ada")?.link ?? null);
    expect(await pageOf(link)).not.toContain('name="answer"');
    expect((await press(link, "answer", writes(secret))).status).toBe(422);
  });

  test("a written reply that is denied there is delivered nowhere and kept nowhere", async () => {
    await configure("policy", policyWith({ response: "review", quorum: 2 }));
    const response = await asks();
    const first = await linksAt("request");
    const requestLink = of(first, "Ada");
    await press(requestLink, "answer", writes(secret));
    await press(of(first, "Grace"), "approve");
    await decide("response", "deny");
    expect((await answerOf(response)).error?.code).toBe(-1);
    expect(await everything()).not.toContain("Ghent");
    expect(await pageOf(requestLink)).not.toContain("Ghent");
  });

  test.each(["answer", "askModel"] as const)("there, %s is no act", async (act) => {
    await configure("policy", policyWith({ request: "allow", response: "review" }));
    void asks();
    const { link } = await openNotice("response");
    expect(await pageOf(link)).not.toContain('name="answer"');
    expect((await press(link, act, writes(secret))).status).toBe(422);
  });
});

describe("not for every request", () => {
  const tool = { name: "find", inputSchema: { type: "object" } };

  test("where a tool must be used, there is no field, and a form that has one decides nothing", async () => {
    void asks({ params: { tools: [tool], toolChoice: { mode: "required" } } });
    const { link } = await openNotice("request");
    expect(await pageOf(link)).not.toContain('name="answer"');
    expect((await press(link, "answer", writes(secret))).status).toBe(422);
    expect(model.calls).toEqual([]);
  });

  test("where a tool may be used, a text is a reply", async () => {
    const response = asks({ params: { tools: [tool], toolChoice: { mode: "auto" } } });
    await decide("request", "answer", undefined, writes(secret));
    expect(JSON.stringify(await textOf(response))).toContain(secret);
  });

  test.each([
    ["vectors", () => envelopeOf("embedding", { text: ["a"] }, { model: { name: "vectors" } })],
    [
      "the choice of a function",
      () => envelopeOf("function_call", { prompt: "x", functions: [{ name: "f", parameters: { type: "object", properties: {} } }] }),
    ],
  ])("%s: no field, and a form that has one decides nothing", async (_what, envelope) => {
    await gates({ request: "review" });
    await configure("routing", everyKind);
    void control(envelope());
    const { link } = await openNotice("request");
    expect(await pageOf(link)).not.toContain('name="answer"');
    expect((await press(link, "answer", writes(secret))).status).toBe(422);
  });

  test("where JSON is asked for, other text is refused with the place, and JSON is delivered", async () => {
    await gates({ request: "review" });
    const response = control(textEnvelope({ response_format: "json" }));
    const { link } = await openNotice("request");
    const refused = await press(link, "answer", writes("not json"));
    const page = await refused.text();
    expect([refused.status, page.includes('aria-invalid="true"'), page.includes("not json")]).toEqual([422, true, true]);
    expect((await press(link, "answer", writes('{"ok": true}'))).status).toBe(303);
    const answer = await (await response).json();
    expect(answer).toMatchObject({ status: "completed", model: { id: "human", name: "human" }, result: { json: { ok: true } } });
  });
});

test("after a crash between the vote and the approval, the reply waits as it was; after one behind the approval it is delivered once", async () => {
  await configure("policy", policyWith({ quorum: 2 }));
  void asks({ meta: {} }).catch(() => undefined);
  const links = await linksAt("request");
  const { run } = await openNotice("request");
  await press(of(links, "Ada"), "answer", writes(secret));
  await crash();
  expect(await pageOf(of(links, "Grace"))).toContain(secret);
  expect((await press(of(links, "Grace"), "approve")).status).toBe(303);
  await crash();
  const ended = await runReaches(run, "completed");
  expect(JSON.stringify(ended.result)).toContain(secret);
  expect(model.calls).toEqual([]);
  expect(kindsOf(await recordWith(run, "finished")).filter((kind) => kind === "replyWritten" || kind === "called")).toEqual([
    "replyWritten",
  ]);
});

test("what is stored is what is taken: a written reply that is not the approved one is not delivered", async () => {
  await configure("policy", policyWith({ quorum: 2 }));
  void asks();
  const links = await linksAt("request");
  const { run } = await openNotice("request");
  await press(of(links, "Ada"), "answer", writes(secret));
  const fields = await filledForm(of(links, "Grace"), "approve");
  await runInDurableObject(stubOf(run), (_, state) => {
    state.storage.sql.exec("UPDATE content SET text = replace(text, 'Ghent', 'Paris') WHERE name = 'written:2'");
  });
  await evictDurableObject(stubOf(run));
  expect((await postForm(of(links, "Grace"), fields)).status).toBe(500);
  expect((await runOf(run)).state).toBe("waiting");
  expect(model.calls).toEqual([]);
});
