// Links and scanners: what opens a link without its person, and links that nobody gave out.

import { assert, expect } from "vitest";
import { linkToken, parseLinkToken } from "../../../shared/review/link.ts";
import { fromBase64url, toBase64url } from "../../../shared/encoding.ts";
import { readForm } from "../../../scripts/page-form.ts";
import { signingKey } from "../../../shared/sealed-id.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { type Opened, agedNonce, formOf, isUndecided, opened, pathOf, postForm, press, reviewOf, runOf, tokenOf } from "../people.ts";
import { type World, secrets } from "../world.ts";

/** A review that nobody may decide by what is tried; it is denied at the end. */
const withReview = (name: string, run: (world: World, review: Opened) => Promise<void>): Attack => ({
  name,
  run: async (world) => {
    const review = await opened(world);
    await run(world, review);
    expect(await isUndecided(world, review), "it was decided").toBe(true);
    await press(world, review.link, "deny");
    await review.answer;
  },
});

const looking = eachOf<[string, string, Readonly<Record<string, string>>]>(
  [
    ["a thousand GETs", "GET", {}],
    ["two hundred HEADs", "HEAD", {}],
    ["prefetches by a browser", "GET", { "Sec-Purpose": "prefetch;prerender", Purpose: "prefetch" }],
    ["a link preview's requests", "GET", { "User-Agent": "Slackbot-LinkExpanding 1.0", Range: "bytes=0-4095" }],
    ["a mail scanner's requests", "GET", { "User-Agent": "Mozilla/5.0 (compatible; SafeLinks)", Accept: "*/*" }],
  ],
  ([what, method, headers]) =>
    withReview(`${what} decide nothing, set no cookie, and leave the link good`, async (world, { link }) => {
      for (let round = 0; round < (what.includes("thousand") ? 50 : 10); round += 1) {
        const answers = await Promise.all(
          // From many addresses: one alone would be refused for a minute.
          Array.from({ length: 20 }, (_, index) =>
            world.ask(pathOf(link), { method, key: null, headers: { ...headers, "CF-Connecting-IP": `10.0.${round}.${index}` } }),
          ),
        );
        for (const answer of answers) {
          expect(answer.status, "the status").toBe(200);
          expect(answer.headers.get("set-cookie"), "a cookie").toBe(null);
        }
      }
    }),
);

