// What a reviewer may do beside deciding, over HTTP: hand the review over, say that it is not
// theirs; and what their page shows once they have approved, given up, or may not approve.

import { beforeEach, describe, expect, test } from "vitest";
import { readForm } from "../../../scripts/page-form.ts";
import { changeRunRow, stubOf, tablesOf } from "../objects/inside.ts";
import { configure, createKey, eventually, gateway, type Notice, notices, policy, runOf, runReaches, sample } from "../support/gateway.ts";
import { promptMarker } from "../support/logs.ts";
import { recordLines } from "../support/record.ts";
import { filledForm, formOf, nonceFor, pathOf, postForm } from "../support/reviewer.ts";

const people = [{ name: "Ada" }, { name: "Grace" }, { name: "Edsger" }];

/** The first `asked` of the people are asked; the others may be handed the review. */
const policyFor = (asked: number, more: object = {}): object => ({
  ...policy,
  rules: [],
  default: { request: "review", response: "allow", reviewers: ["asked"], deadlineSeconds: 600, ...more },
  reviewers: { asked: people.slice(0, asked), ...(asked < people.length ? { others: people.slice(asked) } : {}) },
});

const get = async (link: string): Promise<string> => (await gateway(pathOf(link), { key: null })).text();

const linkOf = (run: string, reviewer: string): Promise<string> =>
  eventually(`a link for ${reviewer}`, async () =>
    (await notices()).find((each: Notice) => each.run === run && each.reviewer === reviewer && each.state === "sent"),
  ).then(({ link }) => link);

async function openRun(key?: string): Promise<string> {
  const response = await sample({ server: "notes" }, { headers: { Prefer: "respond-async" }, ...(key === undefined ? {} : { key }) });
  return (response.headers.get("Location") ?? "").slice("/runs/".length);
}

/** The page's form as a browser sends it five seconds after the page was made. */
const formFor = (link: string, act: string, more: Record<string, string> = {}): Promise<URLSearchParams> =>
  filledForm(link, act, (fields) => {
    for (const [name, value] of Object.entries(more)) fields.set(name, value);
  });

const press = async (link: string, act: string, more: Record<string, string> = {}): Promise<Response> =>
  postForm(link, await formFor(link, act, more));

const factsOf = async (run: string, kind: string): Promise<number> =>
  (await recordLines()).filter((line) => line.run === run && line.fact.kind === kind).length;

describe("handing a review over", () => {
  let run: string;
  let ada: string;

  beforeEach(async () => {
    await configure("policy", policyFor(1));
    run = await openRun();
    ada = await linkOf(run, "Ada");
  });

  test("offers the names of those who are not asked, the first of them chosen", async () => {
    expect((await formOf(ada)).get("to")).toBe("Grace");
    expect(await get(ada)).toContain(">Edsger</option>");
  });

  test("is a 303 to a page that says to whom, shows the content, and has no form; the other gets a link and decides", async () => {
    const response = await press(ada, "handOver", { to: "Grace" });
    expect([response.status, response.headers.get("Location")]).toEqual([303, ada]);
    const page = await get(ada);
    expect(page).toMatch(/You handed it to <b class="person"><bdi class="name">Grace<\/bdi>/);
    expect(page).toContain(promptMarker);
    expect(readForm(page, ada)).toBeNull();
    const grace = await linkOf(run, "Grace");
    expect((await press(grace, "approve")).status).toBe(303);
    await runReaches(run, "completed");
    await eventually("the record", async () => (await factsOf(run, "handedOver")) === 1);
  });

  test("carries a note: the other reads who wrote it and what, in the frame of what is not ours, and the record has none of it", async () => {
    const note = "You know this server.\n<b>Be quick</b>\u202e";
    expect((await press(ada, "handOver", { to: "Grace", note })).status).toBe(303);
    const page = await get(await linkOf(run, "Grace"));
    const frame = /<section class="parts handed">[\s\S]*?<\/section>/.exec(page)?.[0] ?? "";
    expect(frame).toMatch(/<bdi class="name">Ada<\/bdi> handed it to you/);
    expect(frame).toContain('You know this server.\n&lt;b&gt;Be quick&lt;/b&gt;<b class="unseen">U+202E');
    await eventually("the record", async () => (await factsOf(run, "handedOver")) === 1);
    expect(JSON.stringify(await recordLines())).not.toContain("You know this server");
    const long = await formFor(await linkOf(run, "Grace"), "handOver", { to: "Ada", note: "n".repeat(1_001) });
    expect((await postForm(await linkOf(run, "Grace"), long)).status).toBe(400);
  });

  test("twice by a double click is once, and the old page decides nothing any more", async () => {
    const [fields, old] = [await formFor(ada, "handOver", { to: "Grace" }), await formFor(ada, "approve")];
    expect((await Promise.all([postForm(ada, fields), postForm(ada, fields)])).map(({ status }) => status)).toEqual([303, 303]);
    const late = await postForm(ada, old);
    expect([late.status, await late.text()]).toEqual([403, expect.stringContaining("You left this review")]);
    expect((await runOf(run)).state).toBe("waiting");
    await eventually("the record", async () => (await factsOf(run, "handedOver")) === 1);
  });

  test.each<[string, Record<string, string>, number]>([
    ["to somebody whom the policy does not name", { to: "Mallory" }, 422],
    ["to oneself", { to: "Ada" }, 409],
    ["to nobody", { to: "" }, 400],
  ])("%s does nothing", async (_name, more, status) => {
    const response = await press(ada, "handOver", more);
    expect(response.status).toBe(status);
    if (status !== 400) expect(readForm(await response.text(), ada)).not.toBeNull();
    expect(await factsOf(run, "handedOver")).toBe(0);
  });

  test.each(["handOver", "notMine"])("needs the nonce of a page that a person has read: %s", async (act) => {
    for (const [agoMs, status] of [
      [-60_000, 409],
      [31 * 60_000, 409],
    ] as const) {
      const fields = await formFor(ada, act);
      fields.set("nonce", nonceFor(ada, fields, agoMs));
      expect((await postForm(ada, fields)).status).toBe(status);
    }
    expect((await press(ada, act, { nonce: "made-up" })).status).toBe(403);
    expect((await postForm(ada, await formFor(ada, act), { Origin: "https://evil.example.com" })).status).toBe(403);
    expect(readForm(await get(ada), ada)).not.toBeNull();
  });
});

