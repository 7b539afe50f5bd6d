// The review link over HTTP: what opens it, what decides, what does not, and what the page says in
// each case.

import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { quiet, stubOf, tablesOf } from "../objects/inside.ts";
import { runStub } from "../../../workers/stubs/stubs.ts";
import { readForm } from "../../../scripts/page-form.ts";
import {
  type Notice,
  configure,
  createKey,
  env,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  notices,
  openNotice,
  policy,
  publicUrl,
  runOf,
  routing,
  runReaches,
  sample,
  travel,
} from "../support/gateway.ts";
import { linkToken, parseLinkToken } from "../../../shared/review/link.ts";
import { signingKey } from "../../../shared/sealed-id.ts";
import { loggedLines, promptMarker } from "../support/logs.ts";
import { recordLines } from "../support/record.ts";
import { filledForm, formOf, nonceFor, pathOf, postForm, press, tokenOf } from "../support/reviewer.ts";

const get = (link: string, headers: Record<string, string> = {}): Promise<Response> => gateway(pathOf(link), { key: null, headers });

let notice: Notice;
let link: string;

/** A run that nobody holds the line for, so that nothing but the reviewer changes it. */
async function openReview(server: string, gate: Notice["gate"] = "request"): Promise<Notice> {
  const response = await sample({ server }, { headers: { Prefer: "respond-async" } });
  return openNotice(gate, (response.headers.get("Location") ?? "").slice("/runs/".length));
}

beforeEach(async () => {
  notice = await openReview("request-gate");
  ({ link } = notice);
});

/** Everything that the run's object has stored. */
const storedRows = (run: string): Promise<string> => tablesOf(stubOf(run)).then((tables) => JSON.stringify(tables));

const undecided = async (): Promise<void> => {
  expect((await runOf(notice.run)).state).toBe("waiting");
  expect(model.calls).toHaveLength(0);
};

const goodForm = (act = "approve", change?: (fields: URLSearchParams) => void): Promise<URLSearchParams> => filledForm(link, act, change);

describe("GET and HEAD", () => {
  test("show the page and change nothing but that it was opened, however often and whoever opens it", async () => {
    await eventually("the notice in the record", async () => (await storedRows(notice.run)).includes('"sent"'));
    // The first opening of a link is an event; what comes after it is none.
    await (await get(link)).text();
    await eventually("the opening in the record", async () =>
      (await recordLines()).some(({ run, fact }) => run === notice.run && fact.kind === "opened"),
    );
    await quiet(notice.run);
    const before = await storedRows(notice.run);
    for (let i = 0; i < 50; i += 1) {
      const response = await get(link, i % 2 === 0 ? {} : { "Sec-Purpose": "prefetch", "User-Agent": "scanner" });
      expect([response.status, response.headers.get("Set-Cookie")]).toEqual([200, null]);
      await response.text();
      const head = await gateway(pathOf(link), { key: null, method: "HEAD" });
      expect([head.status, head.headers.get("Set-Cookie"), await head.text()]).toEqual([200, null, ""]);
    }
    expect(await storedRows(notice.run)).toBe(before);
    await undecided();
  });

  test("the page shows the prompt and carries the headers that keep it to itself", async () => {
    const response = await get(link);
    expect(await response.text()).toContain(promptMarker);
    expect(response.headers.get("Content-Security-Policy")).toMatch(/default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/);
    const expected = {
      "Referrer-Policy": "same-origin",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Robots-Tag": /noindex/,
      // For this host alone: others of its domain may not have https.
      "Strict-Transport-Security": /^max-age=\d+$/,
    };
    for (const [name, value] of Object.entries(expected))
      expect([name, response.headers.get(name)]).toEqual([name, expect.stringMatching(value)]);
  });

  test("query parameters that mail systems add do no harm", async () => {
    expect((await gateway(`${pathOf(link)}?utm_source=mail&token=x#part`, { key: null })).status).toBe(200);
  });

  test("each page has a nonce of its own", async () => {
    expect((await formOf(link)).get("nonce")).not.toBe((await formOf(link)).get("nonce"));
  });
});

