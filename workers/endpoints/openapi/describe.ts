// Describes what a route takes and answers, beside the route: `describe` is a middleware that only
// carries a description, and a middleware that refuses by itself carries its answers (`saying`).
// `operations.ts` reads both. Does nothing to a request.

import type { MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { JsonObject } from "../../../shared/encoding.ts";
import type { NamedSchema } from "../answer-schema.ts";
import type { App } from "../app-context.ts";

export type Body = { readonly type: string; readonly schema?: NamedSchema };

export type Answer = {
  readonly description: string;
  readonly bodies?: readonly Body[];
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * By status. Text alone is an answer without a body below 400, and with `{ error }` from 400 on.
 */
export type Answers = { readonly [status: number]: Answer | string };

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required?: boolean;
  readonly schema?: JsonObject;
};

/**
 * `admin`: the admin token. `metrics`: that or the metrics token. `either`: an API key or the admin
 * token. `control`: an API key or a token, also in the body. `v1`: an API key or a scoped token.
 * `none`: neither; the route may check a link or a signature.
 */
export type Auth = "key" | "keyOrToken" | "control" | "v1" | "admin" | "metrics" | "either" | "none";

/** What is said of a route, or of a middleware on the way to it. */
export type Description = Answers & {
  readonly auth?: Auth;
  readonly parameters?: readonly Parameter[];
  /** What the query is validated with: a parameter for each member. */
  readonly query?: z.ZodObject;
  readonly body?: Body;
  /** Any other status, such as an MCP server's own. */
  readonly otherwise?: string;
};

export type Named = Description & { readonly id: string; readonly summary: string };

const descriptions = new WeakMap<object, Description | Named>();

/** The description of a handler or middleware, if it has one. */
export const descriptionOf = (handler: object): Description | Named | undefined => descriptions.get(handler);

/** Attaches the description to the handler or middleware, and returns it. */
export function saying<Handler extends object>(handler: Handler, description: Description | Named): Handler {
  descriptions.set(handler, description);
  return handler;
}

/**
 * Describes the route that it is put on: its operation's id, one sentence, and what its other
 * middlewares do not describe.
 */
export const describe = (id: string, description: Omit<Named, "id">): MiddlewareHandler<App> =>
  saying((_c, next) => next(), { id, ...description });

/**
 * The handler, described as by that middleware, which then has no part in a request: a step less
 * for each of the busiest routes.
 */
export const describedBy = <Handler extends object>(described: MiddlewareHandler<App>, handler: Handler): Handler => {
  const description = descriptionOf(described);
  return description === undefined ? handler : saying(handler, description);
};
