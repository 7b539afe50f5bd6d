// The overview, its health and the usage page, through the Worker.

import { describe, expect, test } from "vitest";
import { jsonOf } from "../../../../shared/json/json-of.ts";
import { configStub } from "../../../../workers/stubs/stubs.ts";
import {
  admin,
  adminJson,
  answerOf,
  configure,
  env,
  eventually,
  model,
  openNotice,
  policy,
  routing,
  sample,
  writer,
} from "../../support/gateway.ts";
import { askAbout } from "../../support/approvals.ts";
import { type ConsoleBrowser, ConsoleBrowser as Browser, atConsole } from "../../support/console.ts";
import { promptMarker } from "../../support/logs.ts";
import { answerAt } from "../../support/provider.ts";
import { recordLines } from "../../support/record.ts";
import { decide } from "../../support/reviewer.ts";

type Diagnosis = { readonly documents: readonly { readonly document: string; readonly checked: number; readonly current: number }[] };
type Overview = {
  readonly total: { readonly outcomes: { readonly denied: number } };
  readonly health: {
    readonly status: string;
    readonly failures: { readonly requests: number; readonly by: readonly object[] };
  };
};

const checkNow = async (): Promise<void> => {
  answerAt("https://webhook.example.com", () => new Response(null, { status: 204 }));
  await (await admin("/doctor", { method: "POST" })).text();
};
const versions = async (): Promise<{ readonly routing: number; readonly policy: number }> => {
  const { routing, policy } = await configStub(env).latest();
  return { routing: routing.version, policy: policy.version };
};
/** A page without its tags. */
const healthIn = async (browser: ConsoleBrowser, page = ""): Promise<string> => (await browser.get(page)).text.replaceAll(/<[^>]*>/g, "");

const asking = { messages: [{ role: "user", content: { type: "text", text: promptMarker } }] };
const tileIn = (html: string, name: string): string | undefined => new RegExp(`<span>${name}</span><b>([^<]*)</b>`).exec(html)?.[1];
/** The overview, once a tile says this. */
const withTile = (browser: ConsoleBrowser, name: string, value: string): Promise<string> =>
  eventually(`${name}: ${value}`, async () => {
    const { text } = await browser.get("");
    return tileIn(text, name) === value ? text : null;
  });

describe("the overview", () => {
  test("of a gateway without a request shows the first steps, and no chart", async () => {
    const browser = await atConsole();
    const { status, text } = await browser.get("");
    expect(status).toBe(200);
    expect(text).toContain("First steps");
    expect(text).not.toContain("<figure");
    expect(text).toContain('aria-current="page"');
  });

  test("has what waits, what people decided, and what it cost, without a style attribute or content", async () => {
    const browser = await atConsole();
    const waiting = sample({ server: "request-gate", params: asking });
    await openNotice("request");
    const before = await withTile(browser, "Waiting for people", "1");
    expect(before).toContain("/console/requests?state=open");
    await decide("request", "deny");
    await answerOf(waiting);
    const approved = sample({ id: 2, server: "request-gate", params: asking });
    await decide("request", "approve");
    await answerOf(approved);
    const text = await withTile(browser, "Requests", "2");
    expect(tileIn(text, "Denied or expired")).toBe("1");
    expect(tileIn(text, "Waiting for people")).toBe("0");
    expect(text).toContain("1 answered, 1 without a reply");
    for (const page of ["", "?period=week", "?period=month"]) {
      const { text: html } = await browser.get(page);
      expect(html).not.toContain(promptMarker);
      expect(html).not.toMatch(/\sstyle=/);
    }
  });

  test("draws the month's spend against the budget of everything", async () => {
    await configure("budgets", { budgets: { all: { of: "everything", usd: 25, per: "month" } } });
    await answerOf(sample());
    const browser = await atConsole();
    const text = await withTile(browser, "Requests", "1");
    expect(text).toContain("dashed: budget $25.00");
    expect(text).toContain("of $25.00");
  });
});