describe("a token", () => {
  test("with any one character changed opens nothing: the same 404 page for each, and no object is woken", async () => {
    const token = tokenOf(link);
    const pages = new Set<string>();
    for (let at = 0; at < token.length; at += 1) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      const response = await gateway(`/r/${changed}`, { key: null });
      expect([at, response.status]).toEqual([at, 404]);
      pages.add((await response.text()).replaceAll(/nonce="[^"]*"/g, ""));
      expect((await gateway(`/r/${changed}`, { key: null, method: "POST", body: "", headers: { Origin: publicUrl } })).status).toBe(404);
    }
    expect(pages.size).toBe(1);
    expect([...pages][0]).not.toContain(token.slice(0, 20));
  });

  test.each(["x", "%00", "A".repeat(72), "A".repeat(5_000), "é"])("made up (%s) is the same 404", async (token) => {
    const response = await gateway(`/r/${encodeURI(token)}`, { key: null });
    expect(response.status).toBe(404);
  });

  test("that leads elsewhere by dots is the console's root, which says nothing", async () => {
    const response = await gateway("/r/..", { key: null });
    expect([response.status, response.headers.get("Location"), await response.text()]).toEqual([302, "/console", ""]);
  });

  test("shortened, lengthened or padded opens nothing", async () => {
    const path = pathOf(link);
    for (const changed of [path.slice(0, -1), `${path}A`, `${path}=`, `${path}%20`, path.toLowerCase()])
      expect((await gateway(changed, { key: null })).status).toBe(404);
  });

  test("of the older live key opens, one of a key that was removed does not", async () => {
    const rotated = { LINK_KEY: "another-link-key-of-the-tests-0123456789" };
    expect((await gatewayWith({ ...rotated, LINK_KEY_PREVIOUS: env.LINK_KEY ?? "" }, pathOf(link), { key: null })).status).toBe(200);
    expect((await gatewayWith(rotated, pathOf(link), { key: null })).status).toBe(404);
  });

  test("of a run whose time is over opens nothing", async () => {
    await runInDurableObject(runStub(env, notice.run), async (_object, { storage }) => storage.deleteAll());
    await runInDurableObject(runStub(env, notice.run), (_object, state) => state.abort("restart")).catch(() => {});
    expect((await get(link)).status).toBe(404);
  });
});

describe("too many from one address", () => {
  const address = { "CF-Connecting-IP": "192.0.2.7" };
  const limit = 5;
  /** As the platform's limit counts: by what the gateway names. */
  const counting = () => {
    const counted = new Map<string, number>();
    const FLOOD = {
      limit: async ({ key }: { key: string }) => {
        counted.set(key, (counted.get(key) ?? 0) + 1);
        return { success: (counted.get(key) ?? 0) <= limit };
      },
    };
    return (path: string, init: RequestInit & { key?: string | null } = {}): Promise<Response> =>
      gatewayWith({ FLOOD }, path, { key: null, ...init, headers: { ...address, ...init.headers } });
  };
  type Ask = ReturnType<typeof counting>;
  const madeUp = (at: number): string => `/r/${"A".repeat(71)}${at}`;
  const guesses: Record<string, (ask: Ask, at: number) => Promise<Response>> = {
    "wrong keys": (ask, at) => ask("/sampling", { method: "POST", body: "{}", key: `csk_wrong${at}` }),
    "wrong keys at /v1": (ask, at) => ask("/v1/models", { key: `csk_wrong${at}` }),
    "wrong keys, as scoped tokens": (ask, at) => ask("/v1/models", { key: `cst_wrong${at}` }),
    "wrong keys at /control": (ask, at) => ask("/control", { ...jsonBody("POST", {}), key: `csk_wrong${at}` }),
    "wrong admin tokens at /metrics": (ask, at) => ask("/metrics", { key: `wrong-admin-token-${at}` }),
    "wrong admin tokens": (ask, at) => ask("/admin/policy", { key: `wrong-admin-token-${at}` }),
    "tokens at the console": (ask) => ask("/console/sign-in", { method: "POST", body: "" }),
    "pages of sign-ins": (ask, at) => ask(`/inbox/sign-in/${"A".repeat(70)}${at}`),
    "emails of sign-ins": (ask) => ask("/inbox/sign-in", { method: "POST", body: "" }),
    "inboxes without sign-ins": (ask) => ask("/inbox"),
    "made-up links": (ask, at) => ask(madeUp(at)),
    "forms of made-up links": (ask, at) => ask(madeUp(at), { method: "POST", body: "" }),
    "windows of made-up links": (ask, at) => ask(`${madeUp(at)}/live`, { headers: { Upgrade: "websocket" } }),
  };

  /** What counts as one kind of guess. */
  const kindOf = (name: string): string => ["links", "keys", "admin tokens", "sign-ins"].find((kind) => name.includes(kind)) ?? name;

  test.each(Object.keys(guesses))(
    "%s are refused, and no reviewer with a link, no other guess and nobody elsewhere for them",
    async (name) => {
      const ask = counting();
      const guess = guesses[name];
      if (guess === undefined) throw new Error("no such guess");
      for (let at = 1; at <= limit + 2; at += 1) expect([at, (await guess(ask, at)).status === 429]).toEqual([at, at > limit]);
      for (const [other, first] of Object.entries(guesses))
        expect([other, (await first(ask, 1)).status === 429]).toEqual([other, kindOf(other) === kindOf(name)]);
      expect(
        (await guess((path, init = {}) => ask(path, { ...init, headers: { ...init.headers, "CF-Connecting-IP": "192.0.2.8" } }), 1)).status,
      ).not.toBe(429);
      const opened = await ask(pathOf(link));
      expect([opened.status, await opened.text()]).toEqual([200, expect.stringContaining(promptMarker)]);
      const window = await ask(`${pathOf(link)}/live`, { headers: { Upgrade: "websocket" } });
      expect(window.status).toBe(101);
      window.webSocket?.accept();
      window.webSocket?.close();
    },
  );

  test("a link that is asked for again and again is refused there, and opens elsewhere; another link opens", async () => {
    const ask = counting();
    for (let at = 1; at <= limit + 2; at += 1) expect([at, (await ask(pathOf(link))).status]).toEqual([at, at > limit ? 429 : 200]);
    expect((await ask(pathOf((await openReview("request-gate")).link))).status).toBe(200);
    expect((await ask(pathOf(link), { headers: { "CF-Connecting-IP": "192.0.2.8" } })).status).toBe(200);
  });
});

