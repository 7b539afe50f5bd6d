// What the gateway answers, held against what it publishes: every answer in every test whose path
// and method are an operation's has a status that the operation lists.

import { app } from "../../../workers/app.ts";
import { operationsOf } from "../../../workers/endpoints/openapi/operations.ts";

const known = operationsOf(app).map(({ id, method, path, answers, otherwise }) => ({
  id,
  method,
  path: new RegExp(`^${path.replaceAll(/:\w+/g, "[^/]+")}$`),
  hasAny: otherwise !== undefined,
  statuses: new Set(Object.keys(answers).map(Number)),
}));

/**
 * Throws where the published contract does not have this answer. What is no operation (another
 * method, another path) is not judged.
 */
export function expectPublished(request: Request, status: number): void {
  const method = request.method === "HEAD" ? "get" : request.method.toLowerCase();
  const { pathname } = new URL(request.url);
  const operation = known.find((each) => each.method === method && each.path.test(pathname));
  if (operation?.hasAny === false && !operation.statuses.has(status))
    throw new Error(`the published contract does not have ${status} for ${operation.id}: add it to the route's description`);
}
