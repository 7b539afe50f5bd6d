// POST /admin/doctor: each check where all is well and where something is wrong, what is said of
// it, and what never is.

import { configStub } from "../../../workers/stubs/stubs.ts";
import { describe, expect, test, vi } from "vitest";
import type { Env } from "../../../workers/platform/env.ts";
import {
  admin,
  adminJson,
  adminToken,
  configure,
  createKey,
  devKey,
  env,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  policy,
  publicUrl,
  routing,
  writer,
} from "../support/gateway.ts";
import { type AnyPhrase, phraseText } from "../../../shared/words/text.ts";
import { findingsZh } from "../../../shared/words/zh/findings-zh.ts";
import { neverLogged } from "../support/logs.ts";
import { keyServer, keyHost, signingPair } from "../support/issuer.ts";
import { answerAt } from "../support/provider.ts";

type Check = { readonly check: string; readonly state: "good" | "note" | "fix"; readonly text: string };
type Variables = Partial<Env> & { readonly [name: `WEBHOOK_${string}` | `SCRIPTED_${string}`]: string };

const providerHost = "https://models.example.com";
const gatewayUrl = "https://gateway.example.com";
const path = "/admin/doctor";

/** Without any channel: each test sets what it is about. */
const bare: Variables = {
  EMAIL_FROM: "",
  RESEND_API_KEY: "",
  SLACK_BOT_TOKEN: "",
  SLACK_SIGNING_SECRET: "",
  SLACK_WEBHOOK_URL: "",
  TELEGRAM_BOT_TOKEN: "",
  TELEGRAM_API_URL: "",
};
const onPublic: Variables = { ...bare, PUBLIC_URL: gatewayUrl, DEV_API_KEY: "" };

async function examine(variables: Variables = bare): Promise<Check[]> {
  // The webhook and the topic of vitest.config.ts cannot be taken out of the environment; they
  // answer.
  answerAt("https://webhook.example.com", () => new Response(null, { status: 204 }));
  answerAt("https://ntfy.example.com", () => Response.json({ username: "gateway" }));
  const response = await gatewayWith(variables, path, { method: "POST", key: adminToken });
  expect([response.status, response.headers.get("Cache-Control")]).toEqual([200, "no-store"]);
  const answer = await response.json<{ checks: Check[] }>();
  const checks = answer.checks.map(({ check, state, text }) => ({ check, state, text }));
  for (const { text } of checks) expect(text).toMatch(/^\S[^\n\r]*\S$/);
  return checks;
}

/** What is said under this name, or under all names. */
async function said(check: string, variables?: Variables): Promise<Pick<Check, "state" | "text">[]> {
  return (await examine(variables)).filter((each) => each.check === check).map(({ state, text }) => ({ state, text }));
}

const one = (state: Check["state"], text: RegExp): object => [{ state, text: expect.stringMatching(text) }];

const table = (provider: object, more: object = {}): object => ({
  providers: { scripted: provider, ...more },
  models: routing.models,
});

/** A provider whose list of models is this. */
const lists = (...ids: string[]) =>
  answerAt(providerHost, () => Response.json({ object: "list", data: ids.map((id) => ({ id, object: "model" })) }));

const keyed = { kind: "openai", baseUrl: `${providerHost}/v1`, secret: "SCRIPTED_KEY" };
const keyless = { kind: "openai", baseUrl: `${providerHost}/v1`, keyless: true };

describe("who may ask", () => {
  test("without the admin token, with an API key or with a wrong token it is 401, and nobody outside is asked", async () => {
    let asked = 0;
    answerAt(providerHost, () => {
      asked += 1;
      return Response.json({ data: [] });
    });
    await configure("routing", table(keyless));
    for (const key of [null, devKey, "wrong"]) expect((await gateway(path, { method: "POST", key })).status).toBe(401);
    expect(asked).toBe(0);
  });

  test("a GET asks nobody: it has what was found when it was last asked", async () => {
    let asked = 0;
    answerAt(providerHost, () => {
      asked += 1;
      return Response.json({ data: [] });
    });
    await configure("routing", table(keyless));
    expect(await (await admin("/doctor")).json()).toEqual({ at: null, documents: [], checks: [] });
    expect(asked).toBe(0);
  });
});

