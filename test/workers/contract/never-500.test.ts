// Whatever is sent, the gateway never answers with a fault of its own and never leaves a caller
// hanging.

import * as fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import {
  admin,
  adminToken,
  configure,
  createKey,
  gateway,
  jsonBody,
  openNotice,
  policy,
  publicUrl,
  sample,
  samplingMessage,
} from "../support/gateway.ts";
import { formOf, nonceFor, pathOf } from "../support/reviewer.ts";
import { loggedLines } from "../support/logs.ts";
import { wholeOr } from "../support/whole.ts";

const runs = { numRuns: wholeOr(150, 30) };
let key: string;

beforeEach(async () => {
  // Without a gate nothing waits for a person; without limits nothing is refused before it is read.
  await configure("policy", { ...policy, rules: [], default: { ...policy.default, request: "allow", response: "allow" } });
  ({ key } = await createKey({
    limits: { requestsPerMinute: 100_000, concurrent: 10_000, roundsPerOriginatingRequest: 10_000, bodyBytes: 100_000 },
  }));
});

afterAll(() => {
  expect(loggedLines().filter((line) => /request\.failed|effectFailed|alarmFailed/.test(line))).toEqual([]);
});

/**
 * A caller that is left hanging never gets an answer: the end is far off, so that a busy machine is
 * none.
 */
const deadlineMs = 45_000;

/** The answer, which came in time, is no fault of ours, and is JSON where it says so. */
async function answered(response: Promise<Response>): Promise<Response> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer")), deadlineMs);
  });
  try {
    const answer = await Promise.race([response, late]);
    const text = await Promise.race([answer.clone().text(), late]);
    expect(answer.status).toBeLessThan(500);
    if (text !== "" && answer.headers.get("Content-Type")?.startsWith("application/json") === true) {
      const body = JSON.parse(text) as { error?: { code?: number } };
      expect(body.error?.code).not.toBe(-32603);
    }
    return answer;
  } finally {
    clearTimeout(timer);
  }
}

const send = (body: BodyInit, headers: Record<string, string> = {}): Promise<Response> =>
  gateway("/sampling", { method: "POST", body, key, headers: { "Content-Type": "application/json", ...headers } });

/**
 * Visible ASCII and spaces: workerd writes a line of its own about every header with anything else.
 */
const headerText = fc.string({ maxLength: 60 });
const anyText = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ maxLength: 200 }));
const anyJson = fc.jsonValue({ maxDepth: 5 });

test("any JSON value as body", async () => {
  await fc.assert(
    fc.asyncProperty(anyJson, async (value) => void (await answered(send(JSON.stringify(value))))),
    runs,
  );
});

test("any text and any bytes as body", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(anyText, fc.uint8Array({ maxLength: 200 })),
      async (body) => void (await answered(send(typeof body === "string" ? body : new Uint8Array(body)))),
    ),
    runs,
  );
});

const method = fc.oneof(
  fc.constantFrom("sampling/createMessage", "tasks/get", "tasks/result", "tasks/cancel", "notifications/cancelled"),
  fc.string(),
);
const id = fc.oneof(
  fc.integer(),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom(0, -0, 1e21, Number.MAX_SAFE_INTEGER, "", "__proto__"),
  anyJson,
);

test("any id, any method and any params in a well-formed message", async () => {
  await fc.assert(
    fc.asyncProperty(
      id,
      method,
      anyJson,
      async (id, method, params) => void (await answered(send(JSON.stringify({ jsonrpc: "2.0", id, method, params })))),
    ),
    runs,
  );
});

const names = [
  "messages",
  "maxTokens",
  "systemPrompt",
  "temperature",
  "stopSequences",
  "metadata",
  "modelPreferences",
  "tools",
  "toolChoice",
  "includeContext",
  "task",
  "_meta",
  "__proto__",
];
const content = fc.oneof(
  fc.record({ type: fc.constant("text"), text: anyText }),
  fc.record({
    type: fc.constantFrom("image", "audio"),
    data: fc.base64String(),
    mimeType: fc.constantFrom("image/png", "audio/wav", "x/y"),
  }),
  fc.record({
    type: fc.constant("tool_use"),
    id: fc.string(),
    name: fc.string(),
    input: fc.oneof(fc.dictionary(fc.string(), anyJson), anyJson),
  }),
  anyJson,
);
const message = fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.oneof(content, fc.array(content, { maxLength: 3 })) });

