// A gateway with CONTENT_KEY: what is stored after every way through it, and what becomes of a run
// whose key is gone.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { ContentSeal } from "../../../workers/objects/content-seal.ts";
import { BridgeTables } from "../../../workers/objects/bridge/bridge-tables.ts";
import { jsonOf } from "../../../shared/json/json-of.ts";
import { newCall, step } from "../../../shared/relay/call.ts";
import { CallTables, type StoredCall } from "../../../workers/objects/call/call-tables.ts";
import { SessionTables } from "../../../workers/objects/session/session-tables.ts";
import { ObjectTables } from "../../../workers/objects/object-tables.ts";
import { bridgeSchema } from "../../../workers/objects/schema/bridge-schema.ts";
import { callSchema } from "../../../workers/objects/schema/call-schema.ts";
import { sessionSchema } from "../../../workers/objects/schema/session-schema.ts";
import { crash, recordWith, stubOf, tablesIn } from "../objects/inside.ts";
import { cached, filled } from "../support/cached.ts";
import { asked as askedControl, gates, textEnvelope } from "../support/control.ts";
import {
  answerOf,
  configure,
  env,
  errorOf,
  eventually,
  gateway,
  model,
  openNotice,
  policy,
  runOf,
  runReaches,
  sample,
} from "../support/gateway.ts";
import { decide, pathOf, press } from "../support/reviewer.ts";
import { idsOf } from "../support/scope.ts";

/** In every text that a test sends, or has a model or a reviewer write. */
const mark = "Zebra-Quartz";
const params = { messages: [{ role: "user", content: { type: "text", text: `${mark} of the prompt` } }], systemPrompt: `${mark} system` };
const said = { text: `${mark} of the reply` };

const namespaces = () => ({
  SESSION: env.SESSION,
  KEY: env.KEY,
  RUN: env.RUN,
  CONFIGURATION: env.CONFIGURATION,
  LEDGER: env.LEDGER,
  CACHE: env.CACHE,
  CONVERSATION: env.CONVERSATION,
  CALL: env.CALL,
  BRIDGE: env.BRIDGE,
  DIGEST: env.DIGEST,
  INBOX: env.INBOX,
  BUDGET: env.BUDGET,
  STOP: env.STOP,
  TOOL_DEFINITIONS: env.TOOL_DEFINITIONS,
  OAUTH_STORE: env.OAUTH_STORE,
  ALERTS: env.ALERTS,
});

const encodings = ["utf8", "utf16le", "base64", "latin1"] as const;
const shows = (value: unknown): boolean => {
  if (typeof value === "string") return value.includes(mark) || Buffer.from(value, "base64").toString("latin1").includes(mark);
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value instanceof ArrayBuffer ? value : value.buffer);
    return encodings.some((encoding) => bytes.toString(encoding).includes(mark));
  }
  return JSON.stringify(value ?? null).includes(mark);
};

/**
 * Where the mark stands in plain text, in any column of any table or value of any object; and how
 * many sealed values there are.
 */
async function stored(): Promise<{ readonly plain: string[]; readonly sealed: number }> {
  const plain: string[] = [];
  let sealed = 0;
  for (const [name, namespace] of Object.entries(namespaces())) {
    const any = namespace as DurableObjectNamespace;
    for (const id of await idsOf(any)) {
      await runInDurableObject(any.get(id), async (_, state) => {
        for (const [table, rows] of Object.entries(tablesIn(state.storage)))
          for (const row of rows)
            for (const [column, value] of Object.entries(row)) {
              if (shows(value)) plain.push(`${name}.${table}.${column}`);
              if (value instanceof ArrayBuffer && new Uint8Array(value)[0] === 1) sealed += 1;
            }
        for (const [key, value] of state.storage.kv.list()) if (shows(value)) plain.push(`${name} ${key}`);
      });
    }
  }
  return { plain, sealed };
}

const expectSealed = async (least: number): Promise<void> => {
  const { plain, sealed } = await stored();
  expect(plain).toEqual([]);
  expect(sealed).toBeGreaterThanOrEqual(least);
};

