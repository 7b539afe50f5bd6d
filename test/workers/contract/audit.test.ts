// What an auditor asks: which requests were refused and why, what operators did, who opened a
// review; and why something failed.

import type { ConfigObject } from "../../../workers/objects/config-object.ts";
import { asObject } from "../objects/inside.ts";
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import { sha256Hex } from "../../../shared/encoding.ts";
import { jsonOf } from "../../../shared/json/json-of.ts";
import { areActs } from "../../../shared/record/operators.ts";
import { type RecordFact, firstGap } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import { configStub, ledgerShardOf, ledgerShards, ledgerStub } from "../../../workers/stubs/stubs.ts";
import { newRunId } from "../../../workers/pipeline/run-context.ts";
import { writtenOneByOne } from "../../../workers/pipeline/record/refusals.ts";
import { control, textEnvelope } from "../support/control.ts";
import {
  admin,
  adminJson,
  adminToken,
  answerOf,
  configure,
  createKey,
  env,
  eventually,
  gateway,
  jsonBody,
  model,
  openNotice,
  policy,
  post,
  routing,
  rpc,
  sample,
} from "../support/gateway.ts";
import { givenGrant } from "../support/grants.ts";
import { promptMarker, reasonMarker, replyMarker } from "../support/logs.ts";
import {
  RelayClient,
  configureServers,
  eventFor,
  samplingRequest,
  scriptUpstream,
  streamOf,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { answerAt } from "../support/provider.ts";
import { recordLines } from "../support/record.ts";
import { decide } from "../support/reviewer.ts";

type Line = {
  readonly id: string;
  readonly state: string;
  readonly server: string | null;
  readonly tool: string | null;
  readonly key: string;
  readonly model: string | null;
  readonly at: string;
  readonly endedAt: string | null;
  readonly cause: string | null;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd: number };
};
type Page = { readonly runs: readonly Line[]; readonly next: string | null };

const listed = async (query: Record<string, string> = {}): Promise<readonly Line[]> =>
  (await adminJson<Page>(`/runs?${new URLSearchParams(query)}`)).runs;

/** The lines of a key, once there are so many. */
const linesOf = (key: string, count: number): Promise<readonly Line[]> =>
  eventually(`${count} lines of ${key}`, async () => {
    const lines = await listed({ key });
    return lines.length >= count ? lines : null;
  });

type Key = { readonly id: string; readonly key: string };

/**
 * Each refusal once: how it comes about, with which key, and what the record and the list say of
 * it.
 */
