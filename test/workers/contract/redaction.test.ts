// Redaction by the policy's rules: what the model gets, what is delivered, what notices and the
// record have, and how a reviewer lifts it.

import { beforeEach, describe, expect, test } from "vitest";
import { ScriptedSlack } from "../../support/slack/scripted-slack.ts";
import { everything } from "../objects/inside.ts";
import { asked as askedControl, control, eventsOf, textEnvelope } from "../support/control.ts";
import {
  type Asked,
  answerOf,
  configure,
  errorOf,
  env,
  eventually,
  gateway,
  model,
  notices,
  openNotice,
  policy,
  sample,
} from "../support/gateway.ts";
import {
  RelayClient,
  configureServers,
  eventFor,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { answerAt } from "../support/provider.ts";
import { recordLines } from "../support/record.ts";
import { decide, filledForm, pathOf, postForm, press } from "../support/reviewer.ts";

/** Put together here, so that this file has nothing in it that looks like a real secret. */
const secret = `ghp_${"aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4"}`;
const marker = "[redacted: GitHub token]";
const asking = `Why is ${secret} refused?`;
const shown = `Why is ${marker} refused?`;

const redacting = (more: object = {}): object => ({
  ...policy,
  redaction: { rules: [{ name: "secrets", secrets: "known" }], ...more },
  reviewers: { everyone: [{ name: "Ada" }, { name: "Bo" }] },
});
const asked = (server: string, text: string = asking): Asked => ({
  server,
  params: { messages: [{ role: "user", content: { type: "text", text } }] },
});
const sent = (): string => JSON.stringify(model.calls.map(({ body }) => body));
const linkOf = async (gate: "request" | "response", reviewer: string): Promise<string> => {
  await openNotice(gate);
  return eventually(
    `${reviewer}'s link`,
    async () => (await notices()).find((each) => each.reviewer === reviewer && each.gate === gate)?.link,
  );
};
const pageOf = async (link: string): Promise<string> => (await gateway(pathOf(link), { key: null })).text();
const factsOf = async (kind: string): Promise<object[]> => (await recordLines()).flatMap(({ fact }) => (fact.kind === kind ? [fact] : []));
/** Presses the button that lifts this redaction. */
const liftAt = async (link: string, mark = 1): Promise<Response> =>
  postForm(link, await filledForm(link, "approve", (fields) => fields.set("act", `lift:${mark}`)));

beforeEach(() => configure("policy", redacting()));

describe("without a review", () => {
  test("the model gets the masked request, and the server the masked reply; the record counts both", async () => {
    model.script({ text: `It is ${secret}.` });
    const answer = await answerOf(sample(asked("open")));
    expect(sent()).toContain(shown);
    expect(sent()).not.toContain(secret);
    expect(answer.result).toMatchObject({ content: { text: `It is ${marker}.` } });
    const facts = await eventually("both events", async () => {
      const found = await factsOf("redacted");
      return found.length === 2 ? found : null;
    });
    const rules = [{ rule: "secrets", label: "GitHub token", count: 1 }];
    expect(facts).toEqual([
      { kind: "redacted", gate: "request", rules },
      { kind: "redacted", gate: "response", rules },
    ]);
    expect(await everything()).not.toContain(secret);
  });

  test("a stream of the control endpoint has no part of what is masked", async () => {
    await configure("policy", { ...redacting(), rules: [], default: { ...policy.default, request: "allow", response: "allow" } });
    model.script({ text: `It is ${secret}.` });
    const response = await control(textEnvelope({ prompt: asking, stream: true }));
    const text = await response.text();
    expect(text).not.toContain(secret.slice(0, 8));
    expect(eventsOf(text).at(-1)?.data.result?.text).toBe(`It is ${marker}.`);
    expect(sent()).not.toContain(secret);
  });

  test("a conversation is remembered masked", async () => {
    await configure("policy", { ...redacting(), rules: [], default: { ...policy.default, request: "allow", response: "allow" } });
    model.script({ text: "first" }, { text: "second" });
    const context = { session_id: "s", remember: { ttl: 60 } };
    await askedControl(textEnvelope({ prompt: asking }, { context }));
    await askedControl(textEnvelope({ prompt: "And now?" }, { context }));
    expect(JSON.stringify(model.calls.at(-1)?.body)).toContain(shown);
    expect(sent()).not.toContain(secret);
    expect(await everything()).not.toContain(secret);
  });

  test("a request whose tool is named like a secret is refused", async () => {
    const error = await errorOf(sample({ server: "open", params: { tools: [{ name: secret, inputSchema: { type: "object" } }] } }));
    expect(error).toMatchObject({ code: -1, data: { outcome: "refused" } });
    expect(model.calls).toHaveLength(0);
  });
});

describe("at the relay", () => {
  test("what a server asks, and the context that is added for it, is masked; so is the reply that it gets", async () => {
    const upstream = scriptUpstream();
    await configureServers({ "open-context": { url: `${upstreamOrigin}/mcp`, context: true } });
    await configure("policy", {
      ...redacting(),
      rules: [
        { name: "with context", when: { server: "open-context" }, then: { request: "allow", response: "allow", context: "thisServer" } },
      ],
    });
    const stream = openStream();
    upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
    stream.say(eventFor(samplingRequest("ask-1", asking, { includeContext: "thisServer" })));
    model.script({ text: `It is ${secret}.` });
    const client = new RelayClient("open-context");
    await client.connect();
    void client.call(1, { arguments: { token: secret, meeting: "Tuesday" } });
    const [answer] = await eventually("the answer", async () => {
      const answers = upstream.answersTo("ask-1");
      return answers.length > 0 ? answers : null;
    });
    stream.say(eventFor(responseTo(1)));
    stream.end();
    expect(sent()).toContain("Tuesday");
    expect(sent()).toContain(shown);
    expect(sent()).not.toContain(secret);
    expect(JSON.stringify(answer)).toContain(`It is ${marker}.`);
  });
});

describe("with a review", () => {
  test("the page shows the marker and its place, and not what is masked; what is approved is what is sent", async () => {
    const answer = answerOf(sample(asked("request-gate")));
    const link = await linkOf("request", "Ada");
    const page = await pageOf(link);
    expect(page).toContain(marker);
    expect(page).toContain("1 masked part");
    expect(page).toContain("••••••••");
    expect(page).not.toContain(secret);
    expect(page).not.toContain("lift:1");
    model.script({ text: "fine" });
    await decide("request", "approve");
    expect((await answer).result).toMatchObject({ content: { text: "fine" } });
    expect(sent()).toContain(shown);
    expect(sent()).not.toContain(secret);
  });

  test("nobody lifts a redaction whom the policy does not name", async () => {
    void sample(asked("request-gate"));
    const link = await linkOf("request", "Ada");
    expect((await liftAt(link)).status).toBe(403);
    expect(await factsOf("redactionLifted")).toEqual([]);
    expect(await pageOf(link)).toContain("1 masked part");
  });

  test("a reviewer whom the policy names lifts it: a new version, for which no vote counts, and then the original is sent", async () => {
    const two = { ...redacting({ mayLift: ["Ada"] }), default: { ...policy.default, quorum: 2 }, rules: [] };
    await configure("policy", { ...two, default: { ...two.default, response: "allow" } });
    const answer = answerOf(sample(asked("any")));
    const [ada, bo] = [await linkOf("request", "Ada"), await linkOf("request", "Bo")];
    expect((await press(bo, "approve")).status).toBe(303);
    expect(await pageOf(ada)).toContain(secret);
    expect(await pageOf(bo)).not.toContain(secret);
    expect((await liftAt(ada)).status).toBe(303);
    // Bo sees what is to be sent now, and approves that.
    expect(await pageOf(bo)).toContain(secret);
    expect(model.calls).toHaveLength(0);
    model.script({ text: "fine" });
    expect((await press(ada, "approve")).status).toBe(303);
    expect(model.calls).toHaveLength(0);
    expect((await press(bo, "approve")).status).toBe(303);
    expect((await answer).result).toMatchObject({ content: { text: "fine" } });
    expect(sent()).toContain(asking);
    expect(await factsOf("redactionLifted")).toMatchObject([
      { gate: "request", by: "Ada", version: 2, rule: "secrets", label: "GitHub token" },
    ]);
    expect(JSON.stringify(await recordLines())).not.toContain(secret);
  });

  test.each([
    ["nothing is lifted", []],
    ["one part is lifted", [2]],
    ["another is", [1]],
    ["some are, in any order", [3, 1]],
    ["all are", [2, 3, 1]],
  ])("the bytes that are sent are those that the page shows, where %s", async (_what, marks) => {
    await configure("policy", redacting({ mayLift: ["Ada"] }));
    const text = `\ufeffA\r\n ${secret}, then postgres://u:hunter22@db/x 密\u{1F511} and ${secret}\n\n\t"end" \\n`;
    const answer = answerOf(sample(asked("request-gate", text)));
    const link = await linkOf("request", "Ada");
    for (const mark of marks) expect((await liftAt(link, mark)).status).toBe(303);
    const page = await gateway(pathOf(link), { key: null, headers: { Accept: "application/json" } });
    const { review } = await page.json<{ review: { request: { messages: { content: { text: string }[] }[] } } }>();
    const onPage = review.request.messages[0]?.content[0]?.text ?? "";
    expect(onPage.split("[redacted: ")).toHaveLength(4 - marks.length);
    if (marks.length === 3) expect(onPage).toBe(text);
    model.script({ text: "fine" });
    expect((await press(link, "approve")).status).toBe(303);
    expect((await answer).result).toMatchObject({ content: { text: "fine" } });
    expect(JSON.stringify(model.calls[0]?.body["messages"])).toContain(JSON.stringify(onPage));
  });

  test("a lift does not take the reviewer's own changes along, and none is lifted twice", async () => {
    await configure("policy", redacting({ mayLift: ["Ada"] }));
    void sample(asked("request-gate"));
    const link = await linkOf("request", "Ada");
    const changed = await filledForm(link, "approve", (fields) => {
      fields.set("act", "lift:1");
      fields.set("edit:/messages/0/content/0/text", "something else");
    });
    expect((await postForm(link, changed)).status).toBe(409);
    expect((await liftAt(link)).status).toBe(303);
    expect((await liftAt(link)).status).toBe(403);
  });

  test("a reply is masked before it is reviewed, and can be lifted there", async () => {
    await configure("policy", redacting({ mayLift: ["Ada"] }));
    model.script({ text: `It is ${secret}.` });
    const answer = answerOf(sample(asked("response-gate", "Hello")));
    const [ada, bo] = [await linkOf("response", "Ada"), await linkOf("response", "Bo")];
    expect(await pageOf(bo)).toContain(marker);
    expect(await pageOf(bo)).not.toContain(secret);
    expect((await liftAt(ada)).status).toBe(303);
    expect((await press(bo, "approve")).status).toBe(303);
    expect((await answer).result).toMatchObject({ content: { text: `It is ${secret}.` } });
  });

  test("a denied reply is gone with what was masked in it", async () => {
    await configure("policy", redacting({ mayLift: ["Ada"] }));
    model.script({ text: `It is ${secret}.` });
    const answer = errorOf(sample(asked("response-gate", "Hello")));
    await openNotice("response");
    await decide("response", "deny");
    await answer;
    expect(await everything()).not.toContain(secret);
  });
});

describe("a notice", () => {
  const slackReviewer = { everyone: [{ name: "Ada", slack: "U0ADA" }, { name: "Bo" }] };

  test("has the marker also where the redaction was lifted, and then Slack has no Approve button", async () => {
    const slack = new ScriptedSlack({
      token: env.SLACK_BOT_TOKEN ?? "",
      secret: env.SLACK_SIGNING_SECRET ?? "",
      members: ["U0ADA"],
      channels: [],
      now: () => Date.now(),
    });
    answerAt("https://slack.example.com", (request) => slack.handle(request));
    await configure("policy", {
      ...redacting({ mayLift: ["Bo"] }),
      rules: [],
      default: { ...policy.default, response: "allow", noticeExcerpt: "start" },
      reviewers: slackReviewer,
    });
    void sample(asked("any"));
    await openNotice("request");
    const [message] = await eventually("a message", async () => (slack.messages.length > 0 ? slack.messages : null));
    expect(JSON.stringify(message)).toContain(marker);
    expect(JSON.stringify(message)).toContain('"approve"');
    const bo = await eventually("Bo's link", async () => (await notices()).find(({ reviewer }) => reviewer === "Bo")?.link);
    expect((await liftAt(bo)).status).toBe(303);
    const changed = await eventually("the changed message", async () => slack.messages.find(({ edits, text }) => edits > 0 && text !== ""));
    expect(JSON.stringify(changed)).toContain(marker);
    expect(JSON.stringify(changed)).not.toContain('"approve"');
    expect(JSON.stringify(slack.messages)).not.toContain(secret);
  });
});
