// The console's form of the policy's `alerts`: who hears what of the gateway itself.

import { expect, test } from "vitest";
import { adminJson, configure, policy } from "../../support/gateway.ts";
import { type ConsoleBrowser, atConsole, contentOf } from "../../support/console.ts";

const withOps = { ...policy, reviewers: { ...policy.reviewers, ops: [{ name: "Ops", email: "ops@example.com" }] } };
const written = async (): Promise<{ alerts?: object; reviewers: object }> => adminJson("/policy");
const opened = async (browser: ConsoleBrowser): Promise<{ was: string; name: string; version: string }> => ({
  was: "alerts",
  name: "alerts",
  version: contentOf((await browser.get("alerts")).text, "version"),
});
const kinds = ["providerFailing", "budgetUsedUp"];

test("alerts are chosen, changed and taken away in a form, and the rest of the policy stays", async () => {
  await configure("policy", withOps);
  const browser = await atConsole();
  const { text } = await browser.get("alerts");
  expect(text).toContain("Nobody is alerted.");
  // What a new one begins with.
  expect(text.match(/name="about" value="\w+" checked=""/g)).toHaveLength(4);
  expect((await browser.get("now")).text).toContain('href="/console/alerts"');
  const saved = await browser.post("alerts", { ...(await opened(browser)), to: ["ops", "Ada"], about: kinds, perHour: "3" });
  expect([saved.status, saved.location]).toEqual([303, "/console/alerts?done=saved"]);
  const { alerts, reviewers } = await written();
  expect([alerts, reviewers]).toEqual([{ to: ["ops", "Ada"], about: kinds, perHour: 3 }, withOps.reviewers]);
  expect((await browser.get("now")).text).toContain("Alerts go to");

  const refused = await browser.post("alerts", { ...(await opened(browser)), about: kinds, perHour: "1000" });
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('id="to-error"');
  expect(refused.text).toContain('id="perHour-error"');
  expect((await written()).alerts).toEqual(alerts);

  const removed = await browser.post("alerts", { ...(await opened(browser)), do: "remove" });
  expect(removed.location).toBe("/console/alerts?done=removed");
  expect((await written()).alerts).toBeUndefined();
});
