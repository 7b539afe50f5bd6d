// What the gateway answers, held against what it publishes: every answer in every test whose path
// and method are an operation's has a status that the operation lists, and every answer of the
// operator's API is what its schema says, no more and no less.

import { expect } from "vitest";
import * as z from "zod";
import { app } from "../../../workers/app.ts";
import type { Answer, Body } from "../../../workers/endpoints/openapi/describe.ts";
import { type Operation, operationsOf } from "../../../workers/endpoints/openapi/operations.ts";

const known = operationsOf(app).map((operation) => ({
  ...operation,
  at: new RegExp(`^${operation.path.replaceAll(/:\w+/g, "[^/]+")}$`),
  statuses: new Set(Object.keys(operation.answers).map(Number)),
}));

function operationOf({ method, url }: Request): (typeof known)[number] | undefined {
  const asked = method === "HEAD" ? "get" : method.toLowerCase();
  return known.find((each) => each.method === asked && each.at.test(new URL(url).pathname));
}

/**
 * Throws where the published contract does not have this answer. What is no operation (another
 * method, another path) is not judged.
 */
export async function expectPublished(request: Request, answer: Response): Promise<void> {
  const operation = operationOf(request);
  if (operation === undefined) return;
  if (operation.otherwise === undefined && !operation.statuses.has(answer.status))
    throw new Error(`the published contract does not have ${answer.status} for ${operation.id}: add it to the route's description`);
  if (operation.auth === "admin") await expectSchema(operation, answer.clone());
}

/** Fails where the JSON of an answer is not what its schema says, no more and no less. */
async function expectSchema({ id, answers }: Operation, answer: Response): Promise<void> {
  // workerd warns of text() on a body whose type is not text.
  const text = new TextDecoder().decode(await answer.arrayBuffer());
  if (text === "" || answer.headers.get("Content-Type")?.split(";")[0] !== jsonType) return;
  const value: unknown = JSON.parse(text);
  const read = schemaIn(answers[answer.status]?.bodies ?? [])?.safeParse(value);
  // Parsing leaves out what the schema does not name.
  const described =
    read?.success === true ? read.data : `not as described: ${read === undefined ? "no schema" : z.prettifyError(read.error)}`;
  expect([id, answer.status, described]).toEqual([id, answer.status, value]);
}

const jsonType = "application/json";

const schemaIn = (bodies: readonly Body[]): z.ZodType | undefined => {
  const schema = bodies.find(({ type }) => type === jsonType)?.schema?.schema();
  return schema instanceof z.ZodType ? schema : undefined;
};

/** The operations of the operator's API with JSON that no schema judges. */
export const unjudged = (operations: readonly Operation[]): string[] =>
  operations.filter((each) => each.auth === "admin" && Object.values(each.answers).some(isUnjudged)).map(({ id }) => id);

const isUnjudged = ({ bodies = [] }: Answer): boolean => bodies.some(({ type }) => type === jsonType) && schemaIn(bodies) === undefined;
