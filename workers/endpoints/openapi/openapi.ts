// GET /openapi.json: the HTTP contract that exists now, as OpenAPI 3.1, made from the list of operations.

import { Hono } from "hono";
import * as z from "zod";
import { answerJsonSchema } from "../../../shared/wire/control/answer-schema.ts";
import { envelopeJsonSchema } from "../../../shared/wire/control/envelope-schema.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { endStates, openStates } from "../../../shared/record/record.ts";
import { policyJsonSchema } from "../../../shared/policy/rules.ts";
import { issuersJsonSchema } from "../../../shared/credential/issuers.ts";
import { serversJsonSchema } from "../../../shared/relay/servers.ts";
import { routingJsonSchema } from "../../../shared/routing/table.ts";
import { keyRequestSchema } from "../../stores/keys.ts";
import { paths } from "../../platform/urls.ts";
import type { App } from "../context.ts";
import { type Answer, type Auth, type Body, type Operation, type SchemaName, operations } from "./operations.ts";

export const openapiRoutes = new Hono<App>();

let made: string | undefined;

openapiRoutes.get(paths.openapi, (c) => {
  made ??= JSON.stringify(openapi());
  return c.body(made, 200, { "Content-Type": "application/json" });
});

const version = "0.1.0";

/** The description. Paths are relative: the address is wherever it was read. */
export function openapi(): JsonObject {
  const byPath: JsonObject = {};
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    byPath[path] = { ...(byPath[path] as JsonObject | undefined), [operation.method]: describe(operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Countersign", version, description: "MCP sampling at the edge, with a person's countersignature." },
    paths: byPath,
    components: {
      securitySchemes: {
        key: { type: "http", scheme: "bearer", description: "An API key" },
        keyHeader: {
          type: "apiKey",
          in: "header",
          name: "X-Countersign-Key",
          description: "An API key, where Authorization is an upstream's",
        },
        token: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "JWT",
          description: "A token of a configured issuer. Like a key it may stand in the envelope's `auth` instead",
        },
        admin: { type: "http", scheme: "bearer", description: "ADMIN_TOKEN" },
      },
      schemas: schemas(),
    },
  };
}

const security: Readonly<Record<Auth, JsonObject[]>> = {
  key: [{ key: [] }, { keyHeader: [] }],
  control: [{ key: [] }, { token: [] }, { keyHeader: [] }, {}],
  admin: [{ admin: [] }],
  either: [{ key: [] }, { keyHeader: [] }, { admin: [] }],
  link: [],
  slack: [],
  none: [],
};

function describe({ id, summary, auth, parameters = [], body, answers, otherwise }: Operation): JsonObject {
  return {
    operationId: id,
    summary,
    security: security[auth],
    parameters: parameters.map(({ required = false, schema = { type: "string" }, ...rest }) => ({ ...rest, required, schema })),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf([body]) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)])),
      ...(otherwise === undefined ? {} : { default: responseOf(otherwise) }),
    },
  };
}

function responseOf({ description, bodies = [], headers = {} }: Answer): JsonObject {
  const named = Object.entries(headers).map(([name, text]) => [name, { description: text, schema: { type: "string" } }]);
  return {
    description,
    ...(named.length === 0 ? {} : { headers: Object.fromEntries(named) as JsonObject }),
    ...(bodies.length === 0 ? {} : { content: contentOf(bodies) }),
  };
}

const contentOf = (bodies: readonly Body[]): JsonObject =>
  Object.fromEntries(
    bodies.map(({ type, schema }) => [
      type,
      { schema: schema === undefined ? { type: "string" } : { $ref: `#/components/schemas/${schema}` } },
    ]),
  );

const text = { type: "string" };
const integer = { type: "integer" };
const number = { type: "number" };
const time = { type: "string", format: "date-time" };
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
const ofKey = { id: text, name: text, createdAt: time };
const runLine = {
  id: text,
  state: { enum: [...openStates, ...endStates] },
  server: orNull("string"),
  tool: orNull("string"),
  key: text,
  model: orNull("string"),
  at: time,
  endedAt: { ...time, ...orNull("string") },
  cause: orNull("string"),
  usage: record({ inputTokens: integer, outputTokens: integer, costUsd: number }),
};

