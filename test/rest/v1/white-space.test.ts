// While people decide, a response that is no stream is kept alive by white space, which has to
// reach clients that accept compressed responses.

import { afterAll, beforeAll, expect, test } from "vitest";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

let office: RelayOffice;
beforeAll(async () => {
  office = await relayOffice({ HEARTBEAT_SECONDS: "1" });
  await office.rule({
    rules: [],
    default: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600 },
    reviewers: { everyone: [{ name: "Ada" }] },
  });
});
afterAll(() => office?.close());

const message = { role: "user", content: "Hello?" };
const sampling = {
  jsonrpc: "2.0",
  id: 1,
  method: "sampling/createMessage",
  params: {
    messages: [{ role: "user", content: { type: "text", text: "Hello?" } }],
    maxTokens: 10,
    _meta: {
      "countersign/session": "s",
      "countersign/originatingRequest": { id: 1, method: "tools/call", name: "t", server: "notes" },
    },
  },
};
const envelope = {
  protocol_version: "1.0",
  request_id: "r",
  model: { name: "scripted" },
  task: { type: "text_generation", parameters: { prompt: "Hello?" } },
};

test.each([
  ["/v1/chat/completions", { model: "auto", messages: [message], max_completion_tokens: 10 }],
  ["/v1/responses", { model: "auto", input: "Hello?", max_output_tokens: 10 }],
  ["/sampling", sampling],
  ["/control", envelope],
])("%s: nothing on the way keeps it back", async (path, body) => {
  const response = await fetch(`${office.url}${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${relayKey}`,
      "Content-Type": "application/json",
      Accept: "application/json",
      "Accept-Encoding": "gzip, deflate, br",
    },
    body: JSON.stringify(body),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  // The review is decided after the third: a response that is held back never gets there.
  while (text.length < 3) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) throw new Error(`the response ended: ${text}`);
    text += piece.value;
  }
  expect(text.trim()).toBe("");
  await decideByLink((await office.review("request")).link ?? "", "approve");
  for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader?.read()) text += piece.value;
  expect(JSON.parse(text)).toBeTypeOf("object");
  expect(text).toContain("Hello from the scripted provider.");
});
