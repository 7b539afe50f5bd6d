// Deletes the remembered conversation of a control session, for the key that it belongs to.

import { Hono } from "hono";
import { isSessionName, sessionNameError } from "../../../shared/wire/mcp-2025/meta.ts";
import { conversationStub } from "../../stubs/stubs.ts";
import { recordRefusal } from "../../pipeline/record/refusals.ts";
import { paths } from "../../platform/urls.ts";
import { refuse, requireCounted } from "../auth.ts";
import type { App } from "../app-context.ts";
import { inPath, keyRefusals, retryAfter, rpcError } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { callerOfControl } from "./control-auth.ts";

export const controlSessionRoutes = new Hono<App>();

// A DELETE has no body, so the credential comes in a header.
controlSessionRoutes.use(paths.controlSession, async (c, next) => {
  const caller = await callerOfControl(c, {});
  if (caller.kind === "refused") {
    if (caller.key !== null) recordRefusal(c.env, c.executionCtx, { key: caller.key, endpoint: "control" }, caller.refusal);
    return refuse(caller.refusal);
  }
  c.set("key", caller.record);
  return next();
});

const forgetControlSession = describe("forgetControlSession", {
  summary: "Deletes a session's conversation at the control endpoint; its name may be used again",
  auth: "keyOrToken",
  parameters: [inPath("session", "context.session_id")],
  204: "Nothing is kept",
  400: "A name that cannot be one",
  ...keyRefusals,
  403: rpcError("-32014: a key without the scope control"),
  503: rpcError("-32017: the keys of the token's issuer, or the gateway's configuration, cannot be read now", retryAfter),
});

/** A request that is under way begins a new conversation. */
controlSessionRoutes.delete(paths.controlSession, forgetControlSession, requireCounted, async (c) => {
  const session = c.req.param("session");
  if (!isSessionName(session)) return c.json({ error: `A session's name ${sessionNameError}` }, 400);
  await conversationStub(c.env, c.var.key.id, session).forget();
  return c.body(null, 204);
});
