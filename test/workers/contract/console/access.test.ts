// Operators who come through Cloudflare Access: only whom OPERATORS names, with no more than their
// role, at the console and at the API.

import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { neededRole } from "../../../../workers/endpoints/admin/needed-role.ts";
import type { Env } from "../../../../workers/platform/env.ts";
import { adminJson, answerOf, eventually, gatewayWith, jsonBody, openNotice, publicUrl, sample } from "../../support/gateway.ts";
import { ConsoleBrowser } from "../../support/console.ts";
import { type SigningPair, nowSeconds, signingPair, tokenBy } from "../../support/issuer.ts";
import { answerAt } from "../../support/provider.ts";
import { recordLines } from "../../support/record.ts";

const team = "https://team.cloudflareaccess.com";
const variables: Partial<Env> = {
  ACCESS_TEAM_DOMAIN: "team.cloudflareaccess.com",
  ACCESS_AUD: "aud-of-the-console",
  OPERATORS: "ann@example.com change, bo@example.com decide, *@example.com see",
};

let pair: SigningPair;
beforeAll(async () => {
  pair = await signingPair("RS256", "k1");
});
beforeEach(() => {
  answerAt(team, () => Response.json({ keys: [pair.jwk] }));
});

const tokenOf = (email: string, more: object = {}): Promise<string> =>
  tokenBy(pair, { iss: team, aud: ["aud-of-the-console"], sub: "u", email, iat: nowSeconds(), exp: nowSeconds() + 3_600, ...more });
const headersOf = async (email: string, more: object = {}) => ({ "Cf-Access-Jwt-Assertion": await tokenOf(email, more) });
const browserOf = async (email: string, also: Partial<Env> = variables): Promise<ConsoleBrowser> =>
  new ConsoleBrowser(also, await headersOf(email));
const api = async (email: string, path: string, init: RequestInit = {}, also: Partial<Env> = variables): Promise<Response> =>
  gatewayWith(also, `/admin${path}`, {
    key: null,
    ...init,
    headers: { ...(await headersOf(email)), ...(init.headers as Record<string, string> | undefined) },
  });