describe("the Workers beside the gateway", () => {
  const tools = "worker countersign-tools";
  const bound = (TOOLS: unknown): Variables => ({ ...bare, TOOLS }) as Variables;

  test("each is bound and answers", async () => {
    for (const name of ["worker countersign-images", tools]) expect(await said(name)).toEqual(one("good", /bound and answers/));
  });

  test("one that is not bound is named, and so is what fails without it; /healthz says so too", async () => {
    const unbound = bound(undefined);
    expect(await said(tools, unbound)).toEqual(
      one("fix", /binding TOOLS is missing.*no registered function.*workers\/tools\/wrangler\.toml/),
    );
    const health = await (await gatewayWith(unbound, "/healthz")).json<{ status: string; problems: string[] }>();
    expect(health.status).toBe("degraded");
    expect(health.problems.join()).toContain("TOOLS");
    expect(await (await gateway("/healthz", { key: null })).json()).toEqual({ status: "ok", problems: [] });
  });

  test.each([
    ["fails", () => Promise.reject(new Error("no such Worker"))],
    ["is another", async () => new Response("hello")],
  ])("one that %s is to be deployed again", async (_name, fetch) => {
    expect(await said(tools, bound({ fetch }))).toEqual(one("fix", /does not answer.*workers\/tools\/wrangler\.toml/));
  });
});

