// The console's page of grants: what reviewers allowed, and ending one.

import { expect, test } from "vitest";
import { createKey } from "../../support/gateway.ts";
import { atConsole } from "../../support/console.ts";
import { givenGrant, grantList } from "../../support/grants.ts";
import { recordLines } from "../../support/record.ts";

test("a grant says for what it is, by whom and how much is left, and is ended by a form", async () => {
  const id = await givenGrant();
  const browser = await atConsole();
  const { text } = await browser.get("grants");
  for (const said of ["summarize", "notes", "in one session", "Requests of the same shape", "Ada", "key_dev", "/console/requests/run_1"])
    expect(text).toContain(said);
  const { status, location } = await browser.post("grants", { revoke: id });
  expect([status, location]).toEqual([303, "/console/grants?done=revoked"]);
  const after = (await browser.get("grants?done=revoked")).text;
  expect(after).toContain("The grant has ended.");
  expect(after).toContain("No grant may be used now.");
  expect((await browser.get("grants?show=all")).text).toContain("ended by hand");
  expect(await grantList()).toMatchObject([{ id, state: "revoked" }]);
  expect((await recordLines()).filter(({ fact }) => fact.kind === "grantRevoked")).toHaveLength(1);
});

test("an operator lets calls bypass reviews by a form, and it says for what, why and until when", async () => {
  const browser = await atConsole();
  await browser.get("grants");
  const wrong = await browser.post("grants", { give: "bypass", key: "key_dev", server: "", tool: "delete", hours: "2", reason: "" });
  expect(wrong.status).toBe(422);
  for (const said of ["Enter a reason.", "Enter the tool’s server.", 'value="delete"']) expect(wrong.text).toContain(said);
  expect((await browser.post("grants", { give: "bypass", reason: "a test" })).text).toContain("Choose a key, or enter a server.");
  expect(await grantList()).toEqual([]);
  const fields = { give: "bypass", key: "key_dev", server: "files", tool: "delete", hours: "2", reason: "the migration" };
  const { status, location } = await browser.post("grants", fields);
  expect([status, location]).toEqual([303, "/console/grants?done=given"]);
  const [grant] = await grantList();
  expect(grant).toMatchObject({ bypass: true, key: "key_dev", reason: "the migration", scope: { kind: "tool", server: "files" } });
  const hours = (Date.parse(String(grant?.["expiresAt"])) - Date.parse(String(grant?.["givenAt"]))) / 3_600_000;
  expect(hours).toBe(2);
  const { text } = await browser.get("grants?done=given");
  for (const said of ["Calls bypass reviews now.", "the migration", "Bypass of an operator", "End the grant"]) expect(text).toContain(said);
});

test("the form asks for more hours than there may be, and the page says so", async () => {
  const browser = await atConsole();
  await browser.get("grants");
  const { status, text } = await browser.post("grants", { give: "bypass", key: "key_dev", hours: "9", reason: "too long" });
  expect(status).toBe(422);
  expect(text).toContain('value="too long"');
  expect(await grantList()).toEqual([]);
});

test("ending a grant that there is not says so", async () => {
  const browser = await atConsole();
  await browser.get("grants?show=all");
  expect((await browser.get("grants?show=all")).text).toContain("No reviewer has given a grant.");
  await givenGrant();
  await browser.get("grants");
  const { status, text } = await browser.post("grants", { revoke: "key_none.0123456789012345678901" });
  expect([status, text.includes("There is no such grant")]).toEqual([422, true]);
});

test("keys without grants are passed over: the first grants that there are stand on the first page", async () => {
  const keys = await Promise.all(Array.from({ length: 45 }, () => createKey()));
  await givenGrant(keys.at(-1)?.id, { id: `${keys.at(-1)?.id}.0123456789012345678901`, by: "Bo" });
  const browser = await atConsole();
  expect((await browser.get("grants")).text).toContain("Bo");
});