describe("a program, which asks for JSON", () => {
  const json = { Accept: "application/json", Origin: publicUrl };
  type Answer = { readonly page: string; readonly changes: readonly { path: string }[]; readonly form: Record<"shown" | "nonce", string> };

  test("is told what its edits would change, and approves them by the mark that came with it", async () => {
    const wanted = (fields: URLSearchParams): void => fields.set("edit:/messages/0/content/0/text", "Name the largest lake.");
    const preview = await goodForm("preview", wanted);
    const shown = await (await postForm(link, preview, json)).json<Answer>();
    expect(shown).toMatchObject({ page: "review", changes: [{ path: "/messages/0/content/0/text" }] });
    await undecided();
    const approving = async (mark: string): Promise<number> => {
      const form = await goodForm("approve", wanted);
      form.set("act", "approve:1");
      form.set("shown", mark);
      return (await postForm(link, form, json)).status;
    };
    const { form: unchanged, changes } = await (await get(link, json)).json<Answer>();
    expect(changes).toEqual([]);
    expect(await approving(unchanged.shown)).toBe(409);
    await undecided();
    expect(await approving(shown.form.shown)).toBe(303);
    await runReaches(notice.run, "completed");
    expect(JSON.stringify(model.calls[0]?.body["messages"])).toContain("Name the largest lake.");
  });

  test("is told what is wrong with edits that cannot be", async () => {
    const preview = await goodForm("preview", (fields) => fields.set("edit:/maxTokens", "many"));
    const answer = await (await postForm(link, preview, json)).json<unknown>();
    expect(answer).toMatchObject({ page: "review", changes: [], problem: { why: "cannotBe", issues: [{ field: "/maxTokens" }] } });
    await undecided();
  });
});