describe("settings", () => {
  test("a gateway on one's own machine is well", async () => {
    lists("vendor/first", "vendor/second");
    await configure("routing", table(keyless));
    const checks = await examine();
    expect(checks.filter(({ state }) => state !== "good")).toEqual([]);
    for (const name of [
      "PUBLIC_URL",
      "LINK_KEY",
      "ADMIN_TOKEN",
      "DEV_API_KEY",
      "routing",
      "policy",
      "reviewers",
      "provider scripted",
      "keys",
    ])
      expect(checks.map(({ check }) => check)).toContain(name);
  });

  test.each<[string, Variables, string, Check["state"], RegExp]>([
    ["no PUBLIC_URL", { PUBLIC_URL: "" }, "PUBLIC_URL", "fix", /PUBLIC_URL is not set.*\[vars\] in wrangler\.toml/],
    ["a PUBLIC_URL without https", { PUBLIC_URL: "http://gateway.example.com" }, "PUBLIC_URL", "fix", /must be https/],
    [
      "a number out of its range",
      { RETENTION_HOURS: "0", PUBLIC_URL: "https://gateway.example.com" },
      "RETENTION_HOURS",
      "fix",
      /from 1 to 720.*\[vars\] in wrangler\.toml/,
    ],
    [
      "a number out of its range on one's own machine",
      { RETENTION_HOURS: "0", PUBLIC_URL: "http://localhost:8787" },
      "RETENTION_HOURS",
      "fix",
      /from 1 to 720.*\.dev\.vars, and restart the gateway\.$/,
    ],
    [
      "a short previous key on one's own machine",
      { LINK_KEY_PREVIOUS: "short", PUBLIC_URL: "http://localhost:8787" },
      "LINK_KEY_PREVIOUS",
      "fix",
      /shorter than 16.*\.dev\.vars, and restart the gateway\.$/,
    ],
    [
      "a rotation under way",
      { LINK_KEY_PREVIOUS: "the-key-before-this-one-0123456789" },
      "LINK_KEY_PREVIOUS",
      "note",
      /rotation is in progress/,
    ],
    ["a short previous key", { LINK_KEY_PREVIOUS: "short" }, "LINK_KEY_PREVIOUS", "fix", /shorter than 16/],
    ["the same key twice", { LINK_KEY_PREVIOUS: env.LINK_KEY ?? "" }, "LINK_KEY_PREVIOUS", "fix", /the key was not rotated/],
    ["the admin token as the link key", { LINK_KEY: adminToken }, "ADMIN_TOKEN", "fix", /the same as LINK_KEY/],
    ["a short DEV_API_KEY", { DEV_API_KEY: "short" }, "DEV_API_KEY", "fix", /shorter than 16/],
    ["a DEV_API_KEY on a public gateway", { PUBLIC_URL: gatewayUrl }, "DEV_API_KEY", "fix", /not accepted.*secret delete DEV_API_KEY/],
    ["the outbox of one's own machine", {}, "OUTBOX", "good", /printed by npm start and listed at GET \/admin\/notices/],
    ["the outbox of a public gateway", { PUBLIC_URL: gatewayUrl, OUTBOX: "on" }, "OUTBOX", "note", /can read every reviewer's link/],
  ])("%s is told", async (_what, variables, check, state, text) => {
    expect(await said(check, { ...bare, ...variables })).toEqual(one(state, text));
  });

  test("a public gateway says nothing of an outbox that is off and of a DEV_API_KEY that is not there", async () => {
    const checks = await examine(onPublic);
    expect(checks.filter(({ check }) => check === "OUTBOX" || check === "DEV_API_KEY")).toEqual([]);
    expect(await said("PUBLIC_URL", onPublic)).toEqual(one("good", /https:\/\/gateway\.example\.com/));
  });

  test("it answers with the address that links begin with, for whoever tries it from outside", async () => {
    expect(await adminJson(`/doctor`, { method: "POST" })).toMatchObject({ publicUrl });
    const without = await gatewayWith({ ...bare, PUBLIC_URL: "" }, path, { method: "POST", key: adminToken });
    expect(await without.json()).toMatchObject({ publicUrl: null });
  });
});

test("what is said is a phrase too, for people who read another language than English", async () => {
  const { checks } = await adminJson<{ checks: (Check & { readonly says?: AnyPhrase; readonly title?: AnyPhrase })[] }>("/doctor", {
    method: "POST",
  });
  const told = checks.filter(({ says }) => says !== undefined);
  expect(told.length).toBeGreaterThan(6);
  for (const { title, says, text } of told) {
    for (const phrase of [title, says]) if (phrase !== undefined) expect(phraseText(phrase, findingsZh, "zh-CN")).toMatch(/^[^{}]+$/);
    expect(text).not.toMatch(/[{}]/);
  }
});

describe("documents", () => {
  test("the version that serves is named", async () => {
    const { version } = await adminJson<{ version: number }>("/policy");
    expect(await said("policy")).toEqual(one("good", new RegExp(`version ${version} is in use`)));
  });

  test("a document that an upgrade refuses is told with its place, while the last valid one is used", async () => {
    for (const [name, document] of [
      ["routing", { providers: {}, models: "SECRETVALUE-0c1d" }],
      ["policy", { rules: 7 }],
    ] as const)
      await configStub(env).write(name, (await configStub(env).current(name))?.version ?? 0, JSON.stringify(document), writer);
    // In an environment of its own, whose documents nobody has read yet.
    const checks = await examine({
      ...bare,
      CONFIG: new Proxy(env.CONFIG, { get: (real, name) => Reflect.get(real, name).bind(real) as unknown }),
    });
    for (const [name, place] of [
      ["routing", "/models"],
      ["policy", "/rules"],
    ] as const)
      expect(checks).toContainEqual({
        check: name,
        state: "fix",
        text: expect.stringMatching(new RegExp(`malformed.*PUT /admin/${name}.*at ${place}: `)),
      });
    expect(JSON.stringify(checks)).not.toContain("SECRETVALUE");
  });

  test("a document that somebody wrote into KV is told, and is not the one that serves", async () => {
    const CONFIG = { get: async (name: string) => (name === "policy" ? '{"version":9,"rules":[]}' : env.CONFIG.get(name)) } as never; // only `get` of text is asked here
    const checks = await examine({ ...bare, CONFIG });
    expect(checks).toContainEqual({ check: "policy", state: "fix", text: expect.stringContaining("not written by this gateway") });
    expect(checks).toContainEqual({ check: "routing", state: "good", text: expect.stringContaining("version 1 is in use") });
  });
});

const asking = (reviewers: object[], rules: object[] = [], byDefault: object = {}): object => ({
  rules,
  default: { reviewers: ["everyone"], ...byDefault },
  reviewers: { everyone: reviewers, others: [{ name: "Zoe" }] },
});

const mail: Variables = {
  ...onPublic,
  EMAIL_FROM: "reviews@gateway.example.com",
  RESEND_API_KEY: "re_0123456789abcdef",
  RESEND_BASE_URL: "https://mail.example.com",
};
const mailAnswers = (): void =>
  answerAt("https://mail.example.com", () => Response.json({ data: [{ name: "gateway.example.com", status: "verified" }] }));

describe("people", () => {
  test("reviewers whom a channel reaches are well", async () => {
    mailAnswers();
    await configure("policy", asking([{ name: "Ada", email: "ada@people.example" }]));
    expect(await said("reviewers", mail)).toEqual(one("good", /^The one reviewer/));
  });

  test("rules whose reviewers nobody reaches are named, with the place of the one to fix", async () => {
    mailAnswers();
    const rules = [
      { name: "open", when: { server: "open" }, then: { request: "allow", response: "allow", reviewers: ["others"] } },
      { name: "payments", when: { server: "pay" }, then: { reviewers: ["others"] } },
      { name: "mail", when: { server: "mail" }, then: { reviewers: ["Zoe"] } },
    ];
    await configure("policy", asking([{ name: "Ada", email: "ada@people.example" }], rules));
    expect(await said("reviewers", mail)).toEqual(
      one(
        "fix",
        /^Rule "payments" and rule "mail": no channel reaches Zoe.*Zoe \(\/reviewers\/others\/0 of the policy\) has no address: add one \(email, /,
      ),
    );
  });

  test("a channel that the reviewer has and the gateway has not is what to set up", async () => {
    await configure("policy", asking([{ name: "Ada", email: "ada@people.example", slack: "U012345", notify: ["email"] }]));
    expect(await said("reviewers", onPublic)).toEqual(
      one(
        "fix",
        /^The default: no channel reaches Ada.*Ada \(\/reviewers\/everyone\/0 of the policy\) has an email address: set up email \(EMAIL_FROM/,
      ),
    );
    expect(JSON.stringify(await examine(onPublic))).not.toContain("people.example");
  });

  test("a quorum that cannot be had is told, and one that can be had with some missing is noted", async () => {
    mailAnswers();
    const people = [{ name: "Ada", email: "ada@people.example" }, { name: "Bea" }];
    await configure("policy", asking(people, [], { quorum: 2 }));
    expect(await said("reviewers", mail)).toEqual(one("fix", /the quorum is 2, and only 1 can be reached, not Bea/));
    await configure("policy", asking(people));
    expect(await said("reviewers", mail)).toEqual(one("note", /1 can be reached, Bea cannot/));
  });

  test("an escalation that reaches nobody is told", async () => {
    mailAnswers();
    await configure(
      "policy",
      asking([{ name: "Ada", email: "ada@people.example" }], [], { escalate: { afterSeconds: 60, to: ["others"] } }),
    );
    expect(await said("reviewers", mail)).toEqual(one("fix", /the escalation reaches nobody, not Zoe/));
  });

  test("a reviewer's name that is a mail address is not repeated", async () => {
    await configure("policy", asking([{ name: "ada@people.example" }]));
    const checks = await examine(onPublic);
    expect(JSON.stringify(checks)).not.toContain("people.example");
    expect(checks).toContainEqual({ check: "reviewers", state: "fix", text: expect.stringMatching(/no channel reaches a reviewer/) });
  });

  test("reviewers who have to be signed in, and have no way to, are told of", async () => {
    const signedIn = { name: "secret", then: { identity: "signedIn", reviewers: ["Ada"] } };
    await configure("policy", { ...policy, rules: [signedIn], reviewers: { everyone: [{ name: "Ada", email: "ada@example.org" }] } });
    const words = /^Rule "secret": the reviewers have to be signed in, and nobody can sign in: set up email/;
    const told = async (variables: Variables) => (await said("reviewers", variables)).filter(({ text }) => words.test(text));
    expect(await told(bare)).toHaveLength(1);
    mailAnswers();
    expect(await told(mail)).toEqual([]);
  });

  test("without PUBLIC_URL that alone needs attention", async () => {
    expect(await said("reviewers", { ...bare, PUBLIC_URL: "" })).toEqual(one("fix", /without PUBLIC_URL/));
  });

  test("a policy that asks nobody is noted", async () => {
    await configure("policy", { default: { request: "allow", response: "allow" } });
    expect(await said("reviewers")).toEqual(one("note", /asks a reviewer/));
  });

  test("a webhook that the policy names and nobody set is told with its variables", async () => {
    await configure("policy", asking([{ name: "Ada", webhook: "PAGER" }]));
    expect(await said("webhook PAGER", onPublic)).toEqual(
      one("fix", /^\/reviewers\/everyone\/0\/webhook.*secret put WEBHOOK_PAGER_URL` and `npx wrangler secret put WEBHOOK_PAGER_SECRET`/),
    );
  });
});

describe("providers", () => {
  test("one that takes its credential and lists the table's models is well, and is asked for nothing else", async () => {
    const asked: string[] = [];
    answerAt(providerHost, (request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("Authorization")}`);
      return Response.json({ data: [{ id: "vendor/first" }, { id: "models/vendor/second" }] });
    });
    await configure("routing", table(keyed));
    const secret = "scripted-key-0123456789";
    neverLogged(secret);
    expect(await said("provider scripted", { ...bare, SCRIPTED_KEY: secret })).toEqual(one("good", /accepts its credential.*all 2 models/));
    expect(asked).toEqual([`GET /v1/models Bearer ${secret}`]);
  });

  test("Anthropic's list is asked for in its own way", async () => {
    const asked: string[] = [];
    answerAt(providerHost, (request) => {
      asked.push(
        `${request.method} ${new URL(request.url).pathname} ${request.headers.get("x-api-key") ?? request.headers.get("Authorization")}`,
      );
      return Response.json({ data: [{ id: "vendor/first" }], has_more: false });
    });
    await configure("routing", table({ kind: "anthropic", baseUrl: providerHost, secret: "SCRIPTED_KEY" }));
    expect(await said("provider scripted", { ...bare, SCRIPTED_KEY: "scripted-key-0123456789" })).toEqual(
      one("note", /accepts its credential.*does not list second \(\/models\/1\/name\)/),
    );
    expect(asked).toEqual([expect.stringMatching(/^GET \/v1\/models (?:Bearer )?scripted-key-0123456789$/)]);
  });

  test.each<[string, () => Response, Check["state"], RegExp]>([
    ["refuses the credential", () => new Response("{}", { status: 401 }), "fix", /refuses the credential \(401\): set SCRIPTED_KEY again/],
    ["calls a wrong credential a bad request", () => new Response("{}", { status: 400 }), "fix", /\(400\).*set SCRIPTED_KEY again/],
    ["does not let the credential list", () => new Response("{}", { status: 403 }), "note", /does not let this credential list models/],
    ["asks to wait", () => new Response("{}", { status: 429 }), "note", /rate limit/],
    ["has no list", () => new Response("{}", { status: 404 }), "note", /no list of models.*\/providers\/scripted\/baseUrl/],
    ["is broken", () => new Response("{}", { status: 503 }), "fix", /server error \(503\)/],
    [
      "leads elsewhere",
      () => new Response(null, { status: 307, headers: { Location: "https://elsewhere.example.com/" } }),
      "fix",
      /redirect \(307\)/,
    ],
    ["is a web page", () => new Response("<!doctype html>", { status: 200 }), "fix", /not JSON/],
    ["answers with other JSON", () => Response.json({ hello: true }), "note", /not with a list of models/],
    [
      "cannot be reached",
      () => {
        throw new TypeError("no route");
      },
      "fix",
      /cannot be reached.*\/providers\/scripted\/baseUrl/,
    ],
  ])("one that %s is told", async (_what, answer, state, text) => {
    answerAt(providerHost, answer);
    await configure("routing", table(keyed));
    expect(await said("provider scripted", { ...bare, SCRIPTED_KEY: "scripted-key-0123456789" })).toEqual(one(state, text));
  });

  test("one that is half set up is told with what is missing", async () => {
    await configure("routing", table({ kind: "openai", baseUrlFrom: "SCRIPTED_URL", secret: "SCRIPTED_KEY" }));
    expect(await said("provider scripted", { ...onPublic, SCRIPTED_KEY: "scripted-key-0123456789" })).toEqual(
      one("fix", /SCRIPTED_KEY is set and SCRIPTED_URL is not.*first and second.*secret put SCRIPTED_URL/),
    );
  });

  test("an address from the environment that may not be called is told by its variable and not by its value", async () => {
    await configure("routing", table({ kind: "openai", baseUrlFrom: "SCRIPTED_URL", keyless: true }));
    const checks = await said("provider scripted", { ...bare, SCRIPTED_URL: "https://user:URLPASSWORD@10.0.0.1/v1" });
    expect(checks).toEqual(one("fix", /address carries a user name.*correct SCRIPTED_URL/));
    expect(JSON.stringify(checks)).not.toMatch(/URLPASSWORD|10\.0\.0\.1/);
  });

  test("where only the demo answers, how to set up a real model is noted", async () => {
    const withDemo = {
      providers: { scripted: keyed, demo: { kind: "demo" } },
      models: [...routing.models, { ...(routing.models[0] as object), id: "demo", provider: "demo", name: "demo" }],
    };
    await configure("routing", withDemo);
    expect(await said("providers")).toEqual(one("note", /Only the built-in demo model.*add SCRIPTED_KEY=… to \.dev\.vars/));
    expect(await said("providers", onPublic)).toEqual(one("note", /npx wrangler secret put SCRIPTED_KEY/));
  });

  test("where no model can be used at all, that needs attention", async () => {
    await configure("routing", table(keyed));
    expect(await said("providers")).toEqual(one("fix", /No model can be used.*SCRIPTED_KEY/));
  });

  test("models that are switched off ask nobody", async () => {
    await configure("routing", {
      providers: { scripted: keyless, off: { kind: "openai", baseUrl: "https://off.example.com/v1", keyless: true } },
      models: [...routing.models, { ...(routing.models[0] as object), id: "off", provider: "off", enabled: false }],
    });
    lists("vendor/first", "vendor/second");
    expect(await said("provider off")).toEqual([]);
    expect(await said("provider scripted")).toEqual(one("good", /lists all 2 models/));
  });
});

/** The limits of the doctor, which run out when the test says so. */
function holdLimits() {
  const held = new Map<number, { readonly run: () => void; readonly ms: number }>();
  const [start, stop] = [globalThis.setTimeout, globalThis.clearTimeout];
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms = 0) => {
    if (ms < 10_000) return start(run, ms);
    const timer = start(() => {}, ms);
    held.set(Number(timer), { run, ms });
    return timer;
  }) as typeof setTimeout); // what is called here is called with a function
  vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    held.delete(Number(timer));
    stop(timer);
  });
  const ofMs = (wanted: number) => [...held].filter(([, { ms }]) => ms === wanted);
  return {
    pending: (ms: number): number => ofMs(ms).length,
    runOut: (ms: number): void => {
      for (const [timer, { run }] of ofMs(ms)) {
        held.delete(timer);
        run();
      }
    },
  };
}

