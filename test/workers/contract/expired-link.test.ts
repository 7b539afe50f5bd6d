// A genuine link whose time is over: what its page says, what a new link needs, and that nothing
// else comes of it.

import { beforeEach, describe, expect, test } from "vitest";
import { readForm } from "../../../scripts/page-form.ts";
import { formNonce, linkId, linkToken, nonceRandomLength, parseLinkToken } from "../../../shared/review/link.ts";
import { signingKey } from "../../../shared/sealed-id.ts";
import { changeRunRow, stubOf, tablesOf } from "../objects/inside.ts";
import { configure, env, eventually, gateway, notices, openNotice, policy, publicUrl, runOf, sample, travel } from "../support/gateway.ts";
import { promptMarker } from "../support/logs.ts";
import { recordLines } from "../support/record.ts";
import { formOf, nonceFor, pathOf, postForm, press, tokenOf } from "../support/reviewer.ts";

/** Links live for 72 hours here. */
const linkHours = 72 * 3_600_000;

let run: string;
let link: string;

beforeEach(async () => {
  await configure("policy", {
    ...policy,
    rules: [],
    default: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 604_800 },
    reviewers: { everyone: [{ name: "Ada", email: "ada@example.com" }] },
  });
  const response = await sample({ server: "notes" }, { headers: { Prefer: "respond-async" } });
  run = (response.headers.get("Location") ?? "").slice("/runs/".length);
  ({ link } = await openNotice("request", run));
  known = new Set([link]);
});

const get = (address: string, init: RequestInit = {}): Promise<Response> => gateway(pathOf(address), { key: null, ...init });

/** The form of the page as if it were made five seconds ago. */
function renewForm(address: string, agoMs = 5_000): URLSearchParams {
  const subject = { token: tokenOf(address), version: 0, digest: "renew" };
  const nonce = formNonce(
    [signingKey(env.LINK_KEY ?? "")],
    subject,
    Date.now() - agoMs,
    crypto.getRandomValues(new Uint8Array(nonceRandomLength)),
  );
  return new URLSearchParams({ act: "renew", nonce });
}

let known: Set<string>;

/** Waits for a link that no test has seen yet. */
async function newestLink(): Promise<string> {
  const found = await eventually("another link", async () =>
    (await notices()).find((each) => each.run === run && each.state === "sent" && !known.has(each.link)),
  );
  known.add(found.link);
  return found.link;
}

/** The link as it would be, had its time just ended. */
async function endedNow(): Promise<string> {
  const keys = [signingKey(env.LINK_KEY ?? "")] as const;
  const claims = parseLinkToken(keys, tokenOf(link));
  if (claims === undefined) throw new Error("a link of our own that does not open");
  const expiresAtSeconds = Math.floor(Date.now() / 1_000) - 1;
  const index = (await tablesOf(stubOf(run)))["links"]?.findIndex(({ id }) => id === linkId(claims));
  await changeRunRow(run, "links", `json_set(links, '$[${index}].expiresAtSeconds', ${expiresAtSeconds})`);
  return link.replace(tokenOf(link), linkToken(keys, { ...claims, expiresAtSeconds }));
}

/**
 * Of the outbox's link alone: an email that was still on its way when the clock was moved gets a
 * new link by itself.
 */
const renewals = async (): Promise<number> =>
  (await recordLines()).filter(({ run: of, fact }) => of === run && fact.kind === "linkRenewed" && fact.channel === "outbox").length;

