import { describe, expect, test } from "vitest";
import { checksFromOutside } from "../../../client/doctor/checks.ts";

const url = "https://gateway.example.com";
const now = Date.parse("2026-11-23T12:00:00Z");
const contract = { info: { title: "Countersign", version: "1.2.3" }, paths: { "/sampling": {} } };

type Answers = { readonly health?: Response; readonly contract?: Response; readonly sampling?: Response };

const json = (body: unknown, status = 200, date?: string): Response =>
  Response.json(body, { status, headers: date === undefined ? {} : { date } });
const healthy = (date?: string): Response => json({ status: "ok", problems: [] }, 200, date);
const refusal = (status: number, message: string): Response => json({ jsonrpc: "2.0", id: null, error: { code: -32014, message } }, status);

/** The doctor at a gateway that answers so, and what it was asked. */
async function doctor(answers: Answers, more: { readonly url?: string; readonly apiKey?: string; readonly version?: string } = {}) {
  const asked: Request[] = [];
  const fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    asked.push(request);
    const { pathname } = new URL(request.url);
    if (pathname.endsWith("/healthz")) return answers.health ?? healthy();
    if (pathname.endsWith("/openapi.json")) return answers.contract ?? json(contract);
    return answers.sampling ?? new Response(null, { status: 202 });
  };
  const checks = await checksFromOutside({ url, apiKey: "csk_key", version: "1.2.3", fetch, now: () => now, ...more });
  return { asked, lines: checks.map(({ check, state, text }) => `${state} ${check}: ${text}`) };
}

const keyLine = (lines: readonly string[]): string | undefined => lines.find((line) => line.includes(" key: "));

describe("a gateway that answers", () => {
  test("is good, and so are the key, the clock and the protocol", async () => {
    const { asked, lines } = await doctor({ health: healthy(new Date(now).toUTCString()) });
    expect(lines).toEqual([
      "good gateway: Countersign 1.2.3 is running.",
      "good clock: This machine's clock agrees with the gateway's.",
      "good key: The gateway accepts the key in COUNTERSIGN_API_KEY.",
      "good protocol: Sampling goes to POST /sampling. This client speaks MCP 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28.",
    ]);
    // The key goes to one place alone, with a message that has no effect.
    expect(asked.filter(({ headers }) => headers.has("authorization")).map((request) => request.url)).toEqual([`${url}/sampling`]);
    expect(asked.at(-1)?.headers.get("authorization")).toBe("Bearer csk_key");
    expect(await asked.at(-1)?.json()).toEqual({ jsonrpc: "2.0", method: "notifications/initialized" });
  });

  test("of another version, or with something to fix, is told", async () => {
    const health = json({ status: "degraded", problems: ["EMAIL_FROM is missing\u001b[2J"] });
    const { lines } = await doctor({ health }, { version: "2.0.0" });
    expect(lines.slice(0, 2)).toEqual([
      "note gateway: Countersign 1.2.3 is running, and this client is 2.0.0. If something does not work, use the same version.",
      "note gateway: Its operator should fix this: EMAIL_FROM is missing [2J.",
    ]);
  });

  test("that is down is not sent the key", async () => {
    const { asked, lines } = await doctor({ health: json({ status: "down", problems: ["LINK_KEY is missing"] }, 503) });
    expect(lines).toEqual(["fix gateway: The gateway is down; tell its operator. LINK_KEY is missing."]);
    expect(asked.some(({ headers }) => headers.has("authorization"))).toBe(false);
  });

  test.each([
    [-61_000, "a minute behind"],
    [61_000, "a minute ahead of"],
    [-7 * 60_000, "7 minutes behind"],
    [60_000, undefined],
    [-60_000, undefined],
  ])("by a clock that is %d ms off", async (off, words) => {
    const { lines } = await doctor({ health: healthy(new Date(now - off).toUTCString()) });
    const clock = lines.find((line) => line.includes(" clock: "));
    if (words === undefined) expect(clock).toMatch(/^good/);
    else expect(clock).toMatch(new RegExp(`^note clock: This machine's clock is ${words} the gateway's\\. Set it`));
  });

  test("without a date says nothing of the clock", async () => {
    expect((await doctor({ health: healthy("yesterday") })).lines.join()).not.toContain("clock");
  });

  test.each([
    [
      refusal(401, "This API key was revoked; ask the operator for another"),
      "does not accept the key in COUNTERSIGN_API_KEY (401). It says: This API key was revoked; ask the operator for another.",
    ],
    [refusal(403, "it needs the scope"), "does not accept the key in COUNTERSIGN_API_KEY (403). It says: it needs the scope."],
    [refusal(429, "Rate limited"), "refuses requests for the moment (429): wait a minute, then try again. It says: Rate limited."],
    [new Response("oops", { status: 500 }), "answered 500 where it should accept a notification (202); tell its operator."],
  ])("and refuses the key, %#, has that to fix", async (sampling, words) => {
    expect(keyLine((await doctor({ sampling })).lines)).toBe(`fix key: The gateway ${words}`);
  });

  test.each([
    ["", /^fix key: COUNTERSIGN_API_KEY is not set/],
    ["two words", /^fix key: COUNTERSIGN_API_KEY has a space, a line end/],
    ["csk_key\n", /^fix key: COUNTERSIGN_API_KEY has a space, a line end/],
  ])("does not get the key %j", async (apiKey, words) => {
    const { asked, lines } = await doctor({}, { apiKey });
    expect(keyLine(lines)).toMatch(words);
    expect(asked).toHaveLength(2);
  });

  test("has POST /sampling, or that is to fix", async () => {
    expect((await doctor({ contract: json({ ...contract, paths: {} }) })).lines.at(-1)).toMatch(/^fix protocol: This gateway has no POST/);
    expect((await doctor({ contract: new Response("", { status: 502 }) })).lines.at(-1)).toMatch(/^note protocol: .* could not be read/);
  });
});

