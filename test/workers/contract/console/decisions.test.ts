// The console's list of decisions: who approved what, by person and time, and as a file.

import { expect, test } from "vitest";
import { adminJson, answerOf, eventually, sample } from "../../support/gateway.ts";
import { atConsole } from "../../support/console.ts";
import { promptMarker, reasonMarker, replyMarker } from "../../support/logs.ts";
import { decide } from "../../support/reviewer.ts";
import type { DecisionList } from "../../../../workers/endpoints/admin/answers/decisions.ts";

const decided = (query: string, count: number): Promise<DecisionList["decisions"]> =>
  eventually(`${count} decisions of ${query}`, async () => {
    const { decisions } = await adminJson<DecisionList>(`/decisions${query}`);
    return decisions.length >= count ? decisions : null;
  });

test("has each decision with its person, how they are known and its request, and no content", async () => {
  const approved = answerOf(sample({ server: "notes" }));
  const { run } = await decide("request", "approve");
  await decide("response", "approve");
  await approved;
  const denied = answerOf(sample({ server: "notes" }));
  await decide("request", "deny", undefined, (fields) => fields.set("reason", reasonMarker));
  await denied;
  await answerOf(sample());
  const all = await decided("", 3);
  expect(all.map(({ decision }) => decision)).toEqual(["denied", "approved", "approved"]);
  const first = all.find(({ request }) => request === run);
  expect(first).toMatchObject({ known: "link", vote: false, subject: "message", server: "notes", edits: 0, written: false });
  expect(first?.waitedMs).toBeGreaterThanOrEqual(0);
  const by = encodeURIComponent(first?.by ?? "");
  expect(await decided(`?by=${by}&decision=denied`, 1)).toHaveLength(1);
  for (const query of ["?by=Nobody", "?server=other", "?until=2020-01-01", "?since=2100-01-01"])
    expect([query, (await adminJson<DecisionList>(`/decisions${query}`)).decisions]).toEqual([query, []]);

  const browser = await atConsole();
  const { text } = await browser.get(`decisions?by=${by}&range=hour`);
  expect(text).toContain("3 decisions on this page");
  expect(text).toContain(`href="/console/requests/${run}"`);
  expect(text).toContain(`href="/console/requests/${run}#record"`);
  expect((await browser.get(`requests/${run}`)).text).toContain("Save its receipt (JSON)");
  const receipt = await browser.post("download/receipt", { id: run });
  expect(receipt.headers.get("Content-Disposition")).toBe('attachment; filename="countersign-receipt.json"');
  expect(JSON.parse(receipt.text)).toMatchObject({
    receipt: expect.stringMatching(/^ey/) as string,
    proof: { entry: expect.anything() as object },
  });
  expect((await browser.post("download/receipt", { id: "../keys" })).status).toBe(404);
  const csv = await browser.post("download/decisions-csv", { by: first?.by ?? "", decision: "denied" });
  expect(csv.headers.get("Content-Disposition")).toBe('attachment; filename="countersign-decisions.csv"');
  expect(csv.text.trimEnd().split("\r\n")).toHaveLength(2);
  for (const content of [promptMarker, replyMarker, reasonMarker]) expect(text + csv.text).not.toContain(content);
  expect((await browser.get("decisions?since=nonsense")).status).toBe(422);
});
