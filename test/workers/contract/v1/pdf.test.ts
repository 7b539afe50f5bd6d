// PDFs in both of OpenAI's APIs, through the official SDK: which model gets one, in whose words,
// and what its reviewer sees.

import { beforeEach, expect, test } from "vitest";
import { pdf, pdfUrl } from "../../../support/pdf-file.ts";
import { everyKind, gates } from "../../support/control.ts";
import { configure, gateway, model, openNotice } from "../../support/gateway.ts";
import { decide, pathOf } from "../../support/reviewer.ts";
import { chatOf, clientOf, inputOf, postV1 } from "../../support/v1.ts";

beforeEach(async () => {
  await gates();
  const takesPdfs = new Set<unknown>(["first", "claude"]);
  await configure("routing", {
    ...everyKind,
    models: everyKind.models.map((each) => ("id" in each && takesPdfs.has(each.id) ? { ...each, accepts: ["text", "pdf"] } : each)),
  });
});

const chat = (file: object = { file_data: pdfUrl, filename: "bill.pdf" }, more: object = {}) =>
  chatOf("", {
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is due?" },
          { type: "file", file },
        ],
      },
    ],
    ...more,
  });
const input = (file: object = { file_data: pdfUrl, filename: "bill.pdf" }) =>
  inputOf("", {
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is due?" },
          { type: "input_file", ...file },
        ],
      },
    ],
  });

const sent = [
  { type: "text", text: "What is due?" },
  { type: "file", file: { file_data: pdfUrl, filename: "bill.pdf" } },
];

test("both APIs send it on as a file", async () => {
  await clientOf().chat.completions.create(chat());
  await clientOf().responses.create(input());
  expect(model.calls.map(({ body }) => body["messages"])).toMatchObject([[{ content: sent }], [{ content: sent }]]);
});

test("Anthropic's API gets a document", async () => {
  await clientOf().chat.completions.create(chat(undefined, { model: "claude" }));
  expect(model.calls[0]?.body["messages"]).toMatchObject([
    { content: [{ type: "text" }, { type: "document", source: { media_type: "application/pdf", data: pdf }, title: "bill.pdf" }] },
  ]);
});

test("a model that takes no PDFs is no candidate, and without another the caller is told why", async () => {
  const answer = await postV1("/chat/completions", chat(undefined, { model: "demo" }));
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: "model_not_found" } }]);
  expect(model.calls).toEqual([]);
});

test.each([
  ["a file that only OpenAI has", chat({ file_id: "file-1" }), "messages[0].content[1].file.file_id"],
  ["bytes that are no PDF", chat({ file_data: `data:application/pdf;base64,${btoa("<html>")}` }), "messages[0].content[1].file.file_data"],
  ["another type", chat({ file_data: `data:text/html;base64,${pdf}` }), "messages[0].content[1].file.file_data"],
  ["what is no base64", chat({ file_data: `${pdfUrl.slice(0, -4)}!` }), "messages[0].content[1].file.file_data"],
])("refused where it stands: %s", async (_what, body, param) => {
  const answer = await postV1("/chat/completions", body);
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }]);
  expect(model.calls).toEqual([]);
});

test("an address is refused, and nothing is fetched", async () => {
  const answer = await postV1("/responses", input({ file_url: "https://files.example.com/a.pdf" }));
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: "input[0].content[1].file_url" } }]);
});

test("its reviewer can save it and see its name and size, and an edit of the text keeps it", async () => {
  await gates({ request: "review" });
  const asked = clientOf().chat.completions.create(chat());
  const { link, run } = await openNotice("request");
  const page = await (await gateway(pathOf(link), { key: null })).text();
  expect(page).toContain(`href="${pdfUrl}" download="bill.pdf"`);
  expect(page).toContain("1 PDF");
  await decide("request", "approve", run, (fields) => {
    for (const [name, value] of fields) if (value.includes("due")) fields.set(name, value.replace("due", "paid"));
  });
  await asked;
  expect(model.calls[0]?.body["messages"]).toMatchObject([{ content: [{ text: "What is paid?" }, sent[1]] }]);
});