describe("the page of an expired link", () => {
  test("says until when it was good and how the review stands: no content, no names, no address", async () => {
    travel(linkHours + 1_000);
    const response = await get(link);
    expect(response.status).toBe(410);
    const page = await response.text();
    expect(page).toContain("was valid until");
    expect(page).toContain("still open");
    for (const hidden of [promptMarker, "Ada", "ada@example.com", "notes"]) expect(page).not.toContain(hidden);
    expect(readForm(page, link)?.fields.get("nonce")).toMatch(/^[\w-]{40}$/);
    for (const [name, value] of [
      ["Cache-Control", "no-store"],
      ["X-Robots-Tag", "noindex, nofollow"],
    ] as const)
      expect(response.headers.get(name)).toBe(value);
  });

  test("that is opened often, by whatever means, sends nothing", async () => {
    travel(linkHours + 1_000);
    for (let i = 0; i < 10; i += 1) expect((await get(link, { method: i % 2 === 0 ? "HEAD" : "GET" })).status).toBe(410);
    expect(await renewals()).toBe(0);
    expect((await notices()).filter((each) => each.run === run)).toHaveLength(1);
  });

  test("has no button where the review is over", async () => {
    expect((await press(link, "deny")).status).toBe(303);
    const over = await endedNow();
    const response = await get(over);
    expect(response.status).toBe(410);
    const page = await response.text();
    expect(page).toContain("it was denied");
    expect(readForm(page, over)).toBeNull();
    expect((await postForm(over, renewForm(over))).status).toBe(409);
    expect(await renewals()).toBe(0);
  });

  test("takes no decision, not even one that was begun in time", async () => {
    const fields = await formOf(link);
    fields.set("act", "approve:0");
    travel(linkHours + 1_000);
    fields.set("nonce", nonceFor(link, fields, 5_000));
    const response = await postForm(link, fields);
    expect([response.status, await response.text()]).toEqual([410, expect.stringContaining("It did not count")]);
    expect((await runOf(run)).state).toBe("waiting");
  });

  test("of a forged token is the same 404 as ever", async () => {
    travel(linkHours + 1_000);
    const forged = link.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
    expect((await get(forged)).status).toBe(404);
    expect((await postForm(forged, renewForm(forged))).status).toBe(404);
  });
});

describe("a new link", () => {
  test("is sent by the same channel, and opens; the old one opens nothing from then on", async () => {
    travel(linkHours + 1_000);
    const sent = await postForm(link, renewForm(link));
    expect(sent.status).toBe(200);
    const page = await sent.text();
    expect(page).toContain("A new link is on its way");
    expect(page).not.toContain("ada@example.com");
    const next = await newestLink();
    expect((await get(link)).status).toBe(404);
    expect((await postForm(link, renewForm(link))).status).toBe(404);
    expect((await get(next)).status).toBe(200);
    expect((await press(next, "deny")).status).toBe(303);
  });

  test("is sent three times an hour at most", async () => {
    for (let sent = 1; sent <= 3; sent += 1) {
      const over = await endedNow();
      expect((await postForm(over, renewForm(over))).status).toBe(200);
      link = await newestLink();
    }
    const over = await endedNow();
    const fourth = await postForm(over, renewForm(over));
    expect([fourth.status, await fourth.text()]).toEqual([429, expect.stringContaining("At most three new links")]);
    await eventually("three in the record", async () => (await renewals()) === 3);
    travel(3_600_000 + 1_000);
    expect((await postForm(over, renewForm(over))).status).toBe(200);
  });

  test.each<[string, (fields: URLSearchParams) => void, Record<string, string>, number]>([
    [
      "with a nonce that is too early",
      (fields) => fields.set("nonce", renewForm(link, -60_000).get("nonce") ?? ""),
      { Origin: publicUrl },
      409,
    ],
    [
      "with a nonce that is too old",
      (fields) => fields.set("nonce", renewForm(link, 31 * 60_000).get("nonce") ?? ""),
      { Origin: publicUrl },
      409,
    ],
    ["without a nonce", (fields) => fields.delete("nonce"), { Origin: publicUrl }, 403],
    ["with a made-up nonce", (fields) => fields.set("nonce", "A".repeat(40)), { Origin: publicUrl }, 403],
    ["with two nonces", (fields) => fields.append("nonce", "x"), { Origin: publicUrl }, 400],
    ["without the button, as a script submits it", (fields) => fields.delete("act"), { Origin: publicUrl }, 410],
    ["from another site", () => {}, { Origin: "https://evil.example.com" }, 403],
    ["from an opaque origin", () => {}, { Origin: "null" }, 403],
    ["as JSON", () => {}, { Origin: publicUrl, "Content-Type": "application/json" }, 415],
  ])("is not sent to a form %s", async (_name, change, headers, status) => {
    travel(linkHours + 1_000);
    const fields = renewForm(link);
    change(fields);
    expect((await postForm(link, fields, headers)).status).toBe(status);
    expect(await renewals()).toBe(0);
  });

  test("is not sent with the nonce of a decision, nor a decision taken with this one's", async () => {
    const fields = await formOf(link);
    const decision = nonceFor(link, fields, 5_000);
    fields.set("act", "approve:0");
    fields.set("nonce", renewForm(link).get("nonce") ?? "");
    expect((await postForm(link, fields)).status).toBe(403);
    travel(linkHours + 1_000);
    expect((await postForm(link, new URLSearchParams({ act: "renew", nonce: decision }))).status).toBe(403);
    expect(await renewals()).toBe(0);
  });
});