describe("a POST decides nothing", () => {
  test.each<[string, Record<string, string>]>([
    ["JSON", { "Content-Type": "application/json" }],
    ["plain text", { "Content-Type": "text/plain" }],
    ["a multipart form", { "Content-Type": "multipart/form-data; boundary=x" }],
    ["no type", { "Content-Type": "" }],
  ])("as %s: 415", async (_name, headers) => {
    expect((await postForm(link, await goodForm(), { Origin: publicUrl, ...headers })).status).toBe(415);
    await undecided();
  });

  test.each<[string, Record<string, string>]>([
    ["from another site", { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example.com" }],
    ["from a sibling site", { "Sec-Fetch-Site": "same-site", Origin: publicUrl }],
    ["from the address bar", { "Sec-Fetch-Site": "none" }],
    ["with our origin but from another site", { "Sec-Fetch-Site": "cross-site", Origin: publicUrl }],
    ["with another origin", { Origin: "https://evil.example.com" }],
    ["with an origin that only begins like ours", { Origin: `${publicUrl}.evil.example.com` }],
    ["with an opaque origin", { Origin: "null" }],
    ["with neither header", {}],
  ])("%s: 403", async (_name, headers) => {
    expect((await postForm(link, await goodForm(), headers)).status).toBe(403);
    await undecided();
  });

  test.each<[string, (fields: URLSearchParams) => void]>([
    ["without a nonce", (fields) => fields.delete("nonce")],
    ["without a version", (fields) => fields.delete("version")],
    ["without a digest", (fields) => fields.delete("digest")],
    ["with an unknown act", (fields) => fields.set("act", "approve all")],
    ["with two acts", (fields) => fields.append("act", "deny")],
    ["with two nonces", (fields) => fields.append("nonce", "x")],
    ["with a reason that is too long", (fields) => fields.set("reason", "x".repeat(1_001))],
  ])("%s: 400", async (_name, change) => {
    const fields = await goodForm();
    change(fields);
    expect((await postForm(link, fields)).status).toBe(400);
    await undecided();
  });

  test("an act of no button is a preview: 200", async () => {
    const fields = await goodForm();
    fields.delete("act");
    expect((await postForm(link, fields)).status).toBe(200);
    await undecided();
  });

  test("with a nonce that is too early: the page again, edits kept", async () => {
    const fields = await formOf(link);
    fields.set("nonce", nonceFor(link, fields, -60_000));
    fields.set("act", "approve:0");
    edit(fields);
    const response = await postForm(link, fields);
    expect(response.status).toBe(409);
    const page = await response.text();
    expect(page).toContain("too soon after the page opened");
    expect(page).toContain("largest city");
    await undecided();
  });

  test("with a nonce that is too old: the page again, edits kept and shown, and its new nonce is good", async () => {
    const fields = await goodForm("approve", edit);
    fields.set("nonce", nonceFor(link, fields, 31 * 60_000));
    const response = await postForm(link, fields);
    expect(response.status).toBe(409);
    const page = await response.text();
    expect(page).toContain("half an hour");
    await undecided();
    const again = readForm(page, link)?.fields ?? new URLSearchParams();
    expect([...again.values()].join("\n")).toContain("largest city");
    expect(page).toContain('value="approve:1"');
    again.set("act", "approve:1");
    travel(1_050);
    expect((await postForm(link, again)).status).toBe(303);
    expect(JSON.stringify((await eventually("the call", async () => model.calls[0])).body)).toContain("largest city");
  });

  test("with a nonce of another version or digest: 403", async () => {
    for (const name of ["version", "digest"]) {
      const fields = await goodForm();
      fields.set(name, name === "version" ? "2" : "A".repeat(43));
      expect([name, (await postForm(link, fields)).status]).toEqual([name, 403]);
    }
    await undecided();
  });

  test("with another link's nonce, or one that was made up: 403", async () => {
    const other = await openReview("request-gate");
    const foreign = await formOf(other.link);
    for (const nonce of [nonceFor(other.link, foreign, 5_000), "made-up", "A".repeat(40)]) {
      const fields = await goodForm();
      fields.set("nonce", nonce);
      expect((await postForm(link, fields)).status).toBe(403);
    }
    await undecided();
  });

  test.each(["PUT", "DELETE", "PATCH", "OPTIONS"])("by another method (%s): 405", async (method) => {
    const response = await gateway(pathOf(link), { method, key: null });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD, POST"]);
    await undecided();
  });
});

const edit = (fields: URLSearchParams): void => {
  for (const [name, value] of fields)
    if (name.startsWith("edit:") && value.includes("capital")) fields.set(name, value.replace("capital", "largest city"));
};

describe("a POST decides", () => {
  test("with Sec-Fetch-Site same-origin, or our Origin: 303 to the page, which shows the outcome and no form", async () => {
    const response = await postForm(link, await goodForm(), { "Sec-Fetch-Site": "same-origin", Origin: "null" });
    expect([response.status, response.headers.get("Location")]).toEqual([303, link]);
    await runReaches(notice.run, "completed");
    const page = await (await get(link)).text();
    expect(readForm(page, link)).toBeNull();
    expect(page).toMatch(/You<\/b> approved it/);
    expect(page).not.toMatch(/has been sent|would be sent/);
  });

  test("a real page's own nonce is good after one second", async () => {
    const fields = await formOf(link);
    fields.set("act", "deny");
    travel(1_050);
    expect((await postForm(link, fields)).status).toBe(303);
    await runReaches(notice.run, "rejected");
    expect(await (await get(link)).text()).toMatch(/denied/i);
  });

  test("the same form twice, as a double click sends it, decides once and gets one answer", async () => {
    const fields = await goodForm();
    const statuses = (await Promise.all([postForm(link, fields), postForm(link, fields)])).map(({ status }) => status);
    expect(statuses).toEqual([303, 303]);
    await runReaches(notice.run, "completed");
    expect(model.calls).toHaveLength(1);
    expect((await recordLines()).filter(({ run, fact }) => run === notice.run && fact.kind === "approved")).toHaveLength(1);
  });

  test("a form that was sent cannot be sent again with the other answer: 409", async () => {
    const fields = await goodForm();
    expect((await postForm(link, fields)).status).toBe(303);
    fields.set("act", "deny");
    expect((await postForm(link, fields)).status).toBe(409);
    await runReaches(notice.run, "completed");
  });

  test("the same person's same answer from another page is the same answer", async () => {
    const [one, two] = [await goodForm(), await goodForm()];
    expect((await postForm(link, one)).status).toBe(303);
    expect((await postForm(link, two)).status).toBe(303);
    await runReaches(notice.run, "completed");
    expect(model.calls).toHaveLength(1);
  });

  test("whatever Host says, every address on the page and after it is PUBLIC_URL's", async () => {
    const elsewhere = `http://evil.example.com${pathOf(link)}`;
    const page = await (
      await gateway(elsewhere, { key: null, headers: { "X-Forwarded-Host": "evil.example.com", "X-Forwarded-Proto": "https" } })
    ).text();
    expect(page).not.toContain("evil.example.com");
    const response = await gateway(elsewhere, {
      method: "POST",
      key: null,
      body: (await goodForm()).toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: publicUrl },
    });
    expect(response.headers.get("Location")).toBe(link);
  });

  test("behind a path prefix the form and the redirect keep it", async () => {
    const prefixed = { PUBLIC_URL: `${publicUrl}/countersign` };
    const page = await (await gatewayWith(prefixed, pathOf(link), { key: null })).text();
    expect(readForm(page, link)?.action).toBe(`${publicUrl}/countersign${pathOf(link)}`);
    const body = (await goodForm()).toString();
    const response = await gatewayWith(prefixed, pathOf(link), {
      method: "POST",
      key: null,
      body,
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: publicUrl },
    });
    expect(response.headers.get("Location")).toBe(`${publicUrl}/countersign${pathOf(link)}`);
  });
});