/** A document's own schema is draft 2020-12, which is OpenAPI 3.1's too; the name of its dialect stands once, at the top. */
function inside({ $schema: _dialect, $id: _address, ...schema }: JsonObject): JsonObject {
  return schema;
}

function schemas(): Record<SchemaName, JsonObject> {
  return {
    RpcRequest: record({ jsonrpc: { const: "2.0" }, method: text }, { id: rpcId, params: { type: "object" } }),
    RpcAnswer: {
      ...record({ jsonrpc: { const: "2.0" } }, { id: rpcId, result: { type: "object" }, error: rpcError }),
      oneOf: [{ required: ["id", "result"] }, { required: ["error"] }],
    },
    Problem: record({ error: text }, { details: { anyOf: [pointed, { type: "object" }] } }),
    Run: record(
      {
        id: text,
        state: text,
        status: { enum: ["working", "completed", "failed", "cancelled"] },
        server: text,
        name: text,
        createdAt: time,
        updatedAt: time,
      },
      { result: { type: "object" }, error: rpcError },
    ),
    RunList: record({ runs: list(record(runLine)), next: orNull("string") }),
    OperatorRun: record({ ...runLine, updatedAt: time, answered: { type: "boolean" } }),
    KeyRequest: inside(JSON.parse(JSON.stringify(z.toJSONSchema(keyRequestSchema, { io: "input" }))) as JsonObject), // a schema is JSON
    NewKey: record({ ...ofKey, key: text }, { expiresAt: time }),
    KeyList: record({ keys: list(record({ ...ofKey, revokedAt: { ...time, ...orNull("string") } }, { expiresAt: time })) }),
    NoticeList: record({
      notices: list(
        record(
          {
            at: time,
            channel: text,
            reviewer: text,
            run: text,
            gate: { enum: ["request", "response"] },
            link: orNull("string"),
            state: text,
          },
          { fault: text },
        ),
      ),
    }),
    GrantList: record({
      grants: list(
        record({
          id: text,
          key: text,
          gate: { enum: ["request", "response"] },
          scope: record({ kind: { enum: ["session", "server", "key"] } }, { session: text, server: text }),
          what: { enum: ["exact", "shape"] },
          by: text,
          run: text,
          rule: text,
          riskAtMost: { enum: ["none", "low", "medium", "high"] },
          charactersAtMost: integer,
          maxTokensAtMost: integer,
          state: { enum: ["live", "usedUp", "expired", "revoked"] },
          givenAt: time,
          expiresAt: time,
          usesGiven: integer,
          usesLeft: integer,
          spendLeftUsd: number,
          lastUsedAt: { ...time, ...orNull("string") },
          revokedAt: { ...time, ...orNull("string") },
        }),
      ),
      next: orNull("string"),
    }),
    Health: record({ status: { enum: ["ok", "degraded", "down"] }, problems: list(text) }),
    Diagnosis: record({
      checks: list(record({ check: text, state: { enum: ["good", "note", "mend"] }, text })),
      publicUrl: orNull("string"),
    }),
    Versions: record({ versions: list(record({ version: integer, at: time })) }),
    Routing: inside(routingJsonSchema()),
    Policy: inside(policyJsonSchema()),
    Servers: inside(serversJsonSchema()),
    Issuers: inside(issuersJsonSchema()),
    // One schema has every version's members; each version's own is at its address.
    Envelope: inside(envelopeJsonSchema("2.1") ?? {}),
    ControlAnswer: inside(answerJsonSchema),
    Document: record({ version: integer }),
    JsonSchema: { type: "object" },
    Conflict: record({ error: text, current: record({ version: integer }) }),
    CutOff: record({ error: text, keys: list(record({ id: text, name: text, owner: orNull("string"), rule: text })) }),
    ExplainRequest: {
      type: "object",
      properties: {
        preferences: { type: "object" },
        params: { type: "object" },
        namedModel: record({ name: text }, { version: text, provider: text }),
        task: { type: "string", enum: ["chat", "embedding"] },
        server: text,
        key: record({ id: text, name: text }),
      },
      additionalProperties: false,
    },
    Explanation: { type: "object" },
    OpenApi: record({ openapi: text, info: { type: "object" }, paths: { type: "object" }, components: { type: "object" } }),
  };
}
