// The JSON bodies that the description names, as schemas of OpenAPI 3.1. A document's is the one
// that it is validated against.

import * as z from "zod";
import { answerJsonSchema } from "../../../shared/wire/control/answer-schema.ts";
import { envelopeJsonSchema } from "../../../shared/wire/control/envelope-schema.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { tallySchema } from "../../../shared/record/replay-tally.ts";
import { endStates, openStates } from "../../../shared/record/record.ts";
import { usageOutcomes } from "../../../shared/record/usage.ts";
import { policyJsonSchema } from "../../../shared/policy/rules.ts";
import { budgetsJsonSchema } from "../../../shared/budget/budgets.ts";
import { issuersJsonSchema } from "../../../shared/credential/issuers.ts";
import { serversJsonSchema } from "../../../shared/relay/servers.ts";
import { routingJsonSchema } from "../../../shared/routing/table.ts";

const text = { type: "string" };
const timeOrNull = { type: ["string", "null"], format: "date-time" };
const integer = { type: "integer" };
const number = { type: "number" };
const time = { type: "string", format: "date-time" };
const each = (type: JsonObject, ...names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, type]));
const orNull = (type: string): JsonObject => ({ type: [type, "null"] });
const list = (items: JsonObject): JsonObject => ({ type: "array", items });
const record = (properties: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
});

const rpcId = { type: ["string", "integer"] };
const rpcError = record({ code: integer, message: text }, { data: { type: "object" } });
const pointed = list(record({ pointer: text, message: text }));
const operator = record({ kind: { enum: ["adminToken", "access"] } }, { fingerprint: text, email: text });
const keyCutOff = record({ id: text, name: text, owner: orNull("string"), rule: text });
const ofKey = { id: text, name: text, createdAt: time };
const runLine = {
  ...each(text, "id", "key"),
  ...each(orNull("string"), "server", "tool", "model", "cause", "rule"),
  causeFacts: orNull("object"),
  review: {
    anyOf: [
      record({ ...each(list(text), "people", "by"), ...each(integer, "votes", "quorum", "edits", "waitedMs"), askedAt: time }),
      { type: "null" },
    ],
  },
  state: { enum: [...openStates, ...endStates] },
  at: time,
  endedAt: timeOrNull,
  usage: record(
    { inputTokens: integer, outputTokens: integer, costUsd: number },
    { cachedInputTokens: integer, cacheWriteTokens: integer },
  ),
};

const budgetLine = record({
  budget: text,
  part: orNull("string"),
  everything: { type: "boolean" },
  unit: { enum: ["usd", "tokens"] },
  per: { enum: ["day", "month"] },
  ...each(number, "limit", "spent", "reserved", "unaccounted", "usedPercent"),
  ...each(time, "since", "resetsAt"),
});
const usage = {
  requests: integer,
  outcomes: record(each(integer, ...usageOutcomes)),
  ...each(integer, "inputTokens", "outputTokens"),
  costUsd: number,
  ...each(orNull("integer"), "waitP50Ms", "waitP95Ms"),
};
const healthStatus = { enum: ["ok", "degraded", "down"] };
const healthOf = record({ status: healthStatus, problems: list(text) });
/** A sentence before it is in a language: what pages in other languages show. */
const phrase = record({ key: text }, { values: { type: "object" } });
const check = record({ check: text, state: { enum: ["good", "note", "fix"] }, text }, { title: phrase, says: phrase });
const diagnosed = list(check);

/**
 * A document's own schema is draft 2020-12, which is OpenAPI 3.1's too; the name of its dialect
 * stands once, at the top.
 */
function inside({ $schema: _dialect, $id: _address, ...schema }: JsonObject): JsonObject {
  return schema;
}

/**
 * The newest version has every version's members; each version's own schema is at
 * `/control/schema/`.
 */
function envelopeOfAnyVersion(): JsonObject {
  const schema = inside(envelopeJsonSchema("2.1") ?? {});
  const version = { type: "string", pattern: String.raw`^(?:1\.0|2\.(?:0|[1-9][0-9]{0,5}))$`, description: "The version of the protocol." };
  return {
    ...schema,
    title: "Model Control Protocol: request",
    properties: { ...(schema["properties"] as JsonObject), protocol_version: version },
  };
}