describe("with two reviewers", () => {
  const withTwo = (more: object): object => ({
    ...policy,
    rules: [],
    default: { ...policy.default, response: "allow", ...more },
    reviewers: { everyone: [{ name: "Ada" }, { name: "Grace" }] },
  });

  async function bothLinks(more: object = {}): Promise<{ run: string; ada: string; grace: string }> {
    await configure("policy", withTwo(more));
    const response = await sample({ server: "notes" }, { headers: { Prefer: "respond-async" } });
    const run = (response.headers.get("Location") ?? "").slice("/runs/".length);
    const mine = await eventually("both notices", async () => {
      const listed = (await notices()).filter((each) => each.run === run);
      return listed.length === 2 ? listed : null;
    });
    const of = (name: string): string => mine.find(({ reviewer }) => reviewer === name)?.link ?? "";
    return { run, ada: of("Ada"), grace: of("Grace") };
  }

  test("the loser of a race is told: 409, with who decided", async () => {
    const { run, ada, grace } = await bothLinks();
    const late = await formOf(grace);
    late.set("act", "deny");
    late.set("nonce", nonceFor(grace, late, 5_000));
    expect((await press(ada, "approve")).status).toBe(303);
    const response = await postForm(grace, late);
    expect(response.status).toBe(409);
    const page = await response.text();
    expect(page).toContain("did not count");
    expect(page).toContain("Ada");
    await runReaches(run, "completed");
  });

  test("an edit while another page is open makes that page stale: 412 with the new content", async () => {
    const { run, ada, grace } = await bothLinks({ quorum: 2 });
    const stale = await formOf(grace);
    stale.set("act", "approve:0");
    stale.set("nonce", nonceFor(grace, stale, 5_000));
    expect((await press(ada, "approve", edit)).status).toBe(303);
    const response = await postForm(grace, stale);
    expect(response.status).toBe(412);
    expect(await response.text()).toContain("largest city");
    expect((await runOf(run)).state).toBe("waiting");
    expect((await press(grace, "approve")).status).toBe(303);
    await runReaches(run, "completed");
    expect(JSON.stringify(model.calls[0]?.body)).toContain("largest city");
  });

  test("one person's link and form never vote as the other", async () => {
    const { run, ada, grace } = await bothLinks({ quorum: 2 });
    const fields = await formOf(ada);
    fields.set("act", "approve:0");
    fields.set("nonce", nonceFor(ada, fields, 5_000));
    expect((await postForm(grace, fields)).status).toBe(403);
    await press(ada, "approve");
    await press(ada, "approve");
    expect((await runOf(run)).state).toBe("waiting");
  });

  test("nobody approves their own request where that is barred: 403", async () => {
    const { key } = await createKey({ owner: "Ada" });
    await configure("policy", withTwo({ selfApproval: false }));
    const response = await sample({ server: "notes" }, { key, headers: { Prefer: "respond-async" } });
    const run = (response.headers.get("Location") ?? "").slice("/runs/".length);
    const own = await eventually("Ada's notice", async () => (await notices()).find((each) => each.run === run && each.reviewer === "Ada"));
    expect((await press(own.link, "approve")).status).toBe(403);
    expect((await runOf(run, key)).state).toBe("waiting");
  });
});

