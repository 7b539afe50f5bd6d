// What each client of OpenAI's API gets from the gateway: the same table for all of them.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Notice } from "../../../scripts/operator.ts";
import { png } from "../../support/image-files.ts";
import { pdfUrl } from "../../support/pdf-file.ts";
import type { ProviderRequest } from "../../support/provider-server.ts";
import { decideByLink } from "./killable-gateway.ts";
import { until } from "./raw-client.ts";
import { type RelayOffice, relayKey, relayOffice } from "./relay-office.ts";
import { type Asked, type Said, type V1Client, V1Error } from "./v1-clients.ts";

const plainReply = "Hello from the scripted provider.";

/** Each with a key and a reviewer of its own, so that all of them can be at it at the same time. */
const reviewed = {
  requestEdit: { request: "review", response: "allow" },
  responseEdit: { request: "allow", response: "review" },
  denial: { request: "review", response: "allow" },
  deniedStream: { request: "allow", response: "review" },
  patience: { request: "review", response: "allow" },
  idempotent: { request: "review", response: "allow" },
  late: { request: "allow", response: "review" },
  lateDenial: { request: "allow", response: "review" },
} as const;
type Reviewed = keyof typeof reviewed;

type Body = { readonly messages: readonly { readonly role: string; readonly content: unknown }[]; readonly response_format?: unknown };
const bodyOf = ({ body }: ProviderRequest): Body => body as Body; // what the gateway's own translation sent

