import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { ReviewView } from "../../../shared/review/view.ts";
import {
  type Decision,
  type Draft,
  type OpenReview,
  postDecision,
  previewEdits,
  readReview,
} from "../../../client/review/review-requests.ts";

let server: Server | undefined;
afterEach(async () => {
  await new Promise((resolve) => (server === undefined ? resolve(null) : server.close(resolve)));
  server = undefined;
});

/** A gateway whose review has this link. */
async function linkTo(answer: RequestListener): Promise<string> {
  const made = createServer(answer);
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/r/token`; // it listens on a port
}

const edits = new Map([["/content/0/text", "not JSON"]]);
const draft: Draft = { edits, changes: [{ path: "/content/0/text", changes: [] }], shown: "mark" };

/** What comes of a request about a review that the gateway answers so, and the form that it got. */
async function asked<T>(status: number, body: string, ask: (review: OpenReview) => Promise<T>) {
  let form = new URLSearchParams();
  const link = await linkTo((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      form = new URLSearchParams(Buffer.concat(chunks).toString());
      response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(body);
    });
  });
  const fields = { action: link, nonce: "n", version: 3, digest: "d" };
  // Read long enough ago: a form is accepted a second later.
  const review: OpenReview = { link, view: {} as ReviewView, form: fields, readAt: -10_000 }; // these look at the form alone
  return { outcome: await ask(review), form: Object.fromEntries(form) };
}

const decided = (status: number, body: string, decision: Decision) => asked(status, body, (review) => postDecision(review, decision));
const issues = [{ field: "/content/0/text", fault: { kind: "notRequestedJson", hasSchema: true } }];

describe("edits", () => {
  const previewed = (status: number, body: object) => asked(status, JSON.stringify(body), (review) => previewEdits(review, edits));

  test("are shown as the gateway says that they would change the review, and decide nothing", async () => {
    const { changes, shown } = draft;
    const { outcome, form } = await previewed(200, { page: "review", changes, form: { shown } });
    expect(outcome).toEqual(draft);
    expect(form).toEqual({ nonce: "n", version: "3", digest: "d", act: "preview", "edit:/content/0/text": "not JSON" });
  });

  test("that cannot be are refused, each with what is wrong with it", async () => {
    const { outcome } = await previewed(200, {
      page: "review",
      changes: [],
      form: { shown: "none" },
      problem: { why: "cannotBe", issues },
    });
    expect(outcome).toEqual({ kind: "undone", why: "cannotBe", issues });
  });

  test.each([
    [200, { page: "review", changes: [], form: { shown: "none" }, problem: { why: "staleChanges" } }, "staleChanges"],
    [200, { page: "review", form: {} }, "review"],
    [404, { page: "unknown" }, "unknown"],
  ])("are not taken for shown where the gateway answers %d %j", async (status, body, why) => {
    expect((await previewed(status, body)).outcome).toEqual({ kind: "undone", why, issues: [] });
  });
});

describe("a decision", () => {
  test("that counts has the form's own fields, the edits and the mark of what was shown", async () => {
    const { outcome, form } = await decided(303, "", { act: "approve", draft });
    expect(outcome).toBeNull();
    const own = { nonce: "n", version: "3", digest: "d" };
    expect(form).toEqual({ ...own, act: "approve:1", shown: "mark", "edit:/content/0/text": "not JSON" });
    expect((await decided(303, "", { act: "approve", draft: null })).form).toEqual({ ...own, act: "approve:0" });
  });

  test("that denies has its reason", async () => {
    const { outcome, form } = await decided(303, "", { act: "deny", reason: "not today" });
    expect(outcome).toBeNull();
    expect(form).toMatchObject({ act: "deny", reason: "not today" });
  });

  test.each([
    [{ page: "review", problem: { why: "invalidEdit", issues } }, "invalidEdit", issues],
    [{ problem: { why: { nonce: "used" } } }, "used", []],
    [{ error: "gone" }, "gone", []],
    [{ page: "closed" }, "closed", []],
    ["no page of ours", "409", []],
  ])("that did not count, %j, says why", async (body, why, wrong) => {
    const { outcome } = await decided(409, JSON.stringify(body), { act: "approve", draft });
    expect(outcome).toEqual({ kind: "undone", why, issues: wrong });
  });
});

describe("a link", () => {
  test("that opens nothing any more has no review, and one that no gateway answers is said to", async () => {
    const link = await linkTo((_request, response) => void response.writeHead(404, { connection: "close" }).end('{"page":"unknown"}'));
    expect(await readReview(link)).toBeNull();
    const elsewhere = await linkTo((_request, response) => void response.writeHead(200, { connection: "close" }).end("<p>Hello"));
    await expect(readReview(elsewhere)).rejects.toThrow(/the gateway answered 200 and no review/);
    await expect(readReview("http://127.0.0.1:1/r/token")).rejects.toThrow(/nothing answers at http:\/\/127\.0\.0\.1:1/);
  });
});