test("a prompt of three million line breaks is shown, counted, and can be decided", async () => {
  await configure("routing", { ...routing, models: routing.models.map((each) => ({ ...each, contextTokens: 10_000_000 })) });
  const { key } = await createKey({ limits: { bodyBytes: 8_388_608 } });
  const messages = [{ role: "user", content: { type: "text", text: `What?${"\n".repeat(3_000_000)}` } }];
  const asked = await sample({ server: "request-gate", params: { messages } }, { key, headers: { Prefer: "respond-async" } });
  const long = await openNotice("request", (asked.headers.get("Location") ?? "").slice("/runs/".length));
  const page = await get(long.link);
  expect([page.status, (await page.text()).includes("2,999,999 blank lines")]).toEqual([200, true]);
  expect((await press(long.link, "deny")).status).toBe(303);
  await runReaches(long.run, "rejected", key);
});

describe("an approval of other changes than its page showed decides nothing, and shows them", () => {
  test.each<[string, (fields: URLSearchParams) => void, string]>([
    ["an edited text", edit, "[added: </span>largest"],
    ["a lower limit in tokens", (fields) => fields.set("edit:/maxTokens", "7"), "Max tokens"],
    ["another model first", (fields) => fields.set("model", "second"), "Model that is asked first"],
  ])("%s", async (_name, change, shown) => {
    for (const promised of ["approve:0", "approve:2"]) {
      const unseen = await goodForm("approve", (fields) => {
        change(fields);
        fields.set("act", promised);
      });
      const refused = await postForm(link, unseen);
      expect(refused.status).toBe(409);
      const page = await refused.text();
      expect(page).toContain("did not show your changes");
      expect(page).toContain(shown);
      expect(/id="preview"[\s\S]*?<\/section>/.exec(page)?.[0]).toContain("1 change: ");
      await undecided();
      const again = readForm(page, link)?.fields ?? new URLSearchParams();
      // The changes are still in its fields, and its button counts them.
      expect(page).toMatch(/value="approve:1"[^>]*>[\s\S]*with 1 change/);
      change(unseen);
      for (const [name, value] of again) if (name === "model" || name.startsWith("edit:")) expect(value).toBe(unseen.get(name));
    }
    expect((await press(link, "approve", change)).status).toBe(303);
    await runReaches(notice.run, "completed");
    expect(model.calls).toHaveLength(1);
  });

  test("nor is another change of the same number: the page is shown with that one, and sends it then", async () => {
    const shownPage = await (await press(link, "preview", edit)).text();
    const form = readForm(shownPage, link)?.fields ?? new URLSearchParams();
    const other = new URLSearchParams(form);
    other.set("nonce", nonceFor(link, other, 5_000));
    other.set("act", "approve:1");
    other.set("edit:/messages/0/content/0/text", "Something else altogether.");
    const refused = await postForm(link, other);
    const page = await refused.text();
    expect([refused.status, page.includes("did not show your changes"), page.includes("Something else altogether.")]).toEqual([
      409,
      true,
      true,
    ]);
    await undecided();
    const again = readForm(page, link)?.fields ?? new URLSearchParams();
    again.set("nonce", nonceFor(link, again, 5_000));
    again.set("act", "approve:1");
    expect((await postForm(link, again)).status).toBe(303);
    await runReaches(notice.run, "completed");
    expect(JSON.stringify(model.calls)).toContain("Something else altogether.");
  });

  test("where the changes were taken back, too", async () => {
    const fields = await goodForm("approve", (each) => each.set("act", "approve:1"));
    const refused = await postForm(link, fields);
    expect([refused.status, (await refused.text()).includes('value="approve:0"')]).toEqual([409, true]);
    await undecided();
  });

  test("of a reply", async () => {
    const reviewed = await openReview("response-gate", "response");
    const changed = (fields: URLSearchParams): void => fields.set("edit:/content/0/text", "Another reply.");
    const unseen = await filledForm(reviewed.link, "approve", (fields) => {
      changed(fields);
      fields.set("act", "approve:0");
    });
    const refused = await postForm(reviewed.link, unseen);
    expect([refused.status, (await refused.text()).includes("Another reply.")]).toEqual([409, true]);
    expect(await (await get(reviewed.link)).text()).toContain('value="approve:0"');
    expect((await press(reviewed.link, "approve", changed)).status).toBe(303);
    await runReaches(reviewed.run, "completed");
  });
});