describe("what hangs or breaks", () => {
  test.each([
    ["lets go when it is told to", true],
    ["never lets go", false],
  ])("a provider that says nothing and %s holds up no other check, and the doctor no longer than its limit", async (_what, letsGo) => {
    const limits = holdLimits();
    let called: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      called = resolve;
    });
    answerAt("https://silent.example.com", (request) => {
      called();
      return new Promise((_, reject) => {
        if (letsGo) request.signal.addEventListener("abort", () => reject(new Error("aborted")));
      });
    });
    lists("vendor/first", "vendor/second");
    await configure("routing", {
      ...table(keyless, { silent: { kind: "openai", baseUrl: "https://silent.example.com/v1", keyless: true } }),
      models: [...routing.models, { ...(routing.models[0] as object), id: "silent", provider: "silent" }],
    });
    const answered = examine();
    await reached;
    // The other calls end by themselves. What is left is the silent one's.
    await eventually("the end of every other call", async () => limits.pending(10_000) === 1 && limits.pending(12_000) === 1);
    limits.runOut(10_000);
    if (!letsGo) limits.runOut(12_000);
    const checks = await answered;
    expect(checks.filter(({ state }) => state === "fix")).toEqual([
      {
        check: "provider silent",
        state: "fix",
        text: expect.stringMatching(letsGo ? /did not answer within 10 seconds/ : /did not finish/),
      },
    ]);
    expect(checks.map(({ check }) => check)).toEqual(expect.arrayContaining(["provider scripted", "reviewers", "keys"]));
  });

  test("an error of what is asked is a line that needs attention, never a 500", async () => {
    const broken = {
      getByName: () => {
        throw new Error("SECRETMESSAGE-77");
      },
    };
    const checks = await examine({ ...bare, CONFIGURATION: broken as never });
    expect(checks).toContainEqual({ check: "documents", state: "fix", text: expect.stringMatching(/could not be checked/) });
    expect(checks).toContainEqual({ check: "keys", state: "fix", text: expect.stringMatching(/could not be checked/) });
    expect(checks).toContainEqual({ check: "LINK_KEY", state: "good", text: expect.any(String) });
    expect(JSON.stringify(checks)).not.toContain("SECRETMESSAGE");
  });
});