describe("“This is not mine”", () => {
  test("takes the reviewer off; the others decide", async () => {
    await configure("policy", policyFor(2));
    const run = await openRun();
    const [ada, grace] = [await linkOf(run, "Ada"), await linkOf(run, "Grace")];
    expect((await press(ada, "notMine")).status).toBe(303);
    const page = await get(ada);
    expect(page).toContain("that it is not yours");
    expect(page).toContain(promptMarker);
    expect(readForm(page, ada)).toBeNull();
    expect((await runOf(run)).state).toBe("waiting");
    expect((await press(grace, "deny")).status).toBe(303);
    await runReaches(run, "rejected");
  });

  test("of the last one whom any channel reaches refuses the requestor at once", async () => {
    await configure("policy", policyFor(2));
    const run = await openRun();
    const ada = await linkOf(run, "Ada");
    await linkOf(run, "Grace");
    const linkOfGrace = (await tablesOf(stubOf(run)))["links"]?.findIndex(({ reviewer }) => reviewer === 1);
    await changeRunRow(run, "links", `json_set(links, '$[${linkOfGrace}].notice', 'failed')`);
    expect((await press(ada, "notMine")).status).toBe(303);
    expect(await runReaches(run, "failed")).toMatchObject({ error: { data: { outcome: "undeliverable" } } });
  });

  test("of the last one refuses the requestor at once, and the page says that it is over", async () => {
    await configure("policy", policyFor(1));
    const run = await openRun();
    const ada = await linkOf(run, "Ada");
    expect((await press(ada, "notMine")).status).toBe(303);
    const ended = await eventually("the end", async () => {
      const now = await runOf(run);
      return now.state === "waiting" ? null : now;
    });
    expect(ended.result).toBeUndefined();
    expect(ended.error?.code).toBe(-1);
    const page = await get(ada);
    expect(readForm(page, ada)).toBeNull();
    expect(page).toContain("no reviewer is left who may decide");
    expect(page).not.toContain("You are no longer asked");
  });
});

describe("who has approved where others are still needed", () => {
  test("is shown that, with who must approve too; may deny, but neither approve nor give it up", async () => {
    await configure("policy", policyFor(2, { quorum: 2 }));
    const run = await openRun();
    const ada = await linkOf(run, "Ada");
    const open = await formFor(ada, "notMine");
    expect((await press(ada, "approve")).status).toBe(303);
    const page = await get(ada);
    expect(page).toContain("You approved it");
    expect(page).toMatch(/<bdi class="name">Grace<\/bdi><\/b> must approve too/);
    expect(page).not.toContain('value="approve:');
    expect(page).not.toContain('value="notMine"');
    const response = await postForm(ada, open);
    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining("your approval stands")]);
    expect((await press(ada, "deny")).status).toBe(303);
    await runReaches(run, "rejected");
  });
});