describe("nothing is stored as plain text", () => {
  test("of a request that is answered at once, and its repeat gets the reply", async () => {
    model.script(said);
    const [one, same] = [await answerOf(sample({ id: "same", params })), sample({ id: "same", params })];
    expect(one.result).toMatchObject({ content: said });
    await eventually("the outcome", async () => (await stored()).sealed > 0);
    await expectSealed(1);
    expect((await answerOf(same)).result).toEqual(one.result);
    expect(model.calls).toHaveLength(1);
  });

  test("of a run that waits, is edited at both gates, crashes in between, and is delivered", async () => {
    const waiting = answerOf(sample({ server: "any", params }));
    const { run } = await openNotice("request");
    await expectSealed(1);
    await crash();
    model.script(said);
    await decide("request", "approve", run, (fields) => fields.set("edit:/systemPrompt", `${mark} edited`));
    await openNotice("response", run);
    await expectSealed(3);
    await decide("response", "approve", run, (fields) => fields.set("edit:/content/0/text", `${mark} edited too`));
    expect((await waiting).result).toMatchObject({ content: { text: `${mark} edited too` } });
    expect(JSON.stringify(model.calls[0]?.body)).toContain(`${mark} edited`);
    await recordWith(run, "finished");
    await expectSealed(5);
  });

  test("of a reply that a reviewer writes, of a reason, and of a task", async () => {
    void sample({ server: "request-gate", params });
    const written = await openNotice("request");
    await press(written.link, "answer", (fields) => fields.set("answer", `${mark} written`));
    await recordWith(written.run, "finished");
    const denied = errorOf(sample({ server: "reason-told", params }));
    const notice = await openNotice("request");
    await press(notice.link, "deny", (fields) => fields.set("reason", `${mark} no`));
    expect((await denied).data?.["reason"]).toBe(`${mark} no`);
    await answerOf(sample({ server: "open", params: { ...params, task: { ttl: 60_000 } } }));
    await expectSealed(3);
  });

  test("of the control endpoint's cache and conversation, which are read again", async () => {
    await gates();
    model.script(said, said, said);
    const context = { session_id: "s", remember: { ttl: 600 } };
    await filled(() => cached({ task: { type: "text_generation", parameters: { prompt: `${mark} cached` } } }));
    await askedControl(textEnvelope({ prompt: `${mark} first` }, { context }));
    await askedControl(textEnvelope({ prompt: `${mark} second` }, { context }));
    expect(JSON.stringify(model.calls.at(-1)?.body)).toContain(`${mark} first`);
    await expectSealed(2);
  });

  test("of what is kept of an MCP server's calls, sessions, instructions and arguments in flight", async () => {
    const text = jsonOf({ note: mark });
    const inside = async (
      namespace: DurableObjectNamespace,
      work: (storage: DurableObjectStorage, seal: ContentSeal) => void,
    ): Promise<void> => {
      const id = namespace.newUniqueId();
      await runInDurableObject(namespace.get(id), (_, state) => work(state.storage, new ContentSeal(env, id.toString())));
    };
    await inside(env.CALL, (storage, seal) => {
      const tables = new CallTables(storage.sql, new ObjectTables(storage, callSchema), seal);
      const start = {
        keyId: "k",
        server: "notes",
        method: "tools/call",
        name: "t",
        attempt: "a",
        ours: ["sampling/createMessage"],
        mostRounds: 5,
      } as const;
      const begun = newCall({ server: "rounds", mostAsked: 5, ours: ["sampling/createMessage"] });
      const { state } = step(begun, { kind: "asked", questions: [{ key: "key", method: "elicitation/create" }] });
      tables.insert(
        { ...start, rest: text, headers: [["mcp-param-note", mark]], round: jsonOf({ requests: [], state: mark }) },
        state,
        Date.now() + 60_000,
      );
      const call = tables.call("a", Date.now()) as StoredCall;
      tables.save(call, { kind: "answered", round: 1, key: "key", by: "client" }, state, text, Date.now() + 60_000);
      expect(JSON.stringify(call.headers)).toContain(mark);
      expect([tables.text("a", "rest"), ...tables.answers(call).values()]).toEqual([text, text]);
    });
    await inside(env.BRIDGE, (storage, seal) => {
      const tables = new BridgeTables(storage.sql, new ObjectTables(storage, bridgeSchema), seal);
      const row = {
        id: "s",
        revision: "2025-11-25",
        server: "notes",
        key: "{}",
        client: jsonOf({ capabilities: {}, clientInfo: null }),
        own_credential: 0,
        log_level: null,
        event_id: null,
      };
      tables.begin({ ...row, used_at: Date.now() }, text);
      tables.writeText("c", "k", text);
      tables.writeText("c", "answer", text);
      expect([tables.initialized(), tables.text("c", "k"), tables.text("c", "answer")]).toEqual([text, text, text]);
    });
    await inside(env.SESSION, (storage, seal) => {
      const tables = new SessionTables(storage, new ObjectTables(storage, sessionSchema), seal);
      tables.create();
      tables.keepInstructions(text, Date.now());
      expect(tables.instructions()).toBe(text);
      const named = jsonOf({ id: 1, method: "tools/call", name: mark });
      expect(tables.openNamed(tables.sealNamed(named, "1"), "1")).toBe(named);
      expect(tables.sealNamed(named, "1")).not.toContain(mark);
    });
    await inside(env.RUN, (storage) => void storage);
    const parked = env.RUN.get(env.RUN.newUniqueId());
    await parked.park(text);
    await expectSealed(7);
    expect(await parked.takeParked()).toBe(text);
  });
});