test("good params with any one member replaced, or any conversation in them", async () => {
  const change = fc.oneof(
    fc.tuple(fc.constantFrom(...names), anyJson).map(([name, value]) => ({ [name]: value })),
    fc.record({ messages: fc.array(message, { maxLength: 4 }) }),
    fc.record({
      maxTokens: fc.oneof(fc.integer(), fc.double()),
      temperature: fc.double(),
      stopSequences: fc.array(fc.string()),
      metadata: fc.dictionary(fc.string(), anyJson),
    }),
    fc.record({
      modelPreferences: fc.record({ hints: fc.array(fc.record({ name: anyText })), costPriority: fc.double({ min: 0, max: 1 }) }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(change, fc.boolean(), async (change, asTask) => {
      const { params, ...rest } = samplingMessage();
      await answered(send(JSON.stringify({ ...rest, params: { ...params, ...(asTask ? { task: {} } : {}), ...change } })));
    }),
    runs,
  );
});

test("any metadata beside good params", async () => {
  const member = fc.oneof(anyJson, anyText);
  const meta = fc.record(
    {
      "countersign/session": member,
      "countersign/originatingRequest": fc.oneof(
        anyJson,
        fc.record({ id: member, method: fc.constantFrom("tools/call", "x"), name: member, server: member }),
      ),
      progressToken: member,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(meta, async (meta) => void (await answered(send(JSON.stringify(samplingMessage({ meta })))))),
    runs,
  );
});

test("any headers beside a good request", async () => {
  const headers = fc.record(
    {
      Accept: headerText,
      Prefer: headerText,
      "X-Countersign-Key": headerText,
      "Content-Type": fc.oneof(headerText, fc.constant("application/json")),
      Origin: headerText,
      "If-Match": headerText,
      "Sec-Fetch-Site": headerText,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(headers, async (headers) => void (await answered(send(JSON.stringify(samplingMessage()), headers)))),
    runs,
  );
});

test("a header in Latin-1", async () => {
  for (const name of ["Authorization", "Accept", "Prefer", "X-Countersign-Key", "Content-Type"])
    await answered(send(JSON.stringify(samplingMessage()), { [name]: "B\u00e9arer \u00ff" }));
});

test("any Authorization", async () => {
  await fc.assert(
    fc.asyncProperty(
      headerText,
      async (text) =>
        void (await answered(
          gateway("/sampling", {
            method: "POST",
            body: "{}",
            key: null,
            headers: { "Content-Type": "application/json", Authorization: text },
          }),
        )),
    ),
    runs,
  );
});

const segment = fc.oneof(
  fc.constantFrom(
    "sampling",
    "sessions",
    "requests",
    "runs",
    "r",
    "admin",
    "policy",
    "routing",
    "servers",
    "keys",
    "versions",
    "restore",
    "schema",
    "explain",
    "notices",
    "record",
    "healthz",
    "openapi.json",
    "%",
    "%00",
    "%E0%A4%A",
    "..",
    "1",
    "7",
    "%22a%22",
  ),
  fc.string({ maxLength: 20 }).map(encodeURIComponent),
  fc.string({ unit: "grapheme", maxLength: 10 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const verb = fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS");
const query = fc.dictionary(fc.constantFrom("server", "limit", "before", "state", "key", "x"), fc.string({ maxLength: 20 }), {
  maxKeys: 3,
});

test("any method on any path, with any key, query and body", async () => {
  await fc.assert(
    fc.asyncProperty(
      verb,
      fc.array(segment, { maxLength: 6 }),
      query,
      fc.constantFrom("key", "admin", "none"),
      fc.oneof(
        anyJson.map((value) => ({ text: JSON.stringify(value), isJson: true })),
        anyText.map((text) => ({ text, isJson: false })),
      ),
      async (verb, path, query, who, body) => {
        const withBody = verb !== "GET" && verb !== "HEAD";
        await answered(
          gateway(`/${path.join("/")}?${new URLSearchParams(query).toString()}`, {
            method: verb,
            key: { key, admin: adminToken, none: null }[who],
            ...(withBody ? { body: body.text } : {}),
            headers: body.isJson ? { "Content-Type": "application/json", "If-Match": "1" } : {},
          }),
        );
      },
    ),
    { numRuns: wholeOr(400, 80) },
  );
});

test("any JSON to the operator's endpoints", async () => {
  const endpoint = fc.constantFrom(["POST", "/keys"], ["PUT", "/policy"], ["PUT", "/routing"], ["POST", "/routing/explain"]);
  await fc.assert(
    fc.asyncProperty(
      endpoint,
      fc.oneof(
        anyJson,
        fc.dictionary(fc.constantFrom("name", "rules", "default", "models", "providers", "reviewers", "params", "preferences"), anyJson),
      ),
      async ([verb, path], body) => {
        await answered(admin(path ?? "", jsonBody(verb ?? "", body, { "If-Match": "1" })));
      },
    ),
    runs,
  );
});

test("any fields in a form that a link's page could have sent", async () => {
  await configure("policy", policy);
  void sample({ server: "notes" });
  const { link } = await openNotice("request");
  const good = await formOf(link);
  const names = [...good.keys()];
  const fields = fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(
          ...names,
          "act",
          "reason",
          "model",
          "edit:/maxTokens",
          "edit:/messages/0/content/0/text",
          "edit:/__proto__/x",
          "edit:",
        ),
        anyText,
      ),
      fc.oneof(anyText, fc.constantFrom("approve:0", "approve:1", "deny", "preview", "1")),
    ),
    { maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(fields, fc.boolean(), async (changes, whole) => {
      const form = new URLSearchParams(good);
      form.set("nonce", nonceFor(link, form, 5_000));
      form.set("act", "preview");
      for (const [name, value] of changes) {
        const text = value.toWellFormed();
        if (whole) form.set(name.toWellFormed(), text);
        else form.append(name.toWellFormed(), text);
      }
      if (form.get("act")?.startsWith("approve") || form.get("act") === "deny") form.set("version", "9");
      await answered(
        gateway(pathOf(link), {
          method: "POST",
          key: null,
          body: form.toString(),
          headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: publicUrl },
        }),
      );
    }),
    runs,
  );
});