export function v1Scenarios(clients: readonly V1Client[]): void {
  /** Holds a response for 45 seconds before it begins it. */
  let office: RelayOffice;
  /** Holds it for 3. */
  let hasty: RelayOffice;
  const keys = new Map<string, string>();

  const nameOf = ({ name }: V1Client, what: Reviewed): string => `${name} ${what}`;
  const all = clients.flatMap((client) =>
    (Object.keys(reviewed) as Reviewed[]).map((what) => ({ name: nameOf(client, what), gates: reviewed[what] })),
  );
  const policy = {
    rules: [
      { name: "refused", when: { key: "refused" }, then: { request: "refuse" } },
      ...all.map(({ name, gates }) => ({ name, when: { key: name }, then: { ...gates, tellReason: true, reviewers: [`by ${name}`] } })),
    ],
    default: { request: "allow", response: "allow" },
    reviewers: Object.fromEntries(all.map(({ name }) => [`by ${name}`, [{ name }]])),
  };

  beforeAll(async () => {
    [office, hasty] = await Promise.all([relayOffice(), relayOffice({ HEARTBEAT_SECONDS: "1" })]);
    await Promise.all([office.rule(policy), hasty.rule(policy)]);
    for (const { name } of all) keys.set(name, await (name.includes("late") ? hasty : office).key({ name }));
    keys.set("refused", await office.key({ name: "refused" }));
    keys.set("poor", await office.key({ name: "poor", budget: { tokens: 10, per: "month" } }));
  });
  afterAll(() => Promise.all([office?.close(), hasty?.close()]));

  const ask = (client: V1Client, more: Partial<Asked>, at = office): Promise<Said> =>
    client.ask({ baseUrl: `${at.url}/v1`, apiKey: relayKey, prompt: "Say hello.", ...more });

  /** Whatever it throws. */
  const failure = (asked: Promise<Said>): Promise<unknown> =>
    asked.then(
      (said) => said,
      (error: unknown) => error,
    );

  describe.each(clients)("$name:", (client) => {
    test.each([false, true])("a text (stream: %s)", async (stream) => {
      expect(await ask(client, { stream })).toEqual({ text: plainReply, finish: client.finish });
    });

    test.each([false, true])("a loop of tools, three rounds, two calls at once (stream: %s)", async (stream) => {
      office.model.reset();
      const call = (id: string, a: number, b: number) => ({ id, name: "add", input: { a, b } });
      office.model.script(
        { answer: "reply", calls: [call("c1", 1, 2), call("c2", 3, 4)] },
        { answer: "reply", text: "And now both.", calls: [call("c3", 3, 7)] },
        { answer: "reply", text: "It is 10." },
      );
      expect((await ask(client, { tools: true, stream })).text).toBe("It is 10.");
      expect(office.model.requests).toHaveLength(3);
      const last = office.model.requests.slice(-1).flatMap((request) => bodyOf(request).messages);
      expect(last.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant", "tool"]);
      expect(last.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual(["3", "7", "10"]);
    });

    test("an image and a PDF", async () => {
      office.model.reset();
      await ask(client, { image: `data:image/png;base64,${Buffer.from(png).toString("base64")}`, pdf: pdfUrl });
      expect(office.model.requests.map((request) => bodyOf(request).messages[0]?.content)).toMatchObject([
        [
          { type: "text" },
          { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/png;base64,.{20}/) as string } },
          { type: "file", file: { file_data: pdfUrl, filename: "bill.pdf" } },
        ],
      ]);
    });

    test("JSON by a schema", async () => {
      office.model.reset();
      office.model.script({ answer: "reply", text: '{"sum":3}' });
      expect(await ask(client, { json: true })).toMatchObject({ json: { sum: 3 } });
      expect(office.model.requests.map((request) => bodyOf(request).response_format)).toMatchObject([
        { json_schema: { schema: { properties: { sum: { type: "number" } } } } },
      ]);
    });

    test.each<[string, object, Partial<Asked> & { readonly key?: string }]>([
      ["what is not valid", { status: 400, code: "invalid_value", param: "temperature" }, { temperature: 5 }],
      ["an unknown key", { status: 401, code: "invalid_api_key" }, { apiKey: "csk_wrong" }],
      ["what policy refuses", { status: 403, code: "policy_refused" }, { key: "refused" }],
      ["what is over a budget", { status: 402, code: "insufficient_quota" }, { key: "poor" }],
    ])("an error for %s, and it is not asked again", async (_what, error, { key, ...more }) => {
      office.model.reset();
      let responses = 0;
      const apiKey = key === undefined ? {} : { apiKey: keys.get(key) ?? "" };
      const failed = await failure(ask(client, { ...apiKey, ...more, retries: 2, onResponse: () => (responses += 1) }));
      expect(failed).toBeInstanceOf(V1Error);
      expect(failed).toMatchObject(error);
      expect([responses, office.model.requests.length]).toEqual([1, 0]);
    });
  });

  const noticesOf = async (at: RelayOffice, reviewer: string): Promise<Notice[]> =>
    (await at.listed()).filter((notice) => notice.reviewer === reviewer);
  const review = (at: RelayOffice, reviewer: string): Promise<string> =>
    until(`a review by ${reviewer}`, async () => (await at.notices()).find((notice) => notice.reviewer === reviewer)?.link);
  const replace = (fields: URLSearchParams, from: string, to: string): void => {
    for (const [name, value] of fields) if (name.startsWith("edit:") && value.includes(from)) fields.set(name, value.replace(from, to));
  };
  const modelsAsked = (at: RelayOffice, prompt: string): number =>
    at.model.requests.filter((request) => JSON.stringify(request.body).includes(prompt)).length;

  describe.concurrent.each(clients)("with people, $name:", (client) => {
    const begin = (what: Reviewed, more: Partial<Asked> = {}, at = office): Promise<Said> =>
      ask(client, { apiKey: keys.get(nameOf(client, what)) ?? "", prompt: `${nameOf(client, what)}?`, ...more }, at);

    test("an edit of the request is what the model gets, and one of the reply what the client gets, in a stream too", async () => {
      const [request, response] = [nameOf(client, "requestEdit"), nameOf(client, "responseEdit")];
      const said = [begin("requestEdit"), begin("responseEdit", { stream: true })];
      await Promise.all([
        decideByLink(await review(office, request), "approve", (fields) => replace(fields, request, `${request} as edited`)),
        decideByLink(await review(office, response), "approve", (fields) => replace(fields, "Hello", "Good day")),
      ]);
      expect((await Promise.all(said)).map(({ text }) => text)).toEqual([plainReply, plainReply.replace("Hello", "Good day")]);
      expect(modelsAsked(office, `${request} as edited`)).toBe(1);
    });

    test("a denial is an error, in a stream too, and nobody is asked again", async () => {
      const reviewers = [nameOf(client, "denial"), nameOf(client, "deniedStream")];
      const said = [failure(begin("denial", { retries: 2 })), failure(begin("deniedStream", { stream: true, retries: 2 }))];
      await Promise.all(reviewers.map(async (reviewer) => decideByLink(await review(office, reviewer), "deny")));
      expect(await Promise.all(said)).toMatchObject([{ status: 403, code: "review_denied" }, { code: "review_denied" }]);
      for (const reviewer of reviewers) expect(await noticesOf(office, reviewer)).toHaveLength(1);
    });

    /** Waits longer than the client does; the next attempt gets the reply. */
    async function outlasted(what: Reviewed, headers: Readonly<Record<string, string>>): Promise<void> {
      const reviewer = nameOf(client, what);
      let attempts = 0;
      const said = begin(what, { timeoutMs: 2_500, retries: 20, headers, onAttempt: () => (attempts += 1) });
      const link = await review(office, reviewer);
      await until("the next attempt", () => attempts > 1);
      await decideByLink(link, "approve");
      expect((await said).text).toBe(plainReply);
      expect(await noticesOf(office, reviewer)).toHaveLength(1);
      expect(modelsAsked(office, `${reviewer}?`)).toBe(1);
    }

    test("its own time-out: the next attempt waits for the same review, and the model is paid once", async () => {
      await Promise.all([
        outlasted("idempotent", { "Idempotency-Key": `the-same-of-${client.name}` }),
        ...(client.saysRetry ? [outlasted("patience", {})] : []),
      ]);
    });

    /** A decision after the response has begun, with its status and white space. */
    async function decidedLate(what: "late" | "lateDenial", act: "approve" | "deny"): Promise<Said> {
      let hasBegun = false;
      const said = begin(what, { onResponse: () => (hasBegun = true) }, hasty);
      const link = await review(hasty, nameOf(client, what));
      await until("the response to begin", () => hasBegun);
      await decideByLink(link, act);
      return said;
    }

    test("a decision after the response has begun: the answer after white space, which says that it was denied", async () => {
      const [late, denial] = await Promise.all([decidedLate("late", "approve"), failure(decidedLate("lateDenial", "deny"))]);
      expect(late).toEqual({ text: plainReply, finish: client.finish });
      expect(denial).toEqual(client.lateDenial);
    });
  });
}