/** As if the key had been replaced: what is stored names a key that is not set. */
const loseKey = (run: string): Promise<void> =>
  runInDurableObject(stubOf(run), (_, { storage }) => {
    for (const { name, part, text } of storage.sql
      .exec<{ name: string; part: number; text: ArrayBuffer | string }>("SELECT name, part, text FROM content")
      .toArray()) {
      if (typeof text === "string") continue;
      const bytes = new Uint8Array(text.slice(0));
      bytes[1] = (bytes[1] ?? 0) ^ 0xff;
      storage.sql.exec("UPDATE content SET text = ? WHERE name = ? AND part = ?", bytes, name, part);
    }
  });

describe("a run whose key is gone", () => {
  test.each(["request-gate", "response-gate"])(
    "ends as failed with its reason: nothing is sent or delivered, and nothing of it is stored (%s)",
    async (server) => {
      model.script(said);
      const waiting = errorOf(sample({ server, params }));
      const { run, link } = await openNotice(server === "request-gate" ? "request" : "response");
      const calls = model.calls.length;
      await loseKey(run);
      await crash();
      await runReaches(run, "failed");
      expect(await waiting).toMatchObject({ code: -32603, data: { quote: run } });
      const events = await recordWith(run, "finished");
      expect(events.map(({ fact }) => fact.kind)).toContain("contentUnreadable");
      expect(model.calls).toHaveLength(calls);
      expect((await gateway(pathOf(link), { key: null })).status).toBe(404);
      const { plain } = await stored();
      expect(plain).toEqual([]);
      const line = await (
        await gateway(`/admin/runs/${run}`, { headers: { Authorization: `Bearer ${env.ADMIN_TOKEN ?? ""}` } })
      ).json<{ cause: string }>();
      expect(line.cause).toContain("CONTENT_KEY");
    },
  );

  test("and that has ended already has no reply any more", async () => {
    model.script(said);
    await configure("policy", policy);
    const made = await answerOf(sample({ server: "open", params: { ...params, task: { ttl: 60_000 } } }));
    const run = (made.result as { readonly task: { readonly taskId: string } } | undefined)?.task.taskId ?? "";
    await runReaches(run, "completed");
    await loseKey(run);
    await crash();
    const after = await runOf(run);
    expect(JSON.stringify(after)).not.toContain(mark);
    expect(after.result).toBeUndefined();
  });
});