describe("channels and keys", () => {
  test("a channel that works is well, and one that does not is told", async () => {
    mailAnswers();
    expect(await said("email", mail)).toEqual(one("good", /domain is verified/));
    answerAt("https://mail.example.com", () => Response.json({ name: "invalid_api_key" }, { status: 401 }));
    expect(await said("email", mail)).toEqual(one("fix", /RESEND_API_KEY/));
    expect(await said("email", { ...bare, EMAIL_FROM: "reviews@gateway.example.com" })).toEqual(one("fix", /RESEND_API_KEY/));
    expect(await said("slack", { ...bare, SLACK_BOT_TOKEN: "xoxb-0123456789abcdef" })).toEqual(one("fix", /SLACK_SIGNING_SECRET/));
    expect(await said("webhooks")).toEqual(one("good", /TEAMS/));
    expect(await said("webhooks", { ...bare, WEBHOOK_OTHER_URL: "https://webhook.example.com/other" })).toEqual(
      one("fix", /WEBHOOK_OTHER_SECRET/),
    );
  });

  test("without a key nobody can call a public gateway: how to make one is noted, and with one all is well", async () => {
    expect(await said("keys", onPublic)).toEqual(
      one("note", /No API key has been created yet.*curl -X POST https:\/\/gateway\.example\.com\/admin\/keys/),
    );
    expect(await said("keys")).toEqual(one("good", /DEV_API_KEY/));
    const { id } = await createKey();
    expect(await said("keys", onPublic)).toEqual(one("good", /^One API key is accepted/));
    await admin(`/keys/${id}`, { method: "DELETE" });
    await admin("/keys", jsonBody("POST", { name: "late", expiresAt: 1 }));
    expect(await said("keys", onPublic)).toEqual(one("note", /Every API key is revoked or expired/));
  });
});

