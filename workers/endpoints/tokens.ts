// POST /tokens: a host trades its key for a token for /v1, bound to one client request, which it
// gives to that request's server.

import { Hono } from "hono";
import * as z from "zod";
import { list, text, time } from "../../shared/json/answer-fields.ts";
import { IssueCollector } from "../../shared/json/issue-collector.ts";
import { mostTokenSeconds } from "../../shared/relay/servers.ts";
import { object } from "../../shared/json/fields.ts";
import type { Refusal } from "../../shared/model/outcome.ts";
import { originatingRequest, sessionField } from "../../shared/wire/mcp-2025/meta.ts";
import { makeToken } from "../credentials/scoped-tokens.ts";
import { callsOfNewObject, countCalls } from "../pipeline/admit/calls.ts";
import { originatingKey } from "../pipeline/incoming/sampling-call.ts";
import { paths } from "../platform/urls.ts";
import { named } from "./answer-schema.ts";
import type { App } from "./app-context.ts";
import { refuseKnown, requireKey } from "./auth.ts";
import { asJson, rpcError } from "./openapi/answers.ts";
import { describe } from "./openapi/describe.ts";
import { validJson } from "./validated.ts";

export const tokenRoutes = new Hono<App>();

/** A token for some minutes where the host does not say for how long. */
const defaultSeconds = 300;

/** `session` and `originatingRequest` are read as in `_meta` of a sampling request. */
const tokenRequest = z.strictObject({
  session: z.unknown(),
  originatingRequest: z.unknown(),
  models: z.array(z.string().min(1).max(128)).min(1).max(100).optional(),
  /** How much may be spent with it. */
  maxUsd: z.number().positive().max(1_000),
  seconds: z.int().min(10).max(mostTokenSeconds).default(defaultSeconds),
});

const claimed = object({ session: sessionField, originatingRequest });

const tokenAnswer = named("Token", () =>
  z.object({ token: text(), baseUrl: text().nullable(), expiresAt: time(), models: list(text()).nullable(), maxUsd: z.number() }),
);

const makeTokenRoute = describe("makeToken", {
  summary: "Makes a scoped token for /v1: for one client request of one server, for minutes, some models and some money",
  201: asJson(tokenAnswer, "The token, this once"),
  403: rpcError("-32602: the request or its session has ended; -1: the key may use none of the models; -32014: a key without the scope v1"),
});

tokenRoutes.post(paths.tokens, makeTokenRoute, requireKey, validJson("TokenRequest", tokenRequest), async (c) => {
  const { models, maxUsd, seconds, ...claims } = c.req.valid("json");
  const issues = new IssueCollector();
  const { session, originatingRequest: originating } = claimed.read(claims, "", issues);
  if (issues.found.length > 0) return c.json({ error: "The request is not valid; nothing was changed", details: issues.found }, 400);
  const { server, method, name, id } = originating;
  const about = { server, method, name };
  const refused = async (refusal: Refusal): Promise<Response> => {
    const { body, status, headers } = await refuseKnown(c, "v1", refusal, { ...about, id: null });
    // What JSON-RPC answers with 200 has a status here.
    return new Response(body, { status: status === 200 ? 403 : status, headers });
  };
  const uncounted = await countCalls(c.env, c.var.key, callsOfNewObject);
  if (uncounted !== null) return refused(uncounted);
  const made = await makeToken(c.env, {
    key: c.var.key,
    session,
    originating: originatingKey(server, id),
    ...about,
    provenance: originating.inferred === true ? "inferred" : "claimed",
    endpoint: "sampling",
    mustBeInFlight: false,
    asked: {},
    allowed: { models, maxUsd, seconds },
  });
  if (!made.ok) return refused(made.error);
  return c.json(made.value.token, 201, { "Cache-Control": "no-store" });
});
