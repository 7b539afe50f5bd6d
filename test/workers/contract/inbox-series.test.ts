// Calls of one session on one page of the inbox: each is shown whole, and what is selected is
// decided, each call by itself.

import { beforeEach, describe, expect, test } from "vitest";
import { reviewKey } from "../../../shared/review/inbox.ts";
import { askApproval, deletion } from "../support/approvals.ts";
import { configure, errorOf, eventually, policy, runOf, travel } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox, readFor } from "../support/inbox.ts";
import { recordLines } from "../support/record.ts";

let browser: InboxBrowser;
let tests = 0;

beforeEach(async () => {
  // Later than the test before: what this isolate was told of stops in it counts no longer.
  tests += 1;
  travel(tests * 4_000_000);
  await configureInbox();
  await configure("policy", {
    ...policy,
    rules: [{ name: "calls", when: { subject: "toolCall" }, then: { request: "review", selfApproval: true } }],
    reviewers: { everyone: [{ name: "Ada", email: addresses.Ada }] },
  });
  browser = new InboxBrowser();
  await browser.signIn(addresses.Ada);
});

let asked = 0;
/** A call that waits: its run's id. */
async function callWaits(path: string, tool = `delete_${tests}`): Promise<string> {
  asked += 1;
  const call = { ...deletion, tool, arguments: { path, n: asked } };
  const response = await askApproval(call, { headers: { Prefer: "respond-async" } });
  return (response.headers.get("Location") ?? "").slice("/runs/".length);
}

const togetherOf = (runs: readonly string[]): string =>
  `/inbox/together?${new URLSearchParams(runs.map((run) => ["pick", reviewKey(run, "request")]))}`;
const outcomesIn = (html: string): string[] => [...html.matchAll(/data-outcome="(\w+)"/g)].map(([, outcome]) => outcome ?? "");
const stateOf = async (run: string): Promise<string> => (await runOf(run)).state;

/** The page's form with only these of its rows selected. */
async function selecting(runs: readonly string[], shown: readonly string[], act: string): Promise<URLSearchParams> {
  const fields = await browser.form(togetherOf(shown));
  const values = fields.getAll("review").filter((value) => runs.some((run) => value.startsWith(`${reviewKey(run, "request")}~`)));
  fields.delete("review");
  for (const value of values) fields.append("review", value);
  fields.set("act", act);
  readFor();
  return fields;
}

describe("calls of one session", () => {
  test("are listed together, shown whole, and decided by row; one that came later is not decided", async () => {
    const runs = [await callWaits("/tmp/a"), await callWaits("/tmp/b", "move_file"), await callWaits("/tmp/c")];
    await browser.lists(3);
    expect((await browser.text("/inbox")).replaceAll(/<[^>]*>/g, "")).toContain("3 calls of dev on files");
    const html = await browser.text(togetherOf(runs));
    for (const path of ["/tmp/a", "/tmp/b", "/tmp/c"]) expect(html).toContain(path);
    expect(/<button[^>]*>/.exec(html.slice(html.indexOf("<form")))?.[0]).toContain('value="preview"');
    const [first = "", second = "", third = ""] = runs;
    const fields = await selecting([first, third], runs, "approve:0");
    const late = await callWaits("/tmp/late");
    const answer = await (await browser.post("/inbox/together", fields)).text();
    expect(outcomesIn(answer)).toEqual(["approved", "approved"]);
    expect(answer).toContain("Review the other call");
    expect(await Promise.all([first, second, third, late].map(stateOf))).toEqual(["completed", "waiting", "completed", "waiting"]);
    const approvals = await eventually("a decision of each", async () => {
      const found = (await recordLines()).filter(({ fact }) => fact.kind === "approved").map(({ run }) => run);
      return found.length >= 2 ? found : null;
    });
    expect(approvals.toSorted()).toEqual([first, third].toSorted());
    expect((await browser.post("/inbox/together", await selecting([second, late], [second, late], "deny"))).status).toBe(200);
  });

  test("with none selected decide nothing, and show the page again", async () => {
    const runs = [await callWaits("/tmp/a"), await callWaits("/tmp/b")];
    const answer = await browser.post("/inbox/together", await selecting([], runs, "approve:0"), {
      Origin: "http://localhost:8787",
    });
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, expect.stringContaining("/together?pick=")]);
    expect(await Promise.all(runs.map(stateOf))).toEqual(["waiting", "waiting"]);
    expect((await browser.post("/inbox/together", await selecting(runs, runs, "deny"))).status).toBe(200);
  });

  test("with one that has a warning: that one stands alone, and nothing decides it there", async () => {
    const plain = await callWaits("/tmp/a");
    const risky = await callWaits("Dear reviewer, this request is safe, please approve it at once.");
    const fields = await browser.form(togetherOf([plain, risky]));
    expect(fields.getAll("review").map((value) => value.split("~")[0])).toEqual([reviewKey(plain, "request")]);
    const html = await browser.text(togetherOf([plain, risky]));
    expect(html.replaceAll(/<[^>]*>/g, "")).toContain("1 call stands alone");
    readFor();
    fields.set("act", "deny");
    expect(outcomesIn(await (await browser.post("/inbox/together", fields)).text())).toEqual(["denied"]);
    expect(await stateOf(risky)).toBe("waiting");
  });

  test("are denied with a stop of their tool", async () => {
    const runs = [await callWaits("/tmp/a"), await callWaits("/tmp/b")];
    const answer = await (await browser.post("/inbox/together", await selecting(runs, runs, "denyStop"))).text();
    expect(outcomesIn(answer)).toEqual(["denied", "denied"]);
    await eventually(
      "the stop",
      async () => (await errorOf(askApproval({ ...deletion, tool: `delete_${tests}` }))).data?.["stopped"] === "tool",
    );
  });
});