test("no secret, no address of a person and no address of a provider is ever in an answer", async () => {
  const marker = "MARKER7f3a";
  const marked: Variables = {
    LINK_KEY: `${marker}-link-key-0123456789`,
    LINK_KEY_PREVIOUS: `${marker}-previous-0123456789`,
    ADMIN_TOKEN: `${marker}-admin-0123456789`,
    DEV_API_KEY: `${marker}-dev-0123456789`,
    PUBLIC_URL: gatewayUrl,
    EMAIL_FROM: `${marker}@gateway.example.com`,
    RESEND_API_KEY: `re_${marker}`,
    RESEND_BASE_URL: "https://mail.example.com",
    SLACK_BOT_TOKEN: `xoxb-${marker}-0123456789`,
    SLACK_SIGNING_SECRET: `${marker}-signing-0123456789`,
    SLACK_API_URL: "https://slack.example.com/api/",
    SLACK_WEBHOOK_URL: `https://hooks.example.com/${marker}`,
    WEBHOOK_PAGER_URL: `https://webhook.example.com/${marker}`,
    WEBHOOK_PAGER_SECRET: `whsec_${btoa(`${marker}-0123456789012345678901234567890`)}`,
    WEBHOOK_BROKEN_URL: `http://webhook.example.com/${marker}`,
    WEBHOOK_BROKEN_SECRET: `${marker}-not-a-secret`,
    SCRIPTED_KEY: `${marker}-provider-0123456789`,
    SCRIPTED_URL: `${providerHost}/${marker}/v1`,
    RETENTION_HOURS: `${marker}`,
  };
  const answers: (() => Response)[] = [
    () => Response.json({ data: [{ id: `${marker}` }], ok: true, error: marker, message: marker }),
    () => Response.json({ error: { message: `wrong key ${marker}` }, message: marker, name: marker }, { status: 401 }),
    () => new Response(marker, { status: 500 }),
    () => {
      throw new Error(marker);
    },
  ];
  await configure(
    "policy",
    asking([{ name: "Ada", email: `${marker}@people.example`, slack: "U012345", webhook: "PAGER" }, { name: "Bea" }]),
  );
  await configure("routing", table({ kind: "openai", baseUrlFrom: "SCRIPTED_URL", secret: "SCRIPTED_KEY" }));
  for (const answer of answers) {
    for (const host of [providerHost, "https://mail.example.com", "https://slack.example.com", "https://webhook.example.com"])
      answerAt(host, answer);
    const response = await gatewayWith(marked, path, { method: "POST", key: marked.ADMIN_TOKEN ?? "" });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain("provider scripted");
    expect(text).not.toMatch(new RegExp(`${marker}|people\\.example|models\\.example`, "i"));
  }
});