const tampered: readonly Attack[] = [
  withReview("a token with any one of its bits changed opens nothing, and tells nothing apart", async (world, { link }) => {
    const bytes = fromBase64url(tokenOf(link)) ?? new Uint8Array();
    const pages = new Set<string>();
    for (let byte = 0; byte < bytes.length; byte += 1) {
      const other = Uint8Array.from(bytes, (value, index) => (index === byte ? value ^ (1 << (byte % 8)) : value));
      const answer = await world.ask(`/r/${toBase64url(other)}`, { key: null });
      expect(answer.status, `the status with byte ${byte} changed`).toBe(404);
      pages.add(answer.text.replaceAll(/nonce[-=]"?[\w+/=-]+/g, ""));
    }
    expect(pages.size, "different pages").toBe(1);
  }),
  withReview("a token that is cut, padded, doubled or encoded otherwise opens nothing", async (world, { link }) => {
    const token = tokenOf(link);
    for (const other of [
      token.slice(1),
      token.slice(0, -1),
      `${token}A`,
      `${token}=`,
      token + token,
      token.toUpperCase(),
      `%20${token}`,
      `${token}%00`,
      `${token}/`,
      token.replaceAll("-", "+"),
    ])
      if (other !== token) expect((await world.ask(`/r/${other}`, { key: null })).status, `opened as ${other}`).toBe(404);
  }),
  withReview("a link that is signed by a key that was removed opens nothing", async (world, { link }) => {
    const claims = parseLinkToken([signingKey(secrets.link)], tokenOf(link));
    assert(claims !== undefined, "the token has no claims");
    const forged = linkToken([signingKey("a key that was removed 0123456789")], claims);
    expect((await world.ask(`/r/${forged}`, { key: null })).status, "the status").toBe(404);
  }),
  withReview("a link whose time is over shows no content and decides nothing", async (world, { link }) => {
    const claims = parseLinkToken([signingKey(secrets.link)], tokenOf(link));
    assert(claims !== undefined, "the token has no claims");
    const over = `${world.url}/r/${linkToken([signingKey(secrets.link)], { ...claims, expiresAtSeconds: Math.floor(Date.now() / 1_000) - 5 })}`;
    const page = await world.ask(pathOf(over), { key: null });
    expect(page.status, "the status").toBe(410);
    expect(page.text, "the page").not.toContain("Question ");
    const fields = (await formOf(world, link)) ?? new URLSearchParams();
    fields.set("act", "approve:0");
    fields.set("nonce", agedNonce(over, fields, 2_000));
    expect((await postForm(world, over, fields)).status, "the form's status").toBe(410);
  }),
  ...eachOf<[string, object]>(
    [
      ["the other gate", { gate: "response" }],
      ["another reviewer", { reviewer: 1 }],
      ["random bytes that were never given out", { random: new Uint8Array(12) }],
      ["another run", { runRandom: new Uint8Array(16).fill(7) }],
    ],
    ([what, change]) =>
      withReview(`a link that is signed with our key but claims ${what} decides nothing`, async (world, { link }) => {
        const claims = parseLinkToken([signingKey(secrets.link)], tokenOf(link));
        assert(claims !== undefined, "the token has no claims");
        const other = `${world.url}/r/${linkToken([signingKey(secrets.link)], { ...claims, ...change })}`;
        const fields = (await formOf(world, link)) ?? new URLSearchParams();
        fields.set("act", "approve:0");
        fields.set("nonce", agedNonce(other, fields, 2_000));
        const answer = await postForm(world, other, fields);
        expect(answer.status >= 400 && answer.status < 500, `the status is ${answer.status}`).toBe(true);
      }),
  ),
];

const forms: readonly [string, (fields: URLSearchParams, link: string) => URLSearchParams, readonly number[]][] = [
  ["without a nonce", (fields) => without(fields, "nonce"), [400]],
  [
    "with a nonce that is too early, as a scanner that presses the first button is",
    (fields, link) => set(fields, "nonce", agedNonce(link, fields, 10)),
    [409],
  ],
  ["with a nonce that is older than half an hour", (fields, link) => set(fields, "nonce", agedNonce(link, fields, 31 * 60_000)), [409]],
  ["with a nonce of the future", (fields, link) => set(fields, "nonce", agedNonce(link, fields, -60_000)), [403, 409]],
  [
    "with a nonce of another key",
    (fields, link) => set(fields, "nonce", agedNonce(link, fields, 2_000, "some other key 0123456789")),
    [403],
  ],
  ["with a made-up nonce", (fields) => set(fields, "nonce", "A".repeat(40)), [403]],
  ["with the nonce of another link", (fields, link) => set(fields, "nonce", agedNonce(link.slice(0, -4) + "AAAA", fields, 2_000)), [403]],
  ["with another version", (fields) => set(fields, "version", "2"), [403, 412]],
  ["with another digest", (fields) => set(fields, "digest", "A".repeat(43)), [403, 412]],
  [
    "with a digest and a nonce of its own for content that nobody saw",
    (fields, link) => withNonce(set(fields, "digest", "B".repeat(43)), link),
    [412],
  ],
  ["with a version and a nonce of its own", (fields, link) => withNonce(set(fields, "version", "9"), link), [412]],
  ["with two nonces", (fields) => append(fields, "nonce", "x"), [400]],
  ["with two acts", (fields) => append(fields, "act", "deny"), [400]],
  ["with an act of no button", (fields) => set(fields, "act", "approve"), [400]],
  ["with an act of another letter case", (fields) => set(fields, "act", "Approve:0"), [400]],
  ["that approves more changes than the page showed", (fields) => set(fields, "act", "approve:3"), [200, 409, 412, 422]],
  [
    "that approves one change and shows none",
    (fields) => set(set(fields, "act", "approve:0"), textField(fields), "an edit that nobody saw"),
    [200, 409, 412, 422],
  ],
  ["with a model that is not on the list", (fields) => set(fields, "model", "gpt-evil"), [422]],
  [
    "with a grant that the rule does not offer",
    (fields) => set(set(fields, "act", "allow"), "grant", "key:shape"),
    [200, 400, 403, 409, 422],
  ],
  ["with an empty body", () => new URLSearchParams(), [400]],
];

const set = (fields: URLSearchParams, name: string, value: string): URLSearchParams => {
  fields.set(name, value);
  return fields;
};
const append = (fields: URLSearchParams, name: string, value: string): URLSearchParams => {
  fields.append(name, value);
  return fields;
};
const without = (fields: URLSearchParams, name: string): URLSearchParams => {
  fields.delete(name);
  return fields;
};
const withNonce = (fields: URLSearchParams, link: string): URLSearchParams => set(fields, "nonce", agedNonce(link, fields, 2_000));
const textField = (fields: URLSearchParams): string => [...fields.keys()].find((name) => name.startsWith("edit:")) ?? "edit:/none";

const posted = eachOf(forms, ([what, change, statuses]) =>
  withReview(`a form ${what} decides nothing`, async (world, { link }) => {
    const fields = (await formOf(world, link)) ?? new URLSearchParams();
    fields.set("act", "approve:0");
    const answer = await postForm(world, link, change(fields, link));
    expect(statuses, "the status").toContain(answer.status);
  }),
);

const others: readonly Attack[] = [
  {
    name: "a link of the request's review does not decide about the reply",
    run: async (world) => {
      world.model.script({ answer: "reply", text: "the reply to look at" });
      const review = await opened(world, { server: "both-gates" });
      await press(world, review.link, "approve");
      const reply = await reviewOf(world, review.run, "response");
      const fields = (await formOf(world, reply.link)) ?? new URLSearchParams();
      fields.set("act", "approve:0");
      fields.set("nonce", agedNonce(review.link, fields, 2_000));
      await postForm(world, review.link, fields);
      expect((await runOf(world, reply.run)).state, "the run").toBe("responseReview");
      const page = await world.ask(pathOf(review.link), { key: null });
      expect(page.text, "the request's page in another browser").not.toContain("the reply to look at");
      await press(world, reply.link, "deny");
      await review.answer;
    },
  },
  {
    name: "a form with the very nonce that the page of another link has, when it is good there, decides nothing",
    run: async (world) => {
      const [mine, other] = [await opened(world), await opened(world)];
      const fields = (await formOf(world, mine.link)) ?? new URLSearchParams();
      const page = readForm((await world.ask(pathOf(other.link), { key: null })).text, other.link);
      fields.set("nonce", page?.fields.get("nonce") ?? "");
      fields.set("act", "approve:0");
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      expect((await postForm(world, mine.link, fields)).status, "the status").toBe(403);
      expect(await isUndecided(world, mine), "it was decided").toBe(true);
      for (const { link } of [mine, other]) await press(world, link, "deny");
    },
  },
  {
    name: "one reviewer's form, posted at another reviewer's link, votes for nobody",
    run: async (world) => {
      const review = await opened(world, { server: "two-of-three" }, { reviewers: 3 });
      const [cleo = "", dora = ""] = ["Cleo", "Dora"].map((name) => review.links.get(name));
      const fields = (await formOf(world, cleo)) ?? new URLSearchParams();
      fields.set("act", "approve:0");
      expect((await postForm(world, dora, fields)).status, "the status").toBe(403);
      expect(await isUndecided(world, review), "it was decided").toBe(true);
      await press(world, cleo, "deny");
    },
  },
  withReview("query parameters that mail systems add do no harm, and decide nothing", async (world, { link }) => {
    const page = await world.ask(`${pathOf(link)}?utm_source=x&act=approve%3A0&fbclid=1`, { key: null });
    expect(page.status, "the status").toBe(200);
  }),
  withReview("a live window takes no decision", async (_world, { link }) => {
    const socket = new WebSocket(`${link.replace("http", "ws")}/live`);
    await new Promise((resolve, reject) => {
      socket.addEventListener("message", resolve, { once: true });
      socket.addEventListener("error", reject, { once: true });
    });
    for (const text of ['{"act":"approve:0"}', "approve", "x".repeat(100_000), "\0"]) socket.send(text);
    await new Promise((resolve) => setTimeout(resolve, 300));
    socket.close();
  }),
  {
    name: "a run's id that nobody sealed wakes nothing and is told apart from none",
    run: async (world) => {
      for (const id of ["run_", `run_${"A".repeat(44)}`, "run_..%2f..%2fadmin", "__proto__", "run_%00", "r".repeat(5_000)]) {
        const answer = await world.ask(`/runs/${id}`);
        expect(answer.status === 404 || answer.status === 400, `${id.slice(0, 20)}: ${answer.status}`).toBe(true);
      }
    },
  },
];

const signIns: readonly Attack[] = [
  ...eachOf(
    ["mia0@example.org", "nobody@example.org", "ada@example.org\r\nBcc: x@example.com", `${"a".repeat(300)}@example.org`, ""],
    (email) => ({
      name: `asking for a sign-in link as ${JSON.stringify(email.slice(0, 40))} is answered alike, and sends only to an address on file`,
      run: async (world: World) => {
        const before = world.mail.taken.length;
        const ask = (address: string) =>
          world.ask("/inbox/sign-in", {
            method: "POST",
            key: null,
            body: new URLSearchParams({ email: address }),
            headers: { "Sec-Fetch-Site": "same-origin" },
          });
        const [found, other] = [await ask(email), await ask("somebody.else@example.org")];
        if (email !== "" && email.length < 100 && !email.includes("\n")) expect(found.status, "the statuses").toEqual(other.status);
        expect(found.status, "the status").toBeLessThan(500);
        for (const { to } of world.mail.taken.slice(before))
          expect(
            to.every((each) => ["mia0@example.org", "ada@example.org", "ben@example.org"].includes(each)),
            `sent to ${to.join()}`,
          ).toBe(true);
      },
    }),
  ),
  {
    name: "a made-up sign-in token, session cookie or Access assertion signs nobody in",
    run: async (world) => {
      for (const headers of [
        { Cookie: "countersign-session=AAAA" },
        { Cookie: `countersign-session=${"A".repeat(90)}` },
        { "Cf-Access-Jwt-Assertion": "eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImFkYUBleGFtcGxlLm9yZyJ9." },
        { "Cf-Access-Authenticated-User-Email": "ada@example.org" },
      ]) {
        for (const path of ["/inbox", `/inbox/~${"A".repeat(22)}`])
          expect((await world.ask(path, { key: null, headers })).text, path).not.toContain("sign-out");
        expect((await world.ask(`/inbox/sign-in/${"A".repeat(80)}`, { key: null, headers })).status, "the token's status").toBe(404);
      }
    },
  },
];

export const links: Area = {
  name: "links",
  about: "links, scanners, forms and sign-in",
  attacks: [...looking, ...tampered, ...posted, ...others, ...signIns],
};