describe("health", () => {
  test("is what was found last: looking asks nobody, the button does and is recorded", async () => {
    const asked = async (): Promise<number> => (await recordLines()).filter(({ fact }) => fact.kind === "doctorAsked").length;
    const browser = await atConsole();
    const before = await asked();
    expect((await browser.get("")).text).toContain("providers, channels and servers not checked yet");
    expect(await adminJson("/doctor")).toEqual({ at: null, documents: [], checks: [] });
    await browser.get("health");
    expect(await asked()).toBe(before);
    const { status, location } = await browser.post("health", {});
    expect([status, location]).toEqual([303, "/console/health?done=checked"]);
    const { at, checks } = await adminJson<{ at: string; checks: readonly { text: string }[] }>("/doctor");
    expect(Date.now() - Date.parse(at)).toBeLessThan(60_000);
    expect(checks.length).toBeGreaterThan(5);
    expect((await browser.get("health?done=checked")).text).toContain("Checks that pass");
    expect((await browser.get("")).text).toContain("All checks");
    await eventually("the event", async () => ((await asked()) === before + 1 ? true : null));
  });

  test("says which versions were checked, and passes nothing that was written since", async () => {
    const { routing: table, policy: rules } = await versions();
    await checkNow();
    const browser = await atConsole();
    expect(await healthIn(browser)).toMatch(/checks? pass/);
    expect(await healthIn(browser)).toContain(`Routing table ${table}, Policy ${rules}`);
    // Past the door that has it checked again.
    expect(await configStub(env).write("routing", table, JSON.stringify(routing), writer)).toMatchObject({ kind: "written" });
    for (const page of ["", "health"]) {
      const text = await healthIn(browser, page);
      expect(text).toContain(`Routing table ${table + 1} (checked: ${table})`);
      expect(text).toContain("Check again");
      expect(text).not.toMatch(/checks? pass|Checks that pass|No problems found/);
    }
    expect((await healthIn(browser, "health")).includes("Passed before the change")).toBe(true);
  });

  test.each(["PUT", "restore", "console"])("is asked again behind a change of the configuration: %s", async (door) => {
    await checkNow();
    const { policy: before } = await versions();
    const browser = await atConsole();
    if (door === "PUT") await configure("policy", policy);
    else if (door === "restore") await admin(`/policy/versions/${before}/restore`, { method: "POST" });
    else {
      await browser.get("documents/policy");
      expect((await browser.post("documents/policy", { do: "save", text: JSON.stringify(policy), version: String(before) })).status).toBe(
        303,
      );
    }
    await eventually("the check of the new version", async () => {
      const { documents } = await adminJson<Diagnosis>("/doctor");
      const { checked, current } = documents.find(({ document }) => document === "policy") ?? {};
      return current === before + 1 && checked === current ? true : null;
    });
    expect(await healthIn(browser)).toMatch(/checks? pass/);
  });

  test("a check of older versions that ends late replaces no newer one", async () => {
    const of = (policy: number) => jsonOf({ routing: 1, policy, servers: 0, issuers: 0, budgets: 0 });
    await configStub(env).keepDiagnosis(of(3), jsonOf([]));
    await configStub(env).keepDiagnosis(of(2), jsonOf([]));
    expect((await configStub(env).diagnosis())?.documents).toBe(of(3));
    await configStub(env).keepDiagnosis(of(4), jsonOf([]));
    expect((await configStub(env).diagnosis())?.documents).toBe(of(4));
  });

  test("a gateway that nobody had checked is not checked by a change", async () => {
    await configure("policy", policy);
    await configure("routing", routing);
    expect(await adminJson("/doctor")).toEqual({ at: null, documents: [], checks: [] });
  });

  test("has what failed within the hour, by model, with servers and the last cause, whatever the checks found", async () => {
    await checkNow();
    const down = { status: 500, message: promptMarker };
    model.script(...Array.from({ length: 40 }, () => down));
    await answerOf(sample({ server: "open" }));
    await answerOf(sample({ server: "open" }));
    await answerOf(sample({ server: "open" }));
    const failures = await eventually("all three", async () => {
      const { health } = await adminJson<Overview>("/overview");
      return health.failures.requests === 3 ? health : null;
    });
    expect(failures.status).toBe("degraded");
    expect(failures.failures.by).toEqual([
      expect.objectContaining({
        provider: "scripted",
        requests: 3,
        servers: ["open"],
        cause: expect.stringContaining("500") as string,
      }),
    ]);
    const browser = await atConsole();
    for (const page of ["", "health"]) {
      const text = await healthIn(browser, page);
      expect(text).toContain("3 requests failed in the last hour");
      expect(text).toContain("(status 500)");
      expect(text).not.toContain("No problems found");
      expect(text).not.toContain(promptMarker);
    }
    const chinese = new Browser({}, { "Accept-Language": "zh-CN" });
    await chinese.signIn();
    expect(await healthIn(chinese)).toContain("最近一小时有 3 个请求失败");
  });

  test("what people deny or callers cancel is no failure of health", async () => {
    const denied = sample({ server: "request-gate" });
    await openNotice("request");
    await decide("request", "deny");
    await answerOf(denied);
    await eventually("its line", async () => {
      const { total, health } = await adminJson<Overview>("/overview");
      return total.outcomes.denied === 1 ? health : null;
    }).then(({ failures }) => expect(failures.requests).toBe(0));
  });
});

describe("the usage page", () => {
  test("shows what a rule's juror may spend and spent, apart from what requests cost", async () => {
    const browser = await atConsole();
    expect((await browser.get("usage")).text).not.toContain("Jurors of rules");
    await askAbout({ juror: { model: "judge", usdPerDay: 2, mayPass: { perHour: 1 } } });
    expect((await browser.get("usage")).text.replaceAll(/<[^>]*>/g, "")).toMatch(
      /Jurors of rules.*deleting\s*\$0\.00 of \$2(?:\.00)? a day/s,
    );
  });

  test("has servers, models, keys and days, in both languages, and what it shows as CSV", async () => {
    const browser = await atConsole();
    expect((await browser.get("usage")).text).toContain("No request ended in this time.");
    for (const id of [1, 2]) await answerOf(sample({ id, server: "open" }));
    await eventually("both requests", async () =>
      (await (await admin("/usage?by=server&format=csv")).text()).includes("open,2,") ? true : null,
    );
    expect((await browser.get("usage")).text).toContain('href="/console/requests?server=open"');
    expect((await browser.get("usage?by=model")).text).toContain("first");
    expect((await browser.get("usage")).text).toMatch(/<th[^>]*>Denied<\/th><th[^>]*>Failed<\/th>/);
    expect((await browser.get("usage?by=day&days=7")).text).toMatch(/2 requests from .* to .*, in UTC days/);
    expect((await browser.get("usage?by=nothing&days=none")).status).toBe(200);
    const { text, headers } = await browser.post("download/usage", { by: "server" });
    expect(headers.get("Content-Disposition")).toBe('attachment; filename="countersign-usage.csv"');
    expect(text).toContain("\r\nopen,2,2,");
    const chinese = new Browser({}, { "Accept-Language": "zh-CN" });
    await chinese.signIn();
    expect((await chinese.get("usage?by=key")).text).toContain("各密钥的请求");
  });
});
