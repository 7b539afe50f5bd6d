// The operator's API as the console's pages use it: the same endpoints as under /admin, in this
// process, as the operator who is signed in. The console can do nothing that the API cannot.

import type { Hono } from "hono";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { ApiAnswer, ApiCall } from "../../ui/console/visit.ts";
import { operatorApp } from "../admin/admin.ts";
import type { App, AppContext } from "../app-context.ts";
import { type SignedInOperator, requireRole } from "../auth.ts";

const operators = new WeakMap<Request, SignedInOperator>();

let made: Hono<App> | undefined;

/** Made when somebody first uses the console: a gateway's start does not wait for it. */
const operatorApi = (): Hono<App> =>
  (made ??= operatorApp(async (c, next) => {
    const signedIn = operators.get(c.req.raw);
    if (signedIn === undefined) return c.json({ error: "Not the operator" }, 401);
    c.set("operator", signedIn.operator);
    c.set("role", signedIn.role);
    return requireRole(c, next);
  }).onError((error, c) => {
    logEvent("request.failed", { error: errorClass(error) });
    return c.json({ error: "The gateway could not do this now; try again in a minute" }, 503);
  }));

/**
 * Sends a request to the operator's API as this operator. `path` begins with /admin/ and may have a
 * query. One that a URL would read otherwise than it is written, by dots or backslashes, is
 * refused: a name in it could lead to another endpoint than the page's.
 */
export async function callAsOperator(
  c: AppContext,
  signedIn: SignedInOperator,
  { method, path, body, ifMatch }: ApiCall,
): Promise<Response> {
  const url = new URL(path, "https://console.invalid");
  if (!url.pathname.startsWith("/admin/") || url.pathname + url.search !== path)
    return Response.json({ error: "The console may use paths under /admin/ alone, as they are written" }, { status: 400 });
  const headers = new Headers({ Accept: "application/json" });
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (ifMatch !== undefined) headers.set("If-Match", ifMatch);
  const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
  operators.set(request, signedIn);
  return operatorApi().fetch(request, c.env, c.executionCtx);
}

/** The API for the pages Worker: a function that it calls back while it makes one answer. */
export const apiFor =
  (c: AppContext, signedIn: SignedInOperator) =>
  async (call: ApiCall): Promise<ApiAnswer> => {
    const response = await callAsOperator(c, signedIn, call);
    return { status: response.status, text: await response.text() };
  };
