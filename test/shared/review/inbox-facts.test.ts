// Which reviews are alike, so that one form may approve them together: those that differ in their
// messages' words alone.

import { expect, test } from "vitest";
import { alikeDigest, inboxEntry } from "../../../shared/review/inbox-facts.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { openRequest, openResponse } from "../../outside/pages/examples.ts";

const { requestor, request } = openRequest;
const asking = (more: Partial<ReviewView["requestor"]>): ReviewView => ({ ...openRequest, requestor: { ...requestor, ...more } });
const sending = (more: object): ReviewView => ({ ...openRequest, request: { ...request, ...more } });

test("reviews that differ in what their messages say alone are alike", () => {
  const messages = request.messages.map(({ role, content }) => ({
    role,
    content: content.map((block) => (block.type === "text" ? { ...block, text: `${block.text} And more.` } : block)),
  }));
  expect(alikeDigest(sending({ messages }))).toBe(alikeDigest(openRequest));
});

test.each<[string, ReviewView]>([
  ["another server", asking({ server: "another" })],
  ["another client", asking({ client: "another" })],
  ["another owner", asking({ owner: "another" })],
  ["another method", asking({ method: "prompts/get" })],
  ["another tool", asking({ name: "another" })],
  ["another association", asking({ provenance: requestor.provenance === "claimed" ? "inferred" : "claimed" })],
  ["another rule", { ...openRequest, rule: "another" }],
  ["another quorum", { ...openRequest, quorum: 7 }],
  ["another system prompt", sending({ systemPrompt: "You are another." })],
  ["a longer reply", sending({ maxTokens: 99_999 })],
  ["other models", { ...openRequest, models: [] }],
  ["a reply that somebody wrote", { ...openRequest, written: { by: "Ada", at: 1, reply: null } }],
])("a review with %s is not alike", (_what, other) => {
  expect(alikeDigest(other)).not.toBe(alikeDigest(openRequest));
});

test("reviews of replies of other models, or of other kinds of content, are not alike", () => {
  const { reply } = openResponse;
  if (reply === null) throw new Error("an example without a reply");
  const called = { type: "tool_use" as const, id: "1", name: "search", input: {} };
  const others: ReviewView[] = [
    openRequest,
    { ...openResponse, answeredBy: null },
    { ...openResponse, reply: { ...reply, content: [...reply.content, called] } },
  ];
  for (const other of others) expect(alikeDigest(other)).not.toBe(alikeDigest(openResponse));
});

test("what does not wait for its reader is in no list: over, left, or approved by them", () => {
  expect(inboxEntry(openRequest)).not.toBeNull();
  expect(inboxEntry({ ...openRequest, state: { kind: "expired", at: 1 } })).toBeNull();
  expect(inboxEntry({ ...openRequest, ownVote: { at: 1 } })).toBeNull();
});