describe("the relay's servers", () => {
  const host = "https://mcp.example.com";
  const entry = (more: object = {}): Promise<void> => configure("servers", { servers: { notes: { url: `${host}/mcp`, ...more } } });

  test("one that answers is asked to begin a session, which is ended at once", async () => {
    await entry();
    const asked: string[] = [];
    answerAt(host, (request) => {
      asked.push(`${request.method} ${request.headers.get("Mcp-Session-Id") ?? ""}`);
      return Response.json({ jsonrpc: "2.0", id: 1, result: {} }, { headers: { "Mcp-Session-Id": "s" } });
    });
    expect(await said("server notes")).toEqual(one("good", /started a session/));
    expect(asked).toEqual(["POST ", "DELETE s"]);
  });

  test.each<[string, object, () => Response, RegExp]>([
    [
      "is not there",
      {},
      () => {
        throw new TypeError("fetch failed");
      },
      /cannot be reached.*\/servers\/notes\/url/,
    ],
    ["redirects", {}, () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.example.com" } }), /redirect/],
    ["refuses the credential", {}, () => new Response(null, { status: 401 }), /refuses the credential \(401\)/],
    ["is no MCP endpoint", {}, () => new Response(null, { status: 404 }), /answers 404 to initialize/],
    [
      "wants a secret that is not set",
      { secret: "NOTES_TOKEN" },
      () => new Response(null, { status: 200 }),
      /NOTES_TOKEN, which is not set/,
    ],
  ])("one that %s is told", async (_, more, answer, text) => {
    await entry(more);
    answerAt(host, answer);
    expect(await said("server notes")).toEqual(one("fix", text));
  });
});

describe("the issuers of tokens", () => {
  const entry = async (more: object, id?: string): Promise<void> => {
    const subjects = { "ada@people.example.com": id ?? (await createKey()).id };
    await configure("issuers", {
      issuers: { office: { issuer: "https://idp.example.com/", algorithm: "ES256", audience: "countersign", subjects, ...more } },
    });
  };
  const published = async (...algorithms: readonly string[]): Promise<{ keys: object[] }> => ({
    keys: await Promise.all(algorithms.map(async (algorithm) => (await signingPair(algorithm)).jwk)),
  });

  test("one whose keys are in the document, or answer at their address, or whose secret is set, is well", async () => {
    await entry({ keys: await published("ES256") });
    expect(await said("issuer office")).toEqual(one("good", /in the document, for ES256/));
    const set = await published("ES256", "RS256", "ES256");
    await entry({ jwksUrl: keyServer(() => Response.json(set)).url });
    expect(await said("issuer office")).toEqual(one("good", /publishes 2 keys for ES256/));
    await entry({ algorithm: "HS256", secret: "SCRIPTED_SECRET" });
    expect(await said("issuer office", { ...bare, SCRIPTED_SECRET: "s".repeat(32) })).toEqual(one("good", /SCRIPTED_SECRET is set/));
  });

  test.each<[string, Variables, RegExp]>([
    ["is not set", bare, /SCRIPTED_SECRET, which is not set/],
    ["is too short", { ...bare, SCRIPTED_SECRET: "s".repeat(63) }, /shorter than the 64 bytes that HS512 needs/],
  ])("one whose secret %s is told", async (_, variables, text) => {
    await entry({ algorithm: "HS512", secret: "SCRIPTED_SECRET" });
    expect(await said("issuer office", variables)).toEqual(one("fix", text));
  });

  test.each<[string, () => Response, RegExp]>([
    [
      "cannot be reached",
      () => {
        throw new TypeError("fetch failed");
      },
      /check that it is running.*\/issuers\/office\/jwksUrl/,
    ],
    ["redirects", () => Response.redirect("https://elsewhere.example.com/", 302), /a status other than 200/],
    ["says too much", () => new Response("x".repeat(300_000)), /larger than 256 KiB/],
    ["is a page", () => new Response("<html>"), /not a JSON Web Key Set/],
    [
      "has keys for something else",
      () => Response.json({ keys: [{ kty: "RSA", e: "AQAB", n: "A".repeat(342) }] }),
      /publishes no key for ES256/,
    ],
    ["has no keys", () => Response.json({ keys: [] }), /publishes no key for ES256/],
  ])("one whose address %s is told, without the address", async (_, answer, text) => {
    await entry({ jwksUrl: keyServer(answer).url });
    const checks = await said("issuer office");
    expect(checks).toEqual(one("fix", text));
    expect(JSON.stringify(checks)).not.toContain(keyHost);
  });

  test("subjects whose keys let nobody in are told by the keys' ids alone", async () => {
    const keys = await published("ES256");
    const { id } = await createKey();
    await entry({ keys }, id);
    await admin(`/keys/${id}`, { method: "DELETE" });
    for (const [dead, why] of [
      [id, "revoked"],
      ["key_0000000000000000", "unknown"],
    ] as const) {
      await entry({ keys }, dead);
      const [, told, more] = await said("issuer office");
      expect([told, more]).toEqual([{ state: "fix", text: expect.stringContaining(`${dead} (${why})`) as unknown }, undefined]);
      expect(told?.text).not.toContain("ada@");
    }
    const elsewhere = await createKey({ scopes: ["sampling"] });
    await entry({ keys }, elsewhere.id);
    expect((await said("issuer office"))[1]).toMatchObject({
      state: "fix",
      text: expect.stringMatching(/without the scope "control"/) as unknown,
    });
    await entry({ keys, subjects: {} });
    expect((await said("issuer office"))[1]).toMatchObject({ state: "note", text: expect.stringMatching(/maps no subject/) as unknown });
  });
});

test("a key whose owner is no reviewer's name is told, where own requests are barred", async () => {
  const owned = await createKey({ name: "owned", owner: "ada" });
  const other = await createKey({ name: "other", owner: "somebody@example.org" });
  expect((await said("keys")).map(({ state }) => state)).toEqual(["good"]);
  const { version } = await adminJson<{ version: number }>("/policy");
  const barring = { ...policy, default: { ...policy.default, selfApproval: false } };
  await admin("/policy?cutOffKeys=yes", jsonBody("PUT", barring, { "If-Match": String(version) }));
  const [, noted] = await said("keys");
  expect(noted).toMatchObject({ state: "fix", text: expect.stringContaining(other.id) as unknown });
  expect(noted?.text).not.toContain(owned.id);
  expect(noted?.text).not.toContain("somebody@");
});