const answerSchema = (validator: z.ZodObject): JsonObject => inside(JSON.parse(JSON.stringify(z.toJSONSchema(validator))) as JsonObject);

/** A validator's input, before it fills in defaults. */
export const inputSchema = (validator: z.ZodObject): JsonObject =>
  inside(JSON.parse(JSON.stringify(z.toJSONSchema(validator, { io: "input" }))) as JsonObject); // a schema is JSON

export type SchemaName = keyof ReturnType<typeof schemas>;

/** Each by its name. Made when it is asked for, since some are large. */
export function schemas() {
  return {
    RpcRequest: record({ jsonrpc: { const: "2.0" }, method: text }, { id: rpcId, params: { type: "object" } }),
    RpcAnswer: {
      ...record({ jsonrpc: { const: "2.0" } }, { id: rpcId, result: { type: "object" }, error: rpcError }),
      oneOf: [{ required: ["id", "result"] }, { required: ["error"] }],
    },
    McpMessages: { type: ["object", "array"], description: "A JSON-RPC message; a batch of them where the revision has batches" },
    Problem: record({ error: text }, { details: { anyOf: [pointed, { type: "object" }] } }),
    Run: record(
      {
        ...each(text, "id", "state", "server", "name"),
        status: { enum: ["working", "completed", "failed", "cancelled"] },
        ...each(time, "createdAt", "updatedAt"),
      },
      { result: { type: "object" }, error: rpcError },
    ),
    RunList: record({ runs: list(record(runLine)), next: orNull("string") }),
    OperatorRun: record({ ...runLine, updatedAt: time, answered: { type: "boolean" } }),
    RunEvents: record({
      events: list(record({ ...each(text, "run", "hash"), seq: integer, at: time, fact: record({ kind: text }) })),
      next: orNull("integer"),
    }),
    NewKey: record({ ...ofKey, key: text }, { expiresAt: time }),
    KeyList: record({ keys: list(record({ ...ofKey, revokedAt: timeOrNull }, { expiresAt: time })) }),
    EndedSessions: record({ ended: integer }),
    NoticeList: record({
      notices: list(
        record(
          {
            at: time,
            ...each(text, "channel", "reviewer", "run", "state"),
            gate: { enum: ["request", "response"] },
            link: orNull("string"),
          },
          { fault: text },
        ),
      ),
    }),
    GrantList: record({
      grants: list(
        record({
          ...each(text, "id", "key", "by", "run", "rule"),
          gate: { enum: ["request", "response"] },
          scope: record(
            { kind: { enum: ["session", "tool", "server", "key"] } },
            { session: text, server: text, tool: { type: "object" } },
          ),
          what: { enum: ["exact", "shape"] },
          riskAtMost: { enum: ["none", "low", "medium", "high"] },
          ...each(integer, "charactersAtMost", "maxTokensAtMost", "usesGiven", "usesLeft"),
          state: { enum: ["live", "usedUp", "expired", "revoked"] },
          ...each(time, "givenAt", "expiresAt"),
          ...each(timeOrNull, "lastUsedAt", "revokedAt"),
          spendLeftUsd: number,
        }),
      ),
      next: orNull("string"),
    }),
    StopList: record({ stops: list(record({ scope: { enum: ["everything", "server", "key"] }, at: time }, { server: text, key: text })) }),
    Spend: record({ budgets: list(budgetLine) }),
    PolicyReplay: record({
      since: time,
      ...each(integer, "total", "read"),
      sum: answerSchema(tallySchema),
      next: orNull("string"),
    }),
    KeyUse: record({ keys: list(record({ id: text, lastUsedAt: timeOrNull, budgets: list(budgetLine) })) }),
    ActList: record({
      month: text,
      acts: list(record({ seq: integer, at: time, fact: record({ kind: text }) })),
      next: orNull("integer"),
    }),
    ActCheck: record({
      month: text,
      events: integer,
      issue: { enum: ["changed", "cutOff", "monthBefore", null] },
      at: orNull("integer"),
    }),
    ReviewerList: record({
      reviewers: list(
        record({
          name: text,
          groups: list(text),
          ...each(orNull("string"), "language", "room"),
          notify: { type: ["array", "null"], items: text },
          waiting: orNull("integer"),
          channels: list(record({ channel: text, address: orNull("string"), use: { enum: ["first", "then", "leftOut", "notSetUp"] } })),
        }),
      ),
      next: orNull("string"),
    }),
    ChannelTest: record({ state: text, text }),
    Sunset: record({
      isComplete: { type: "boolean" },
      servers: list(
        record({
          server: text,
          entry: { enum: ["none", "withoutV1Tokens", "withV1Tokens"] },
          ...each(timeOrNull, "firstAt", "lastAt"),
          requests: integer,
          v1: record({ requests: integer, lastAt: timeOrNull }),
          outcomes: { type: "object", additionalProperties: integer },
          broughtBy: list(record({ endpoint: { enum: ["sampling", "relay"] }, revision: text, requests: integer })),
          models: list(record({ model: text, requests: integer })),
          months: list(record({ month: text, requests: integer })),
          usage: record({ ...each(integer, "inputTokens", "outputTokens"), costUsd: number }),
          moving: list(text),
        }),
      ),
      next: orNull("string"),
    }),
    Usage: record({
      by: { enum: ["server", "model", "key", "day", "hour"] },
      ...each(time, "since", "until"),
      isComplete: { type: "boolean" },
      rows: list(record({ name: orNull("string"), isRest: { type: "boolean" }, ...usage })),
      total: record(usage),
      next: orNull("string"),
    }),
    Overview: record({
      ...each(time, "since", "until"),
      step: { enum: ["hour", "day"] },
      ...each({ type: "boolean" }, "isComplete", "isEmpty", "moreBudgets"),
      open: record({
        ...each(integer, "requests", "waiting"),
        isPartial: { type: "boolean" },
        oldestAt: timeOrNull,
        firstDue: { anyOf: [record({ id: text, ...each(orNull("string"), "server", "tool"), expiresAt: time }), { type: "null" }] },
      }),
      ...each(record(usage), "total", "before"),
      steps: list(record({ at: time, ...usage })),
      spend: record({ since: time, days: list(record({ day: { type: "string", format: "date" }, costUsd: number })) }),
      budgets: list(budgetLine),
      health: record({
        status: healthStatus,
        problems: list(text),
        issues: list(record({ text }, { says: phrase })),
        failures: record({
          since: time,
          requests: integer,
          isPartial: { type: "boolean" },
          by: list(
            record({
              ...each(orNull("string"), "provider", "model"),
              requests: integer,
              servers: list(text),
              lastAt: time,
              cause: text,
              causeFacts: { type: "object" },
            }),
          ),
        }),
      }),
    }),
    Health: healthOf,
    LastDiagnosis: record({
      at: timeOrNull,
      documents: list(record({ document: text, ...each(integer, "checked", "current") })),
      checks: diagnosed,
    }),
    Diagnosis: record({
      checks: diagnosed,
      publicUrl: orNull("string"),
    }),
    Versions: record({
      versions: list(record({ version: integer, at: time, by: operator, restored: orNull("integer") })),
    }),
    DocumentCheck: record({ valid: { type: "boolean" }, details: pointed }, { keysCutOff: list(keyCutOff) }),
    DoctorCheck: check,
    Routing: inside(routingJsonSchema()),
    Policy: inside(policyJsonSchema()),
    Servers: inside(serversJsonSchema()),
    Issuers: inside(issuersJsonSchema()),
    Budgets: inside(budgetsJsonSchema()),
    Envelope: envelopeOfAnyVersion(),
    ControlAnswer: inside(answerJsonSchema),
    Document: record({ version: integer }),
    JsonSchema: { type: "object" },
    JsonObject: { type: "object" },
    OpenAIError: record({ error: record({ message: text, type: text, param: orNull("string"), code: text }) }),
    Token: record({
      token: text,
      baseUrl: orNull("string"),
      expiresAt: time,
      models: { type: ["array", "null"], items: text },
      maxUsd: number,
    }),
    Conflict: record({ error: text, current: record({ version: integer }) }),
    CutOff: record({ error: text, keys: list(keyCutOff) }),
    Explanation: { type: "object" },
    ReadyProviders: record({
      tableVersion: integer,
      providers: list(record({ provider: text, reason: orNull("string"), missing: orNull("string") })),
    }),
    OpenApi: record({ openapi: text, info: { type: "object" }, paths: { type: "object" }, components: { type: "object" } }),
  } satisfies Record<string, JsonObject>;
}
