// What an open review page hears by its WebSocket: how its review stands, without a word of the
// content.

import { beforeEach, describe, expect, test } from "vitest";
import { recordOf } from "../objects/inside.ts";
import { configure, env, eventually, gateway, gatewayWith, notices, policy, publicUrl, sample } from "../support/gateway.ts";
import { promptMarker } from "../support/logs.ts";
import { formOf, pathOf, press, tokenOf } from "../support/reviewer.ts";
import { linkToken, parseLinkToken } from "../../../shared/review/link.ts";
import { signingKey } from "../../../shared/sealed-id.ts";

let run: string;
let ada: string;
let grace: string;

beforeEach(async () => openReview(2));

/** A review that two people are asked for, so many of whom have to approve. */
async function openReview(quorum: number): Promise<void> {
  await configure("policy", {
    ...policy,
    rules: [],
    default: { ...policy.default, response: "allow", quorum },
    reviewers: { everyone: [{ name: "Ada" }, { name: "Grace" }] },
  });
  const response = await sample({ server: "notes" }, { headers: { Prefer: "respond-async" } });
  run = (response.headers.get("Location") ?? "").slice("/runs/".length);
  const both = await eventually("both notices", async () => {
    const mine = (await notices()).filter((each) => each.run === run);
    return mine.length === 2 ? mine : null;
  });
  const of = (name: string): string => both.find(({ reviewer }) => reviewer === name)?.link ?? "";
  [ada, grace] = [of("Ada"), of("Grace")];
}

const upgrade = (headers: Record<string, string> = {}): RequestInit & { key: null } => ({
  key: null,
  headers: { Upgrade: "websocket", Origin: publicUrl, ...headers },
});
const liveOf = (link: string): string => `${pathOf(link)}/live`;

type Told = { readonly kind: string; readonly state: string; readonly left: boolean };

/** Opens a window and keeps what it is told. */
async function listen(link: string): Promise<{ told: Told[]; texts: string[]; close: () => void }> {
  const { status, webSocket } = await gateway(liveOf(link), upgrade());
  expect(status).toBe(101);
  if (webSocket === null) throw new Error("no socket");
  const texts: string[] = [];
  const told: Told[] = [];
  webSocket.addEventListener("message", ({ data }) => {
    texts.push(String(data));
    told.push(JSON.parse(String(data)) as Told); // what the run's object says
  });
  webSocket.accept();
  await eventually("the first word", async () => told.length > 0);
  return { told, texts, close: () => webSocket.close() };
}

describe("an open page", () => {
  test("hears at once how it stands, as its form has it", async () => {
    const { told, close } = await listen(ada);
    const form = await formOf(ada);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      kind: "review",
      state: "open",
      version: Number(form.get("version")),
      digest: form.get("digest"),
      left: false,
    });
    close();
  });

  test("hears of another's edit and vote, and of the end, and of nothing that is in the content", async () => {
    const { told, texts, close } = await listen(ada);
    const edit = (fields: URLSearchParams): void => {
      for (const [name, value] of fields) if (name.startsWith("edit:")) fields.set(name, value.replace("capital", "largest city"));
    };
    expect((await press(grace, "approve", edit)).status).toBe(303);
    await eventually("the vote", async () => told.at(-1)?.state === "voted");
    const form = await formOf(ada);
    expect(told.at(-1)).toMatchObject({ version: 2, digest: form.get("digest"), votes: 1, hasVoted: false });
    const hers = await listen(grace);
    expect(hers.told[0]).toMatchObject({ votes: 1, hasVoted: true });
    hers.close();
    expect((await press(ada, "deny", (fields) => fields.set("reason", "not-to-be-told"))).status).toBe(303);
    await eventually("the end", async () => told.at(-1)?.state === "denied");
    for (const secret of [promptMarker, "largest city", "not-to-be-told", "Grace", "Ada"]) expect(texts.join("\n")).not.toContain(secret);
    close();
  });

  test("that listens writes nothing and decides nothing", async () => {
    const before = (await recordOf(run)).length;
    for (let i = 0; i < 5; i += 1) (await listen(ada)).close();
    expect(await recordOf(run)).toHaveLength(before);
    expect((await listen(grace)).told[0]?.state).toBe("open");
  });

  test("of the reviewer who gives it up hears that; the others' do not", async () => {
    await openReview(1);
    const [mine, theirs] = [await listen(ada), await listen(grace)];
    expect((await press(ada, "deny", (fields) => fields.set("act", "notMine"))).status).toBe(303);
    await eventually("the word of it", async () => mine.told.at(-1)?.left === true);
    expect(theirs.told.at(-1)).toMatchObject({ state: "open", left: false });
    mine.close();
    theirs.close();
  });
});

describe("the live address", () => {
  test("is a WebSocket's alone: 426 for a plain GET, 405 for anything else", async () => {
    expect((await gateway(liveOf(ada), { key: null })).status).toBe(426);
    expect((await gateway(liveOf(ada), { key: null, method: "POST", body: "" })).status).toBe(405);
  });

  test("opens for our own pages, and where no browser says whose page it is", async () => {
    expect((await gateway(liveOf(ada), upgrade({ Origin: "https://evil.example.com" }))).status).toBe(403);
    expect((await gateway(liveOf(ada), upgrade({ Origin: "null" }))).status).toBe(403);
    const bare = await gateway(liveOf(ada), { key: null, headers: { Upgrade: "websocket" } });
    expect(bare.status).toBe(101);
    bare.webSocket?.accept();
    bare.webSocket?.close();
  });

  test("is 404 for a token that is forged, over, or another's place", async () => {
    const keys = [signingKey(env.LINK_KEY ?? "")] as const;
    const claims = parseLinkToken(keys, tokenOf(ada));
    if (claims === undefined) throw new Error("a link of our own that does not open");
    const over = linkToken(keys, { ...claims, expiresAtSeconds: Math.floor(Date.now() / 1000) - 1 });
    const elsewhere = linkToken(keys, { ...claims, reviewer: claims.reviewer + 1 });
    const forged = tokenOf(ada).replace(/^./, "B");
    for (const token of [over, elsewhere, forged]) expect((await gateway(`/r/${token}/live`, upgrade())).status).toBe(404);
  });

  test("is named on the page, which may talk to nobody but us, by one script of ours", async () => {
    const prefixed = { PUBLIC_URL: `${publicUrl}/countersign` };
    const page = await gatewayWith(prefixed, pathOf(ada), { key: null });
    const html = await page.text();
    expect(html).toContain(`&quot;live&quot;:&quot;/countersign${pathOf(ada)}/live&quot;`);
    const policyOf = page.headers.get("Content-Security-Policy") ?? "";
    const [, nonce] = /script-src 'nonce-([\w-]+)'/.exec(policyOf) ?? [];
    expect(policyOf).toContain("connect-src 'self'");
    expect([...html.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag)).toEqual([`<script nonce="${nonce}">`]);
  });

  test("is not on a page where nothing is left to decide", async () => {
    await press(ada, "deny");
    const page = await gateway(pathOf(ada), { key: null });
    expect(await page.text()).not.toContain("WebSocket");
    expect(page.headers.get("Content-Security-Policy")).not.toMatch(/connect-src/);
  });
});