test("an edit that breaks the schema is 422, says where, and decides nothing", async () => {
  const response = await press(link, "approve", (fields) => {
    const name = [...fields.keys()].find((each) => /maxTokens/i.test(each));
    if (name === undefined) throw new Error("no field for maxTokens");
    fields.set(name, "minus one");
  });
  expect(response.status).toBe(422);
  await undecided();
});

test("a model that is not on the list cannot be chosen: 422", async () => {
  expect((await press(link, "approve", (fields) => fields.set("model", "gpt-everything"))).status).toBe(422);
  await undecided();
});

test("another model of the list can be: it answers", async () => {
  expect((await press(link, "approve", (fields) => fields.set("model", "second"))).status).toBe(303);
  expect((await runReaches(notice.run, "completed")).result).toMatchObject({ model: "vendor/second" });
});

test("without PUBLIC_URL no link opens: its page could not be trusted to post back here", async () => {
  expect((await gatewayWith({ PUBLIC_URL: "" }, pathOf(link), { key: null })).status).toBe(404);
});

test("a fault of ours is a page that says so, with an id to quote that is in the log", async () => {
  const response = await gatewayWith({ LINK_KEY: "short" }, pathOf(link), { key: null });
  expect([response.status, response.headers.get("Content-Type")]).toEqual([500, "text/html; charset=utf-8"]);
  const html = await response.text();
  const [, quote = "none"] = /<code>([0-9a-f-]{36})<\/code>/.exec(html) ?? [];
  expect(loggedLines().filter((line) => line.includes(quote))).toHaveLength(1);
  expect(html).not.toMatch(/LINK_KEY|short/);
});

test("a link that has expired shows no content and decides nothing, although all else of it is right", async () => {
  const keys = [signingKey(env.LINK_KEY ?? "")] as const;
  const claims = parseLinkToken(keys, tokenOf(link));
  if (claims === undefined) throw new Error("a link of our own that does not open");
  const expiring = (seconds: number): string =>
    link.replace(tokenOf(link), linkToken(keys, { ...claims, expiresAtSeconds: Math.floor(Date.now() / 1000) + seconds }));
  expect((await get(expiring(60))).status).toBe(200);
  const over = await get(expiring(-1));
  expect(over.status).toBe(410);
  expect(await over.text()).not.toContain(promptMarker);
  const form = await formOf(link);
  form.set("act", "approve:0");
  form.set("nonce", nonceFor(link, form, 5_000));
  expect((await postForm(expiring(-1), form)).status).toBe(410);
  await undecided();
  expect((await get(link)).status).toBe(200);
});
