// GET /openapi.json: the HTTP contract as OpenAPI 3.1, made from the routes; GET /openapi: the same
// for people.

import type { Hono } from "hono";
import type { JsonObject } from "../../../shared/encoding.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import type { App } from "../app-context.ts";
import { answerPage } from "../page-answer.ts";
import * as z from "zod";
import { type NamedSchema, named } from "../answer-schema.ts";
import { asJson, asPage, asText } from "./answers.ts";
import { type Answer, type Auth, type Body, describe } from "./describe.ts";
import { examples } from "./examples.ts";
import { inside, jsonSchemaOf } from "./json-schema.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { tagList, tagOf } from "./tags.ts";
import { version } from "../../platform/version.ts";

const openapiAnswer = named("OpenApi", () =>
  z.object({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}), components: z.looseObject({}) }),
);

const describeJson = describe("openapi", {
  summary: "The operations as OpenAPI 3.1",
  200: asJson(openapiAnswer, "OpenAPI 3.1"),
});
const describePage = describe("openapiPage", {
  summary: "The operations as a page, with a command for each operation",
  200: asPage("The page"),
  503: asText("text/plain", "The pages Worker does not answer"),
});

/**
 * Adds the routes that serve the app's description, which is made at the first request for it. To
 * be called after all other routes.
 */
export function addOpenapi(app: Hono<App>): void {
  let made: string | undefined;
  const description = (): string => (made ??= JSON.stringify(openapi(app)));
  app.get(paths.openapi, describeJson, (c) => c.body(description(), 200, { "Content-Type": "application/json" }));
  app.get(paths.openapiPage, describePage, (c) => {
    const base = settingsOf(c.env).publicUrl ?? "https://gateway.example.com";
    return answerPage(c, { kind: "openapi", input: { description: description(), base } }, 200, { language: "en" });
  });
}

/** The description. Paths are relative to the address that it was read from. */
export function openapi(app: Hono<App>): JsonObject {
  const byPath: Record<string, JsonObject> = {};
  const operations = operationsOf(app);
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    byPath[path] = { ...byPath[path], [operation.method]: operationObject(operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Countersign",
      version,
      description: "MCP sampling at the edge, with a person's countersignature.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    tags: tagList,
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
        metrics: { type: "http", scheme: "bearer", description: "METRICS_TOKEN" },
      },
      schemas: schemasOf(operations),
    },
  };
}

/** Every schema that an operation names. Throws where two have one name. */
function schemasOf(operations: readonly Operation[]): JsonObject {
  const named = new Map<string, NamedSchema["schema"]>();
  const bodies = operations.flatMap(({ body, answers }) => [body, ...Object.values(answers).flatMap((answer) => answer.bodies ?? [])]);
  for (const { name, schema } of bodies.flatMap((body) => body?.schema ?? [])) {
    if ((named.get(name) ?? schema) !== schema) throw new Error(`two schemas of the description are called ${name}`);
    named.set(name, schema);
  }
  return Object.fromEntries([...named].map(([name, schema]) => [name, schemaOf(schema())]));
}

const schemaOf = (schema: ReturnType<NamedSchema["schema"]>): JsonObject =>
  schema instanceof z.ZodType ? jsonSchemaOf(schema) : inside(schema);

const security: Readonly<Record<Auth, JsonObject[]>> = {
  key: [{ key: [] }, { keyHeader: [] }],
  v1: [{ key: [] }, { keyHeader: [] }],
  keyOrToken: [{ key: [] }, { token: [] }, { keyHeader: [] }],
  control: [{ key: [] }, { token: [] }, { keyHeader: [] }, {}],
  admin: [{ admin: [] }],
  metrics: [{ metrics: [] }, { admin: [] }],
  either: [{ key: [] }, { keyHeader: [] }, { admin: [] }],
  none: [],
};

function operationObject({ id, summary, path, auth, parameters, body, answers, otherwise }: Operation): JsonObject {
  return {
    operationId: id,
    tags: [tagOf(path)],
    summary,
    security: security[auth],
    parameters: parameters.map(({ required = false, schema = { type: "string" }, ...rest }) => ({ ...rest, required, schema })),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf([body], examples[id]) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)])),
      ...(otherwise === undefined ? {} : { default: { description: otherwise } }),
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

const contentOf = (bodies: readonly Body[], example?: JsonObject): JsonObject =>
  Object.fromEntries(
    bodies.map(({ type, schema }) => {
      const described = { schema: schema === undefined ? { type: "string" } : { $ref: `#/components/schemas/${schema.name}` } };
      return [type, example === undefined ? described : { ...described, example }];
    }),
  );
