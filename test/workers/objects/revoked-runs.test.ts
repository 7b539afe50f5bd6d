// A key is revoked while a run of it waits: at every phase of the run, with what its reviewer sees
// on the page, in Slack and by email.

import type { AdmitInput } from "../../../workers/stubs/key-calls.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type MailApi, createMailApi } from "../../support/mail-api.ts";
import { ScriptedSlack, buttonsIn } from "../../support/slack/scripted-slack.ts";
import { KeyObject } from "../../../workers/objects/key/key-object.ts";
import { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import { keyStub, queueStub } from "../../../workers/stubs/stubs.ts";
import { RunObject } from "../../../workers/objects/run/run-object.ts";
import {
  type KeyAnswer,
  type Notice,
  type RpcError,
  adminJson,
  adminToken,
  admin,
  configure,
  createKey,
  env,
  errorOf,
  eventually,
  gateway,
  openNotice,
  policy,
  routing,
  runOf,
  sample,
} from "../support/gateway.ts";
import { HeldModels } from "../support/held-models.ts";
import {
  RelayClient,
  configureServers,
  eventFor,
  openStream,
  samplingRequest,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { answerAt } from "../support/provider.ts";
import { filledForm, pathOf, postForm, press } from "../support/reviewer.ts";
import { crash, later, recordOf, recordWith, ringAlarm, ringNextAlarm, stubOf, tablesOf } from "./inside.ts";

let slack: ScriptedSlack;
let mails: MailApi;
let models: HeldModels;

beforeEach(async () => {
  slack = new ScriptedSlack({ token: env.SLACK_BOT_TOKEN ?? "", secret: env.SLACK_SIGNING_SECRET ?? "", members: ["U0ADA"] });
  mails = createMailApi();
  answerAt("https://slack.example.com", (request) => slack.handle(request));
  answerAt("https://mail.example.com", mails.answer);
  models = new HeldModels();
  await configure("policy", {
    ...policy,
    default: { ...policy.default, noticeExcerpt: "start" },
    rules: [{ name: "open", when: { server: "open" }, then: { request: "allow", response: "allow" } }],
    reviewers: { everyone: [{ name: "Ada", slack: "U0ADA", email: "ada@example.com" }] },
  });
});

// Whoever still waited for a model would come back in the next test.
afterEach(() => models.end());

const revoke = async ({ id }: KeyAnswer): Promise<void> => {
  expect((await admin(`/keys/${id}`, { method: "DELETE" })).status).toBe(204);
};

const operatorsView = (run: string) => runOf(run, adminToken);
const ended = (run: string) => eventually("the end of the run", async () => ((await operatorsView(run)).error === undefined ? null : run));

/** Every notice of this gate out, by all three channels. */
const told = (run: string, gate: Notice["gate"]): Promise<unknown> =>
  eventually("three notices", async () => {
    const { notices } = await adminJson<{ notices: Notice[] }>("/notices");
    return notices.filter((each) => each.run === run && each.gate === gate && each.state === "sent").length === 3;
  });

/** Asked for without holding the line. */
async function begun(key: string, server = "notes"): Promise<string> {
  const answer = await sample({ server }, { key, headers: { Prefer: "respond-async" } });
  return decodeURIComponent((answer.headers.get("Location") ?? "").replace("/runs/", ""));
}

async function approved(run: string): Promise<void> {
  await told(run, "request");
  expect((await press((await openNotice("request", run)).link, "approve")).status).toBe(303);
}

const waiting = { page: "Cancelled", slack: "Cancelled", isMailed: true } as const;
const decided = { page: "Approved", slack: "Approved", isMailed: false } as const;

type Phase = {
  /** Brings a run of this key there; `told` gives what its requestor is told, where one waits. */
  readonly reach: (key: string) => Promise<{ readonly run: string; readonly told?: () => Promise<RpcError | undefined> }>;
  readonly gate: Notice["gate"];
  /** How often a model was asked for it. */
  readonly calls: number;
  readonly sees: typeof waiting | typeof decided;
};

const phases: Readonly<Record<string, Phase>> = {
  "at the request gate, its caller holding the line": {
    reach: async (key) => {
      const answer = errorOf(sample({ server: "notes" }, { key }));
      const { run } = await openNotice("request");
      return { run, told: () => answer };
    },
    gate: "request",
    calls: 0,
    sees: waiting,
  },
  "at the request gate, as a task": { reach: async (key) => ({ run: await begun(key) }), gate: "request", calls: 0, sees: waiting },
  "at the request gate, an MCP server waiting for it at the relay": {
    reach: async (key) => {
      await configureServers({ notes: { url: `${upstreamOrigin}/mcp` } });
      const upstream = scriptUpstream();
      const stream = openStream();
      upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
      const client = new RelayClient("notes", { key });
      await client.connect();
      await client.call(7);
      stream.say(eventFor(samplingRequest("s1", "Summarize this.")));
      const { run } = await openNotice("request");
      const answer = (): Promise<RpcError | undefined> => eventually("the answer", async () => upstream.answersTo("s1")[0]?.error);
      return { run, told: answer };
    },
    gate: "request",
    calls: 0,
    sees: waiting,
  },
  "in the queue of a model's lane": {
    reach: async (key) => {
      const lane = { concurrency: 1, promoteAfterSeconds: 3_600 };
      await configure("routing", { ...routing, models: routing.models.slice(0, 1).map((each) => ({ ...each, lane })) });
      void sample({ server: "open" });
      await models.came(1);
      const run = await begun(key);
      await approved(run);
      const queued = async () => (await tablesOf(queueStub(env, { id: "first", provider: "scripted" })))["slot"]?.length === 2;
      await eventually("a place in the queue", queued);
      return { run };
    },
    gate: "request",
    calls: 1,
    sees: decided,
  },
  "while its model is called": {
    reach: async (key) => {
      const run = await begun(key);
      await approved(run);
      await models.came(1);
      return { run };
    },
    gate: "request",
    calls: 1,
    sees: decided,
  },
  "at the response gate": {
    reach: async (key) => {
      const run = await begun(key);
      await approved(run);
      await models.came(1);
      models.answer();
      return { run };
    },
    gate: "response",
    calls: 1,
    sees: waiting,
  },
};

const wordsOf = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("revoking a key ends its run", () => {
  test.each(Object.entries(phases))("%s: nothing is sent or delivered any more, and its reviewer is told why", async (name, phase) => {
    const made = await createKey();
    const { run, told: requestor } = await phase.reach(made.key);
    const open = phase.sees === waiting;
    if (open) await told(run, phase.gate);
    const { link } = (await adminJson<{ notices: Notice[] }>("/notices")).notices.findLast(
      (each) => each.run === run && each.gate === phase.gate && each.channel === "outbox",
    ) ?? { link: "" };
    const form = open ? await filledForm(link, "approve") : null;
    const message = slack.messages.findLast(({ threadTs }) => threadTs === null);
    const oldButtons = message?.blocks ?? [];
    const mailed = mails.taken.length;
    await revoke(made);

    await ended(run);
    expect(await operatorsView(run)).toMatchObject({ state: "cancelled", error: { code: -32800, data: { reason: "keyRevoked" } } });
    if (requestor !== undefined) expect(await requestor()).toMatchObject({ code: -32800, message: expect.stringContaining("revoked") });
    expect((await recordOf(run)).map(({ fact }) => fact)).toContainEqual({ kind: "cancelled", cause: "keyRevoked" });

    // The page.
    const page = await (await gateway(pathOf(link), { key: null })).text();
    expect(page).not.toContain('value="approve:');
    expect(wordsOf(page)).toContain(phase.sees.page);
    expect(wordsOf(page)).toContain("The API key of the request was revoked. Nothing more will be sent or delivered.");
    if (form !== null) expect((await postForm(link, form)).status).toBe(409);

    // Slack.
    const seen = await eventually("the message's end", async () =>
      message !== undefined && buttonsIn(message.blocks).length === 0 ? message : null,
    );
    expect(seen.text).toBe(phase.sees.slack);
    if (open) {
      expect(JSON.stringify(seen.blocks)).toContain("The API key of the request was revoked");
      await gateway("/slack/interactions", {
        method: "POST",
        key: null,
        ...(await slack.sign(slack.press({ ...seen, blocks: oldButtons }, "approve", "U0ADA"))),
      });
    }

    // Email.
    await eventually("the emails", async () => mails.taken.length === mailed + (phase.sees.isMailed ? 1 : 0));
    const last = mails.taken.at(-1);
    for (const part of [last?.text ?? "", wordsOf(last?.html ?? "")])
      expect(part.includes("the API key of this request was revoked") && part.includes("Nothing more will be sent or delivered")).toBe(
        open,
      );

    // Whatever was under way then comes to an end.
    models.end();
    if (!open) await recordWith(run, phase.gate === "request" && name.startsWith("in the queue") ? "callFailed" : "answered");
    expect((await operatorsView(run)).state).toBe("cancelled");
    expect(models.asked).toHaveLength(phase.calls);
    expect((await tablesOf(keyStub(env, made.id)))["dependent"]).toEqual([]);
  });
});

describe("a key that is revoked", () => {
  test("just after its request was let in: the run that is opened then asks nobody", async () => {
    const { key } = await createKey();
    const { admit } = KeyObject.prototype;
    vi.spyOn(KeyObject.prototype, "admit").mockImplementationOnce(function (this: KeyObject, input: AdmitInput) {
      const answer = admit.call(this, input);
      void this.revoke();
      return answer;
    });
    expect(await errorOf(sample({ server: "notes" }, { key }))).toMatchObject({ code: -32800, data: { reason: "keyRevoked" } });
    expect((await adminJson<{ notices: Notice[] }>("/notices")).notices).toEqual([]);
    expect([slack.messages.length, mails.taken.length, models.asked.length]).toEqual([0, 0, 0]);
  });

  test("while its run cannot be told: who approves it then has nothing sent, and the key's alarm completes the rest", async () => {
    const made = await createKey();
    const [first, second] = [await begun(made.key), await begun(made.key)];
    await told(first, "request");
    await told(second, "request");
    const unreachable = vi.spyOn(RunObject.prototype, "cancel").mockImplementation(() => {
      throw new Error("the run's object is gone");
    });
    await revoke(made);
    await approved(first);
    await ended(first);
    expect(await operatorsView(first)).toMatchObject({ state: "cancelled", error: { data: { reason: "keyRevoked" } } });
    expect((await operatorsView(second)).status).toBe("working");
    unreachable.mockRestore();
    await crash();
    later(2_000);
    await ringAlarm(keyStub(env, made.id));
    await ended(second);
    expect(await operatorsView(second)).toMatchObject({ state: "cancelled", error: { data: { reason: "keyRevoked" } } });
    expect(models.asked).toEqual([]);
    expect((await tablesOf(keyStub(env, made.id)))["dependent"]).toEqual([]);
  });

  test("between the last decision and the delivery: the reply is let out to nobody", async () => {
    const made = await createKey();
    const answer = errorOf(sample({ server: "notes" }, { key: made.key }));
    const { run } = await openNotice("request");
    await approved(run);
    await models.came(1);
    models.answer();
    await told(run, "response");
    const append = vi.spyOn(LedgerObject.prototype, "append").mockImplementation(() => {
      throw new Error("the ledger is down");
    });
    const { link } = await openNotice("response", run);
    expect((await press(link, "approve")).status).toBe(303);
    await revoke(made);
    append.mockRestore();
    later(61_000);
    await ringNextAlarm(stubOf(run));
    expect(await answer).toMatchObject({ code: -32800, data: { reason: "keyRevoked" } });
    expect(await operatorsView(run)).toMatchObject({ state: "cancelled", error: { code: -32800 } });
    expect(wordsOf(await (await gateway(pathOf(link), { key: null })).text())).toContain("Nothing more will be sent or delivered.");
  });
});

describe("a key that expires", () => {
  test.each(Object.entries(phases).filter(([, { sees }]) => sees === waiting))(
    "%s: the run ends with it, and its reviewer is told why",
    async (_name, phase) => {
      const made = await createKey({ expiresAt: Date.now() + 60_000 });
      const { run, told: requestor } = await phase.reach(made.key);
      await told(run, phase.gate);
      const { link } = await openNotice(phase.gate, run);
      const mailed = mails.taken.length;
      later(60_000);
      await ringNextAlarm(stubOf(run));
      await ended(run);
      expect(await operatorsView(run)).toMatchObject({ state: "cancelled", error: { data: { reason: "keyExpired" } } });
      if (requestor !== undefined) expect(await requestor()).toMatchObject({ code: -32800, message: expect.stringContaining("expired") });
      expect(wordsOf(await (await gateway(pathOf(link), { key: null })).text())).toContain("The API key of the request expired.");
      await eventually("the message's end", async () => slack.messages.findLast(({ text }) => text === "Cancelled"));
      await eventually("the email", async () =>
        mails.taken.slice(mailed).some(({ text }) => text.includes("the API key of this request expired")),
      );
      expect(models.asked).toHaveLength(phase.calls);
    },
  );

  test("before its alarm rings: who approves then has nothing sent", async () => {
    const made = await createKey({ expiresAt: Date.now() + 60_000 });
    const run = await begun(made.key);
    await told(run, "request");
    later(60_000);
    await approved(run);
    await ended(run);
    expect(await operatorsView(run)).toMatchObject({ state: "cancelled", error: { data: { reason: "keyExpired" } } });
    expect(models.asked).toEqual([]);
  });
});
