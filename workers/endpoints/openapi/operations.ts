// Every operation of the gateway, read from its routes: the handlers that a request to a path
// meets, and their descriptions.

import type { Hono } from "hono";
import { findTargetHandler } from "hono/utils/handler";
import type * as z from "zod";
import type { JsonObject } from "../../../shared/encoding.ts";
import type { App } from "../app-context.ts";
import { asJson, internalError, problem } from "./answers.ts";
import { type Answer, type Auth, type Description, type Named, type Parameter, descriptionOf } from "./describe.ts";
import { jsonSchemaOf } from "./json-schema.ts";

export type Operation = Pick<Named, "id" | "summary"> & {
  readonly method: string;
  /** As `urls.ts` writes it, with `:name` for a parameter, without a pattern for it. */
  readonly path: string;
  readonly auth: Auth;
  readonly parameters: readonly Parameter[];
  readonly body: Named["body"];
  readonly answers: Readonly<Record<string, Answer>>;
  readonly otherwise: string | undefined;
};

/** The app's operations in the order of their routes. Throws where a route is not described. */
export function operationsOf(app: Hono<App>): readonly Operation[] {
  const routes = app.routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`);
  return [...new Set(routes)].map((route) => operationAt(app, route));
}

function operationAt(app: Hono<App>, route: string): Operation {
  const [method = "", path = ""] = route.split(" ");
  // What a request meets there, with any value for each parameter.
  const [met] = app.router.match(method, withoutPatterns(path).replaceAll(/:\w+/g, "any"));
  const described = met.map(([[handler]]) => descriptionOf(findTargetHandler(handler))).filter((each) => each !== undefined);
  const whole: Description & { readonly id?: string; readonly summary?: string } = Object.assign({ 500: internalError }, ...described);
  const { id, summary, auth = "none", body, otherwise, parameters: _all, query: _one, ...answers } = whole;
  if (id === undefined || summary === undefined) throw new Error(`${route} is not described`);
  return {
    id,
    summary,
    method: method.toLowerCase(),
    path: withoutPatterns(path),
    auth,
    parameters: described.flatMap(({ parameters = [], query }) => [...parameters, ...(query === undefined ? [] : parametersOf(query))]),
    body,
    answers: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerWith(status, answer)])),
    otherwise,
  };
}

/** The operations at a request's path, by any method. None where nothing is at it. */
export function operationsFor(app: Hono<App>, path: string): readonly Pick<Operation, "method" | "path" | "summary">[] {
  return ["GET", "POST", "PUT", "DELETE"].flatMap((method) => {
    const [met] = app.router.match(method, path);
    for (const [[handler, route]] of met) {
      const described = descriptionOf(findTargetHandler(handler));
      if (described !== undefined && "summary" in described)
        return [{ method, path: withoutPatterns(route.path), summary: described.summary }];
    }
    return [];
  });
}

/** The header `Allow` for them: what takes GET takes HEAD. */
export const allowOf = (operations: readonly Pick<Operation, "method">[]): string =>
  operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");

/** hono writes a parameter's regular expression behind its name. */
const withoutPatterns = (path: string): string => path.replaceAll(/(:\w+)\{[^}]*\}/g, "$1");

function answerWith(status: string, answer: Answer | string): Answer {
  if (typeof answer !== "string") return answer;
  return Number(status) < 400 ? { description: answer } : asJson(problem, answer);
}

function parametersOf(query: z.ZodObject): Parameter[] {
  const { properties } = jsonSchemaOf(query) as { readonly properties: Record<string, JsonObject & { readonly description: string }> };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({ name, in: "query", description, schema }));
}