const refusals: readonly {
  readonly what: string;
  readonly options?: object;
  readonly ask: (key: Key) => Promise<unknown>;
  readonly kind: string;
  readonly line: { readonly server: string | null; readonly tool: string | null };
  readonly cause: RegExp;
}[] = [
  {
    what: "by a rule of the policy",
    ask: ({ key }) => sample({ server: "refused" }, { key }),
    kind: "policyRefused",
    line: { server: "refused", tool: "summarize" },
    cause: /policy refuses it \(refused\); to allow it, change the policy at \/admin\/policy/,
  },
  {
    what: "by the key's servers",
    options: { servers: ["notes"] },
    ask: ({ key }) => sample({ server: "open" }, { key }),
    kind: "policyRefused",
    line: { server: "open", tool: "summarize" },
    cause: /the key's servers/,
  },
  {
    what: "by the key's rate",
    options: { limits: { requestsPerMinute: 1 } },
    ask: async ({ key }) => {
      await answerOf(sample({}, { key }));
      return sample({}, { key });
    },
    kind: "rateLimited",
    line: { server: "open", tool: "summarize" },
    cause: /more than 1 requests a minute.*requestsPerMinute/,
  },
  {
    what: "by the rounds of one client request",
    options: { limits: { roundsPerOriginatingRequest: 1 } },
    ask: async ({ key }) => {
      await answerOf(sample({}, { key }));
      return sample({}, { key });
    },
    kind: "tooManyRounds",
    line: { server: "open", tool: "summarize" },
    cause: /more than 1 sampling rounds/,
  },
  {
    what: "for want of a model",
    ask: ({ key }) => sample({ params: { maxTokens: 90_000 } }, { key }),
    kind: "noModel",
    line: { server: "open", tool: "summarize" },
    cause: /No model can serve it \("first": maxTokens is above its limit of 10000, and 1 more/,
  },
  {
    what: "because its client request has ended",
    ask: async ({ key }) => {
      await answerOf(sample({}, { key }));
      await gateway("/sessions/sess-1", { method: "DELETE", key });
      return sample({}, { key });
    },
    kind: "notAssociated",
    line: { server: "open", tool: "summarize" },
    cause: /session has ended/,
  },
  {
    what: "for its params",
    ask: ({ key }) => sample({ params: { temperature: promptMarker } }, { key }),
    kind: "invalidParams",
    line: { server: "open", tool: "summarize" },
    cause: /wrong in one place/,
  },
  {
    what: "for a body that is no JSON",
    ask: ({ key }) => gateway("/sampling", { method: "POST", body: promptMarker, headers: { "Content-Type": "application/json" }, key }),
    kind: "notJson",
    line: { server: null, tool: null },
    cause: /not JSON/,
  },
  {
    what: "for its size",
    options: { limits: { bodyBytes: 1024 } },
    ask: ({ key }) => post("x".repeat(2_000), { key }),
    kind: "tooLarge",
    line: { server: null, tool: null },
    cause: /over the key's limit of 1024 bytes/,
  },
  {
    what: "for its method",
    ask: ({ key }) => rpc("tools/call", {}, { key }),
    kind: "unknownMethod",
    line: { server: null, tool: null },
    cause: /does not know the method tools\/call/,
  },
  {
    what: "for a task of nobody's",
    ask: ({ key }) => rpc("tasks/get", { taskId: "run_x" }, { key }),
    kind: "unknownTask",
    line: { server: null, tool: null },
    cause: /task is unknown/,
  },
  {
    what: "for the key's scope",
    options: { scopes: ["control"] },
    ask: ({ key }) => sample({}, { key }),
    kind: "wrongScope",
    line: { server: null, tool: null },
    cause: /lacks the scope "sampling"/,
  },
  {
    what: "at the control endpoint, for its model",
    ask: ({ key }) => control(textEnvelope({}, { model: { name: "of nobody" } }), { key }),
    kind: "noModel",
    line: { server: "control", tool: "text_generation" },
    cause: /No model can serve it/,
  },
  {
    what: "at the control endpoint, for the key's scope",
    options: { scopes: ["sampling"] },
    ask: ({ key }) => control(textEnvelope(), { key }),
    kind: "wrongScope",
    line: { server: "control", tool: null },
    cause: /lacks the scope "control"/,
  },
  {
    what: "at the control endpoint, for what it says",
    ask: ({ key }) => control({ protocol_version: "2.1", prompt: promptMarker }, { key }),
    kind: "invalidParams",
    line: { server: "control", tool: null },
    cause: /wrong in \d+ places/,
  },
];

describe("a refused request is in the record and in the list, with its reason and without its content", () => {
  test.each(refusals.map((each) => [each.what, each] as const))("%s", async (_, { options = {}, ask, kind, line, cause }) => {
    const key = await createKey(options);
    await ask(key);
    const found = await eventually("the line", async () => (await listed({ key: key.id, state: "refused" }))[0]);
    expect(found).toEqual({
      id: found.id,
      state: "refused",
      ...line,
      key: key.id,
      model: null,
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      endedAt: expect.stringMatching(/Z$/),
      cause: expect.stringMatching(cause),
      causeFacts: { kind: "refused", reason: expect.objectContaining({ kind }) },
      rule: null,
      review: null,
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    });
    const events = await recordLines({ run: found.id });
    expect(events.map(({ fact }) => fact)).toEqual([expect.objectContaining({ kind: "refused", key: key.id, server: line.server })]);
    expect(events[0]?.fact).toMatchObject({ reason: { kind } });
    expect(firstGap(events)).toBeNull();
    expect(await adminJson(`/runs/${found.id}`)).toMatchObject({ ...found, answered: false });
    expect(JSON.stringify([events, found])).not.toContain(promptMarker);
  });

  test("what a server asks at the relay, and who may not use it", async () => {
    const upstream = scriptUpstream();
    await configureServers({ refused: { url: `${upstreamOrigin}/mcp` }, other: { url: `${upstreamOrigin}/mcp` } });
    const key = await createKey({ servers: ["refused"] });
    upstream.answer = ({ message }) =>
      message.method === "tools/call" ? streamOf(eventFor(samplingRequest("ask-1", promptMarker, {}))) : undefined;
    const client = new RelayClient("refused", { key: key.key });
    await client.connect();
    await (await client.call(2)).body?.cancel();
    await gateway("/mcp/other", { ...jsonBody("POST", { jsonrpc: "2.0", id: 1, method: "ping" }), key: key.key });
    const lines = await linesOf(key.id, 2);
    expect(lines.map(({ server, tool, state }) => ({ server, tool, state }))).toEqual(
      expect.arrayContaining([
        { server: "refused", tool: "summarize", state: "refused" },
        { server: "other", tool: null, state: "refused" },
      ]),
    );
  });
});

describe("a flood of refusals", () => {
  const more = 37;

  test("is counted: its first ones by themselves, the rest in one event and one line, and the sums are exact", async () => {
    const { id, key } = await createKey({ limits: { requestsPerMinute: 1_000, concurrent: 1_000 } });
    const answers = await Promise.all(Array.from({ length: writtenOneByOne + more }, () => sample({ server: "refused" }, { key })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const counted = await eventually("the count", async () =>
      (await listed({ key: id })).find(({ cause }) => cause?.includes(` ${more} times more`)),
    );
    // Each shard of the ledger is written to by itself.
    await eventually("the lines", async () => (await listed({ key: id, state: "refused" })).length >= writtenOneByOne + 1);
    expect(await listed({ key: id, state: "refused" })).toHaveLength(writtenOneByOne + 1);
    // Its minute is over, for every shard.
    for (let shard = 0; shard < ledgerShards; shard += 1)
      await runInDurableObject(asObject<LedgerObject>(ledgerStub(env, shard)), (ledger) => void (ledger.now = () => Date.now() + 180_000));
    const facts = (await recordLines()).flatMap(({ run, fact }) => ("key" in fact && fact.key === id ? [{ run, fact }] : []));
    expect(facts.filter(({ fact }) => fact.kind === "refused")).toHaveLength(writtenOneByOne);
    expect(facts.filter(({ fact }) => fact.kind === "refusedMany")).toEqual([
      { run: counted.id, fact: expect.objectContaining({ kind: "refusedMany", reason: "policyRefused", count: more }) },
    ]);
    // Asked again, nothing is counted twice.
    expect(await recordLines({ run: counted.id })).toHaveLength(1);
  });
});

describe("what an operator does", () => {
  const acts = async (): Promise<readonly RecordFact[]> => (await recordLines()).filter(({ run }) => areActs(run)).map(({ fact }) => fact);

  test("is an event, with who did it and the digests before and after, and the export is one too", async () => {
    const before = (await acts()).length;
    const served = async (name: string): Promise<string> => sha256Hex(await (await admin(`/${name}`)).text());
    const first = await served("policy");
    await configure("policy", { ...policy, rules: [] });
    const second = await served("policy");
    expect((await admin("/policy/versions/1/restore", { method: "POST" })).status).toBe(200);
    const made = await createKey({ name: "ci", owner: "Ada" });
    expect((await admin(`/keys/${made.id}`, { method: "DELETE" })).status).toBe(204);
    // Once more changes nothing.
    expect((await admin(`/keys/${made.id}`, { method: "DELETE" })).status).toBe(204);
    const grant = await givenGrant();
    for (const _ of ["it ends", "it has ended"]) expect((await admin(`/grants/${grant}`, { method: "DELETE" })).status).toBe(204);
    expect((await admin("/doctor", { method: "POST" })).status).toBe(200);
    // What was not done leaves nothing; a HEAD exports nothing.
    expect((await admin("/policy", jsonBody("PUT", policy, { "If-Match": "1" }))).status).toBe(412);
    expect((await admin("/keys/key_none", { method: "DELETE" })).status).toBe(404);
    expect((await admin("/record", { method: "HEAD" })).status).toBe(200);
    const facts = (await acts()).slice(before);
    const by = { kind: "adminToken", fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/) };
    expect(facts).toEqual([
      { kind: "documentWritten", by, document: "policy", version: 2, restored: null, digestBefore: first, digestAfter: second },
      {
        kind: "documentWritten",
        by,
        document: "policy",
        version: 3,
        restored: 1,
        digestBefore: second,
        digestAfter: await served("policy"),
      },
      {
        kind: "keyMade",
        by,
        key: made.id,
        name: "ci",
        owner: "Ada",
        scopes: ["sampling", "control", "v1"],
        digestAfter: expect.any(String),
      },
      { kind: "keyRevoked", by, key: made.id, digestBefore: expect.any(String) },
      { kind: "grantRevoked", by, key: "key_dev", grant },
      { kind: "doctorAsked", by },
      { kind: "recordExported", by, run: null },
    ]);
    for (const secret of [adminToken, made.key]) expect(JSON.stringify(facts)).not.toContain(secret);
  });

  test("has every event, also over months", async () => {
    await createKey();
    await runInDurableObject(
      asObject<ConfigObject>(configStub(env)),
      (config) => void (config.now = () => Date.now() + 40 * 24 * 3_600_000),
    );
    await createKey();
    const answer = await admin("/record");
    const { findings } = await verifyRecord((await answer.text()).split("\n"));
    expect(findings).toEqual([]);
    const runs = Map.groupBy(await recordLines(), ({ run }) => run);
    const months = [...runs.keys()].filter(areActs).toSorted();
    expect(months).toHaveLength(2);
    expect(runs.get(months[1] ?? "")?.[0]?.fact).toMatchObject({
      kind: "continued",
      run: months[0],
      tree: { size: expect.any(Number), root: expect.stringMatching(/^[\w-]{43}$/) },
    });
  });

  test("is kept where the ledger fails, and sent again with nothing lost and nothing twice", async () => {
    const before = (await acts()).length;
    const away = vi.spyOn(LedgerObject.prototype, "append").mockImplementation(() => {
      throw new Error("the ledger is away");
    });
    const { id } = await createKey();
    expect(away).toHaveBeenCalled();
    away.mockRestore();
    await abortAllDurableObjects();
    await runDurableObjectAlarm(configStub(env));
    const facts = await eventually("the event", async () => {
      const found = (await acts()).slice(before);
      return found.some(({ kind }) => kind === "keyMade") ? found : null;
    });
    expect(facts.filter((fact) => fact.kind === "keyMade")).toEqual([expect.objectContaining({ key: id })]);
    expect((await verifyRecord((await (await admin("/record")).text()).split("\n"))).findings).toEqual([]);
  });

  test("names who cancelled a run", async () => {
    void sample({ server: "notes" });
    const { run } = await openNotice("request");
    expect((await gateway(`/runs/${run}`, { method: "DELETE", key: adminToken })).status).toBe(204);
    const facts = await eventually("the cancellation", async () => {
      const found = (await recordLines({ run })).map(({ fact }) => fact);
      return found.some(({ kind }) => kind === "finished") ? found : null;
    });
    expect(facts).toContainEqual({ kind: "cancelled", cause: "admin", by: { kind: "adminToken", fingerprint: expect.any(String) } });
    expect((await adminJson<Line>(`/runs/${run}`)).cause).toBe("An operator cancelled the request; send it again if it is still wanted.");
  });
});

describe("GET /admin/runs/{id} and /admin/record?run= answer for", () => {
  const members = [
    "id",
    "state",
    "server",
    "tool",
    "key",
    "model",
    "at",
    "endedAt",
    "cause",
    "causeFacts",
    "rule",
    "review",
    "usage",
    "updatedAt",
    "answered",
  ];

  /** What the operator is told of it, once it has ended: these members and no content. */
  const told = async (id: string): Promise<Line & { readonly answered: boolean }> => {
    const text = await eventually("its end", async () => {
      const answer = await admin(`/runs/${id}`);
      const body = await answer.text();
      return answer.status === 200 && (JSON.parse(body) as Line).endedAt !== null ? body : null;
    });
    expect(Object.keys(JSON.parse(text) as object).sort()).toEqual(members.toSorted());
    const record = await (await admin(`/record?run=${id}`)).text();
    expect(record).toContain(`"run":"${id}"`);
    expect(record).toMatch(/"at":"\d{4}-\d\d-\d\dT/);
    for (const content of [promptMarker, replyMarker, reasonMarker]) expect(text + record).not.toContain(content);
    return JSON.parse(text) as Line & { readonly answered: boolean };
  };

  test("a request that was answered at once", async () => {
    const { result } = await answerOf(sample());
    expect(await told(result?._meta?.["countersign/run"]?.id ?? "")).toMatchObject({
      state: "completed",
      server: "open",
      tool: "summarize",
      model: "first",
      cause: null,
      usage: { inputTokens: 12, outputTokens: 5, costUsd: expect.any(Number) },
      answered: true,
    });
  });

  test("one that people let through: its key sees the reply, the operator does not", async () => {
    const answer = sample({ server: "request-gate" });
    const { run } = await decide("request", "approve");
    await (await answer).text();
    expect(await (await gateway(`/runs/${run}`)).text()).toContain(replyMarker);
    expect(await told(run)).toMatchObject({ state: "completed", cause: null, answered: true });
  });

  test("one that was denied", async () => {
    const answer = sample({ server: "request-gate" });
    const { run } = await decide("request", "deny", undefined, (fields) => fields.set("reason", reasonMarker));
    await (await answer).text();
    expect(await told(run)).toMatchObject({
      state: "rejected",
      cause: "Ada denied the request, so no model was asked; to have others decide, change the rule's reviewers at /admin/policy.",
      answered: true,
    });
  });

  test.each(["open", "request-gate"])("one that failed at its models (%s)", async (server) => {
    model.script({ status: 401, message: promptMarker });
    const answer = sample({ server });
    if (server === "request-gate") await decide("request", "approve");
    await (await answer).text();
    const { id } = await eventually("its line", async () => (await listed({ state: "failed", server }))[0]);
    expect((await told(id)).cause).toBe(
      'Model "first" of provider "scripted" refused the credential (status 401); set the provider\'s secret again, and check that it may use this model.',
    );
  });

  test.each(["open", "request-gate"])("one that failed at every model: what each did, and first its first choice (%s)", async (server) => {
    const first = routing.models[0];
    answerAt("https://limited.example.com", () =>
      Response.json({ error: { message: promptMarker } }, { status: 429, headers: { "Retry-After": "60" } }),
    );
    const at = (name: string): object => ({ [name]: { kind: "openai", baseUrl: `https://${name}.example.com/v1`, keyless: true } });
    await configure("routing", {
      providers: { ...routing.providers, ...at("limited"), ...at("away") },
      models: [first, { ...first, id: "second", provider: "limited" }, { ...first, id: "backup", provider: "away" }],
    });
    model.script(...Array.from({ length: 3 }, () => ({ status: 500, message: promptMarker })));
    const answer = sample({ server });
    if (server === "request-gate") await decide("request", "approve");
    const { error } = await answerOf(answer);
    // The caller is told of each attempt, as ever.
    const tried = (error?.data?.["attempts"] ?? []) as readonly { model: string; fault: string; status?: number }[];
    expect(tried.map((each) => [each.model, each.fault, each.status])).toEqual([
      ...Array.from({ length: 3 }, () => ["first", "providerError", 500]),
      ["second", "rateLimited", 429],
      ...Array.from({ length: 3 }, () => ["backup", "connection", undefined]),
    ]);
    expect(error).toMatchObject({ code: -32011, message: "Every model that could serve this request failed; attempts lists how" });
    const { id } = await eventually("its line", async () => (await listed({ state: "failed", server }))[0]);
    expect(await told(id)).toMatchObject({
      model: "first",
      cause:
        'All 7 attempts failed: "first" answered with an error (status 500), "second" refused for its rate limit (status 429), "backup" could not be reached; ' +
        'for "first", look at the provider\'s status, or add another model at /admin/routing; ' +
        'for "second", raise the account\'s limit, or give the model a lane at /admin/routing; ' +
        'for "backup", check baseUrl at /admin/routing and that the provider is up.',
      causeFacts: {
        kind: "failed",
        tried: 7,
        reason: "providerError",
        failures: [
          { model: "first", provider: "scripted", kind: "providerError", status: 500, times: 3 },
          { model: "second", provider: "limited", kind: "rateLimited", status: 429, times: 1 },
          { model: "backup", provider: "away", kind: "connection", times: 3 },
        ],
      },
    });
    // Each that failed finds it.
    for (const name of ["first", "second", "backup"]) expect(await listed({ model: name, server })).toMatchObject([{ id }]);
  });

  test("nothing else: an id that is made up wakes no object", async () => {
    expect((await admin("/runs/run_x")).status).toBe(404);
    expect(await recordLines({ run: "run_x" })).toEqual([]);
  });
});

describe("many requests", () => {
  /** Lines as they would be after this many requests, in all shards. */
  const write = async (count: number): Promise<readonly RunSummary[]> => {
    const begun = Date.now() - 60_000;
    const lines = Array.from({ length: count }, (_, n): RunSummary => {
      const failed = n % 5 === 0;
      return {
        run: newRunId(env),
        key: "key_dev",
        server: n % 2 === 0 ? "even" : "odd",
        name: "summarize",
        // Many of one millisecond.
        createdAt: begun + Math.floor(n / 40),
        endedAt: begun + 1_000,
        state: failed ? "failed" : "completed",
        cause: failed ? { kind: "failed", tried: 0, reason: null, failures: [] } : null,
        model: "first",
        inputTokens: 1,
        outputTokens: 1,
        costUsd: 0,
        reviews: [],
      };
    });
    for (const [shard, part] of Map.groupBy(lines, ({ run }) => ledgerShardOf(run)))
      await ledgerStub(env, shard).append(jsonOf(part.map((summary) => ({ events: [], summary }))));
    return lines;
  };

  const walk = async (query: Record<string, string>): Promise<readonly Line[]> => {
    const seen: Line[] = [];
    let next: string | null = null;
    do {
      const after: Record<string, string> = next === null ? {} : { after: next };
      const page: Page = await adminJson<Page>(`/runs?${new URLSearchParams({ ...query, ...after })}`);
      expect(page.runs.length).toBeLessThanOrEqual(Number(query["limit"]));
      seen.push(...page.runs);
      ({ next } = page);
    } while (next !== null);
    return seen;
  };

  test("are listed page by page, newest first, each once, also where many began in one millisecond", async () => {
    const lines = await write(240);
    const seen = await walk({ limit: "70" });
    expect(seen.map(({ id }) => id).toSorted()).toEqual(lines.map(({ run }) => run).toSorted());
    expect(seen.map(({ at }) => at)).toEqual(
      seen
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    const failed = lines.filter(({ state, server }) => state === "failed" && server === "even").map(({ run }) => run);
    expect((await walk({ state: "failed", server: "even", limit: "10" })).map(({ id }) => id).toSorted()).toEqual(failed.toSorted());
    const since = lines[120]?.createdAt ?? 0;
    const late = lines.filter(({ createdAt }) => createdAt >= since).map(({ run }) => run);
    expect((await walk({ since: new Date(since).toISOString(), limit: "50" })).map(({ id }) => id).toSorted()).toEqual(late.toSorted());
  });
});