describe("what is no gateway", () => {
  test.each<[string, Answers, string, RegExp]>([
    ["another program", { health: new Response("<p>Hello") }, url, /is not Countersign: check the address$/],
    ["another program that has health", { health: json({ status: "ok" }) }, url, /is not Countersign/],
    ["another program with the same health", { contract: json({ info: { title: "Other" } }) }, url, /is not Countersign/],
    ["a redirect", { health: new Response(null, { status: 302 }) }, url, /it redirects \(302\)/],
    [
      "an endpoint's address",
      { health: new Response("", { status: 404 }) },
      `${url}/sampling`,
      /should have no path; try https:\/\/gateway\.example\.com$/,
    ],
  ])("%s is not sent the key", async (_what, answers, at, words) => {
    const asked: Request[] = [];
    const fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
      asked.push(new Request(input, init));
      return String(input).endsWith("/healthz") ? (answers.health ?? healthy()) : (answers.contract ?? json(contract));
    };
    await expect(checksFromOutside({ url: at, apiKey: "csk_key", version: "1", fetch, now: () => now })).rejects.toThrow(words);
    expect(asked.some(({ headers }) => headers.has("authorization"))).toBe(false);
  });

  test.each([
    [{ code: "ECONNREFUSED" }, /nothing answers at https:\/\/gateway\.example\.com: the connection was refused/],
    [{ code: "ENOTFOUND" }, /its host name is not known/],
    [{ code: "CERT_HAS_EXPIRED" }, /certificate has expired, or this machine's clock is wrong/],
    [{ code: "SOMETHING_NEW" }, /check the address \(SOMETHING_NEW\)/],
    [undefined, /check the address$/],
  ])("%j says why nothing answers", async (cause, words) => {
    const fetch = async (): Promise<Response> => Promise.reject(new TypeError("fetch failed", { cause }));
    await expect(checksFromOutside({ url, apiKey: "csk_key", version: "1", fetch, now: () => now })).rejects.toThrow(words);
  });
});