describe("at the console", () => {
  test("an operator is there by name, without a cookie and without signing out", async () => {
    const browser = await browserOf("ann@example.com");
    const { status, text } = await browser.get("stops");
    expect(status).toBe(200);
    expect(text).toContain("ann@example.com");
    expect(text).not.toContain("/console/sign-out");
    expect(browser.cookie).toBe("");
  });

  test("whoever only may see gets no form, and a form of theirs does nothing", async () => {
    const decides = await browserOf("bo@example.com");
    expect((await decides.get("stops")).text).toContain('name="kind"');
    expect((await decides.post("stops", { kind: "servers", name: "notes" })).status).toBe(303);
    const sees = await browserOf("cy@example.com");
    const { text } = await sees.get("stops");
    expect(text).toContain("notes");
    expect(text).not.toContain("<form");
    // The form's token of a page that has one: their own, since it is bound to who they are.
    expect((await sees.post("stops", { resume: "servers/notes" })).status).toBe(403);
    expect((await adminJson<{ stops: unknown[] }>("/stops")).stops).toHaveLength(1);
    const events = await eventually("the event", async () => {
      const lines = (await recordLines()).filter(({ fact }) => fact.kind === "stopped");
      return lines.length > 0 ? lines : null;
    });
    expect(events).toMatchObject([{ fact: { by: { kind: "access", email: "bo@example.com" } } }]);
  });

  test("whoever only may see reads documents and tries requests, and has nothing to change them with", async () => {
    const sees = await browserOf("cy@example.com");
    const { version, ...document } = await adminJson<{ version: number }>("/routing");
    for (const page of [
      "documents/routing",
      `documents/routing/versions/${version}`,
      "routing/model?id=first",
      "routing/provider?name=scripted",
    ]) {
      const { status, text } = await sees.get(page);
      expect([page, status, /value="(?:save|remove)"|Restore/.test(text)]).toEqual([page, 200, false]);
    }
    expect((await sees.get("routing")).text).not.toContain("Add a model");
    const asked = await sees.post("routing", { part: "play", hints: "second", maxTokens: "10", prompt: "1" });
    expect(asked.text).toContain("second");
    const saved = await sees.post("documents/routing", { version: String(version), text: JSON.stringify(document), do: "save" });
    expect([saved.status, saved.text.includes("Your role does not allow this")]).toEqual([422, true]);
    expect((await adminJson<{ version: number }>("/routing")).version).toBe(version);
  });

  test("whoever only may see tries a draft of the policy and replays it, and cannot save it", async () => {
    const sees = await browserOf("cy@example.com");
    const { text } = await sees.get("policy?edit=default");
    expect(text).toContain("Your role cannot save a policy.");
    expect(text).not.toContain('value="save"');
    const draft = { draft: '{"default":{"request":"allow","response":"allow"}}', base: "1", editing: "", days: "7" };
    expect((await sees.post("policy", { ...draft, do: "replay" })).text).toContain("requests read");
    const before = await adminJson<{ version: number }>("/policy");
    expect((await sees.post("policy", { ...draft, base: String(before.version), do: "save" })).status).toBe(422);
    expect(await adminJson("/policy")).toEqual(before);
  });

  test.each(["keys", "budgets", "servers", "grants", "reviewers", "record"])(
    "who only may see reads the page %s, without a form that acts",
    async (page) => {
      const { status, text } = await (await browserOf("cy@example.com")).get(page);
      expect(status).toBe(200);
      expect(text).not.toMatch(/method="post" action="(?!\/console\/download\/)/);
    },
  );

  test.each([
    ["keys", { name: "x", scopes: "v1" }],
    ["keys", { revoke: "key_x" }],
    ["budgets", { name: "x", of: "everything", usd: "1", per: "month", version: "0" }],
    ["servers", { name: "x", url: "https://x.example.com/mcp", version: "0" }],
  ])("who may decide changes nothing at the page %s: %#", async (page, fields) => {
    const decides = await browserOf("bo@example.com");
    await decides.get("stops");
    const { status, text } = await decides.post(page, fields);
    expect([status, text.includes("Your role does not allow this.")]).toEqual([422, true]);
  });

  test("a page of another site that embeds a download, or opens it, exports nothing in the operator's name", async () => {
    const exported = async (): Promise<number> => {
      const { acts } = await adminJson<{ acts: unknown[] }>("/acts?kind=recordExported");
      return acts.length;
    };
    for (const site of ["cross-site", "same-site", "none", null]) {
      const elsewhere = { ...(await headersOf("ann@example.com")), ...(site === null ? {} : { "Sec-Fetch-Site": site }) };
      const { status, text } = await new ConsoleBrowser(variables, elsewhere).get("download/record");
      expect([site, status, text.includes('"fact"')]).toEqual([site, 405, false]);
    }
    const browser = await browserOf("ann@example.com");
    await browser.get("record");
    expect((await browser.post("download/record", {}, { headers: { "Sec-Fetch-Site": "cross-site" } })).status).toBe(403);
    expect((await browser.post("download/record", {}, { formToken: "A".repeat(22) })).status).toBe(403);
    expect(await exported()).toBe(0);
    expect((await browser.post("download/record", {})).status).toBe(200);
    expect(await exported()).toBe(1);
  });

  test("a form with the token of another operator does nothing", async () => {
    const [browser, other] = [await browserOf("ann@example.com"), await browserOf("bo@example.com")];
    const foreign = /name="session" value="([^"]+)"/.exec((await other.get("stops")).text)?.[1] ?? "";
    await browser.get("stops");
    expect((await browser.post("stops", { kind: "everything" }, { formToken: foreign })).status).toBe(403);
    expect((await adminJson<{ stops: unknown[] }>("/stops")).stops).toEqual([]);
    expect((await other.post("stops", { kind: "everything" }, { formToken: foreign })).status).toBe(303);
  });

  test("who may decide tests a channel", async () => {
    const decides = await browserOf("bo@example.com");
    await decides.get("stops");
    expect((await decides.post("reviewers", { reviewer: "Ada", test: "outbox" })).status).toBe(200);
  });

  test.each([
    ["somebody whom OPERATORS does not name", "dee@other.example", {}, variables],
    ["an operator where OPERATORS is not set", "ann@example.com", {}, { ...variables, OPERATORS: "" }],
    ["an operator where OPERATORS is not understood", "ann@example.com", {}, { ...variables, OPERATORS: "ann@example.com owner" }],
    ["a token of another application", "ann@example.com", { aud: ["other"] }, variables],
    ["a token that is over", "ann@example.com", { exp: nowSeconds() - 3_600 }, variables],
  ] as const)("%s is asked to sign in", async (_name, email, more, also) => {
    const { status, text } = await new ConsoleBrowser(also, await headersOf(email, more)).get("stops");
    expect([status, text.includes('name="token"')]).toEqual([401, true]);
  });
});

