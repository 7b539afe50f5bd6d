// GET /openapi.json, as it is served, under a validator of OpenAPI 3.1.

import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, freePort } from "../../scripts/local-gateway.ts";
import { startTestGateway } from "../outside/support/test-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-openapi-"));
let gateway: Gateway;
let source = "";

beforeAll(async () => {
  gateway = await startTestGateway({ port: await freePort(), persistTo: join(folder, "state") });
  source = await (await fetch(`${gateway.url}/openapi.json`)).text();
});
afterAll(async () => {
  await gateway?.stop("kill");
  rmSync(folder, { recursive: true, force: true });
});

/** What the validator has against a document: the rule, the place and what is wrong there. */
async function problemsOf(document: string): Promise<string[]> {
  const config = await createConfig({
    extends: ["spec"],
    rules: { "security-defined": "error", "no-invalid-media-type-examples": "error", "no-invalid-parameter-examples": "error" },
  });
  const problems = await lintFromString({ source: document, absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, location: [at], message }) => `${ruleId} ${at?.pointer ?? ""} ${message}`);
}

test("it is valid: shape, references, parameters, credentials, schemas and examples", async () => {
  expect(JSON.parse(source)).toMatchObject({ openapi: "3.1.0" });
  expect(await problemsOf(source)).toEqual([]);
});

test("an envelope of any version fits its schema", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(JSON.parse(source) as object, "openapi");
  const envelope = ajv.getSchema("openapi#/components/schemas/Envelope");
  const examples = fileURLToPath(new URL("../fixtures/control/", import.meta.url));
  for (const file of readdirSync(examples).filter((name) => name.endsWith(".json")))
    for (const version of ["1.0", "2.0", "2.1", "2.7"]) {
      const example = { ...(JSON.parse(readFileSync(join(examples, file), "utf8")) as object), protocol_version: version };
      expect([file, version, envelope?.(example), envelope?.errors ?? []]).toEqual([file, version, true, []]);
    }
  expect(envelope?.({ protocol_version: "3.0" })).toBe(false);
});

type Broken = {
  paths: Record<string, Record<string, Record<string, unknown> & { requestBody: { content: Record<string, { example: unknown }> } }>>;
  components: { schemas: Record<string, Record<string, unknown>> };
};

test.each<[rule: string, (document: Broken) => void]>([
  ["struct", ({ components }) => Object.assign(components.schemas["Run"] ?? {}, { type: "strng" })],
  ["struct", ({ paths }) => Object.assign(paths["/control"]?.["post"] ?? {}, { responses: [] })],
  ["no-unresolved-refs", ({ components }) => delete components.schemas["RpcRequest"]],
  ["path-parameters-defined", ({ paths }) => Object.assign(paths["/runs/{id}"]?.["get"] ?? {}, { parameters: [] })],
  ["operation-operationId-unique", ({ paths }) => Object.assign(paths["/control"]?.["post"] ?? {}, { operationId: "sampling" })],
  ["security-defined", ({ paths }) => Object.assign(paths["/control"]?.["post"] ?? {}, { security: [{ nobody: [] }] })],
  [
    "no-invalid-media-type-examples",
    ({ paths }) => Object.assign(paths["/admin/keys"]?.["post"]?.requestBody.content["application/json"] ?? {}, { example: { name: 1 } }),
  ],
])("%s is what a broken one is found by", async (rule, spoil) => {
  const document = JSON.parse(source) as Broken; // It is valid.
  spoil(document);
  expect((await problemsOf(JSON.stringify(document))).map((problem) => problem.split(" ")[0])).toContain(rule);
});