describe("whose own request it is, where that is barred", () => {
  test("sees why there is nothing to approve, and cannot choose who does", async () => {
    const { key } = await createKey({ owner: "Ada" });
    await configure("policy", policyFor(2, { selfApproval: false }));
    const run = await openRun(key);
    const ada = await linkOf(run, "Ada");
    const page = await get(ada);
    expect(page).toContain("This is your own request: another reviewer has to approve it");
    expect(page).not.toContain('value="approve:');
    expect(page).not.toContain('value="handOver"');
    const response = await press(ada, "handOver", { to: "Edsger" });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("you cannot choose who decides it")]);
    expect((await press(ada, "approve")).status).toBe(403);
    expect((await press(ada, "notMine")).status).toBe(303);
    expect((await runOf(run, key)).state).toBe("waiting");
  });

  test("is not handed their own request by others, who would end it with that", async () => {
    const { key } = await createKey({ owner: "Grace" });
    await configure("policy", policyFor(1, { selfApproval: false }));
    const run = await openRun(key);
    const ada = await linkOf(run, "Ada");
    expect((await formOf(ada)).get("to")).toBe("Edsger");
    expect(await get(ada)).not.toContain(">Grace</option>");
    const response = await press(ada, "handOver", { to: "Grace" });
    expect([response.status, await response.text()]).toEqual([422, expect.stringContaining("you are still asked")]);
    expect((await runOf(run, key)).state).toBe("waiting");
  });
});

describe("a grant that is asked for with an approval", () => {
  const wish = { grant: "tool:shape", "grant-hours": "168", "grant-uses": "3" };

  async function offered(more: object = {}): Promise<{ run: string; ada: string }> {
    await configure("policy", policyFor(1, { grants: true, ...more }));
    const run = await openRun();
    return { run, ada: await linkOf(run, "Ada") };
  }

  test("has the narrowest scope, a day and ten uses on the page, and is given by its own button", async () => {
    const { run, ada } = await offered();
    const fields = await formOf(ada);
    expect([fields.get("grant"), fields.get("grant-hours"), fields.get("grant-uses")]).toEqual(["session:exact", "24", "10"]);
    expect((await press(ada, "allow", wish)).status).toBe(303);
    await runReaches(run, "completed");
    await eventually("the grant in the record", async () => (await factsOf(run, "granted")) === 1);
  });

  test("is not given by the button that only approves, whatever is chosen", async () => {
    const { run, ada } = await offered();
    expect((await press(ada, "approve", wish)).status).toBe(303);
    await runReaches(run, "completed");
    expect(await factsOf(run, "granted")).toBe(0);
  });

  test.each<[string, Record<string, string>]>([
    ["an edit", { "edit:/messages/0/content/0/text": "Something else" }],
    ["another model first", { model: "second" }],
    ["a number that is none", { "grant-uses": "a lot" }],
    ["a number that is too large", { "grant-uses": "1001" }],
  ])("together with %s decides nothing, says why, and keeps all that was written: 422", async (_name, more) => {
    const { run, ada } = await offered();
    const response = await press(ada, "allow", { ...wish, reason: "half a reason", ...more });
    expect(response.status).toBe(422);
    const page = await response.text();
    expect(page).toContain("Nothing was decided");
    const again = readForm(page, ada)?.fields;
    for (const [name, value] of Object.entries({ ...wish, reason: "half a reason", ...more }))
      expect([name, again?.get(name)]).toEqual([name, value]);
    expect((await runOf(run)).state).toBe("waiting");
    // The page shows what was changed, and its button counts it.
    again?.set("act", /value="(approve:[0-9]+)"/.exec(page)?.[1] ?? "");
    again?.set("nonce", nonceFor(ada, again, 5_000));
    expect((await postForm(ada, again ?? new URLSearchParams())).status).toBe(303);
  });

  test("where the rules offer none, is not on the page and decides nothing: 422", async () => {
    const { run, ada } = await offered({ grants: false });
    expect((await formOf(ada)).has("grant")).toBe(false);
    expect((await press(ada, "allow", wish)).status).toBe(422);
    expect((await runOf(run)).state).toBe("waiting");
  });

  test("is kept by a preview", async () => {
    const { ada } = await offered();
    const again = readForm(await (await press(ada, "preview", wish)).text(), ada)?.fields;
    for (const [name, value] of Object.entries(wish)) expect(again?.get(name)).toBe(value);
  });
});

test("a request that cannot be read leaves the review as it was: an unknown act, two names, none", async () => {
  await configure("policy", policyFor(1));
  const run = await openRun();
  const ada = await linkOf(run, "Ada");
  for (const change of [
    (fields: URLSearchParams) => fields.set("act", "giveUp"),
    (fields: URLSearchParams) => fields.append("to", "Edsger"),
    (fields: URLSearchParams) => fields.delete("to"),
  ]) {
    const fields = await formFor(ada, "handOver");
    change(fields);
    expect((await postForm(ada, fields)).status).toBe(400);
  }
  expect(readForm(await get(ada), ada)).not.toBeNull();
});