describe("at the operator's API", () => {
  test("each role may do what it may, and the refusal names the role that is needed", async () => {
    expect((await api("cy@example.com", "/runs")).status).toBe(200);
    const put = { method: "PUT" };
    const refused = await api("cy@example.com", "/stops/servers/notes", put);
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining("the role decide, and yours is see") });
    expect((await api("bo@example.com", "/stops/servers/notes", put)).status).toBe(204);
    expect((await api("bo@example.com", "/keys", jsonBody("POST", { name: "x" }))).status).toBe(403);
    expect((await api("ann@example.com", "/keys", jsonBody("POST", { name: "x" }))).status).toBe(201);
    const removed = { method: "DELETE" };
    expect((await api("bo@example.com", "/inboxes/Ada/passkeys/cGFzc2tleQ", removed)).status).toBe(403);
    expect(await (await api("ann@example.com", "/inboxes/Ada/passkeys/cGFzc2tleQ", removed)).json()).toEqual({ removed: false });
    // There was none: nothing happened, and the record says nothing.
    expect((await recordLines()).filter(({ fact }) => fact.kind === "passkeyRemoved")).toEqual([]);
    expect((await api("cy@example.com", "/routing/explain", jsonBody("POST", {}))).status).toBe(200);
    expect((await api("dee@other.example", "/runs")).status).toBe(401);
  });

  test("reading needs the role see, ending what runs decide, and all else change", () => {
    const needed = (requests: readonly string[]): string[] =>
      requests.map((request) => {
        const [method = "", path = ""] = request.split(" ");
        return `${request}: ${neededRole(method, `/admin${path}`)}`;
      });
    const documents = ["routing", "policy", "servers", "issuers", "budgets"];
    const reads = [
      "GET /keys",
      "HEAD /record",
      "POST /routing/explain",
      "POST /policy/replay",
      ...documents.map((name) => `POST /${name}/check`),
    ];
    const ends = ["PUT /stops/everything", "DELETE /stops/keys/key_1", "DELETE /runs/run_1", "DELETE /grants/grant_1"];
    const tries = ["DELETE /inboxes/Ada/sessions", "POST /channels/test", "POST /doctor", "POST /doctor/servers/notes"];
    const changes = [
      ...documents.flatMap((name) => [`PUT /${name}`, `POST /${name}/versions/1/restore`]),
      "POST /keys",
      "PATCH /keys/key_1",
      "DELETE /keys/key_1",
      "POST /reviewers",
      "POST /grants",
      "DELETE /inboxes/Ada/passkeys/cGFzc2tleQ",
      "PUT /runs-of-tomorrow",
      "POST /routing/explain/more",
    ];
    for (const [role, requests] of Object.entries({ see: reads, decide: [...ends, ...tries], change: changes }))
      expect(needed(requests)).toEqual(requests.map((request) => `${request}: ${role}`));
  });

  test("another site's page cannot use the sign-in of Access; ours and a program can", async () => {
    const stop = (headers: Record<string, string>): Promise<Response> =>
      api("ann@example.com", "/stops/everything", { method: "PUT", headers });
    expect((await stop({ "Sec-Fetch-Site": "cross-site" })).status).toBe(401);
    expect((await stop({ "Sec-Fetch-Site": "same-site" })).status).toBe(401);
    expect((await stop({ Origin: "https://evil.example" })).status).toBe(401);
    expect((await adminJson<{ stops: unknown[] }>("/stops")).stops).toEqual([]);
    expect((await stop({ "Sec-Fetch-Site": "same-origin", Origin: publicUrl })).status).toBe(204);
    expect((await stop({})).status).toBe(204);
  });

  test("a wrong admin token is not made good by Access", async () => {
    expect((await api("ann@example.com", "/runs", { headers: { Authorization: "Bearer wrong" } })).status).toBe(401);
  });

  test("a reviewer's link is for whoever may change, and its first giving to each is an event", async () => {
    void answerOf(sample({ server: "request-gate" }));
    const linkFor = async (email: string, init: RequestInit = {}): Promise<(string | null)[]> => {
      const answer = await api(email, "/notices", init);
      return init.method === "HEAD"
        ? []
        : ((await answer.json()) as { notices: { link: string | null }[] }).notices.map(({ link }) => link);
    };
    await eventually("the notice", async () => (await linkFor("cy@example.com")).length === 1);
    expect([await linkFor("cy@example.com"), await linkFor("bo@example.com")]).toEqual([[null], [null]]);
    await linkFor("ann@example.com", { method: "HEAD" });
    const given = async (): Promise<object[]> => (await recordLines()).map(({ fact }) => fact).filter(({ kind }) => kind === "linkGiven");
    expect(await given()).toEqual([]);
    const { run, link } = await openNotice("request");
    expect(await linkFor("ann@example.com")).toEqual([link]);
    expect(await linkFor("ann@example.com")).toEqual([link]);
    const fact = { kind: "linkGiven", run, gate: "request", reviewer: "Ada" };
    expect(await given()).toEqual([
      { ...fact, by: expect.objectContaining({ kind: "adminToken" }) },
      { ...fact, by: { kind: "access", email: "ann@example.com" } },
    ]);
  });
});
