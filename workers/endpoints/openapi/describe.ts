// What a route takes and answers, said where it is written: `describe` is a middleware that does nothing but be found there, and a
// middleware that refuses by itself carries what it answers. `operations.ts` reads both off the routes. Does nothing to a request.

import type { MiddlewareHandler } from "hono";
import type * as z from "zod";
import type { JsonObject } from "../../../shared/encoding.ts";
import type { App } from "../app-context.ts";
import type { SchemaName } from "./schemas.ts";

/** What a body is validated with, and its name in the description. */
export type ValidatedWith = { readonly name: string; readonly schema: z.ZodObject };

export type Body<Schema = SchemaName> = { readonly type: string; readonly schema?: Schema };

export type Answer = {
  readonly description: string;
  readonly bodies?: readonly Body[];
  readonly headers?: Readonly<Record<string, string>>;
};

/** By status. Text alone is an answer without a body below 400, and with `{ error }` from there. */
export type Answers = { readonly [status: number]: Answer | string };

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required?: boolean;
  readonly schema?: JsonObject;
};

/** `key`: an API key. `admin`: the operator. `either`: one of both. `control`: a key or token, also in the body. `none`: what the request itself shows. */
export type Auth = "key" | "control" | "admin" | "either" | "none";

/** What a route, or a middleware on the way to it, says of itself. */
export type Description = Answers & {
  readonly auth?: Auth;
  readonly parameters?: readonly Parameter[];
  /** What the query is validated with: a parameter for each member. */
  readonly query?: z.ZodObject;
  readonly body?: Body<SchemaName | ValidatedWith>;
  /** Where the status may be any other too: an MCP server's own. */
  readonly otherwise?: string;
};

export type Named = Description & { readonly id: string; readonly summary: string };

const descriptions = new WeakMap<object, Description | Named>();

/** What a handler or middleware says of itself, if anything. */
export const descriptionOf = (handler: object): Description | Named | undefined => descriptions.get(handler);

/** The handler or middleware itself, which from now on says this wherever a route meets it. */
export function saying<Handler extends object>(handler: Handler, description: Description | Named): Handler {
  descriptions.set(handler, description);
  return handler;
}

/** Describes the route that it is put on: its operation's id, one sentence, and what the middlewares there do not say already. */
export const describe = (id: string, description: Omit<Named, "id">): MiddlewareHandler<App> =>
  saying((_c, next) => next(), { id, ...description });
