// A session of the control endpoint, as far as it was asked to be remembered: its key may have it forgotten.

import { Hono } from "hono";
import { isSessionName, sessionNameError } from "../../../shared/wire/mcp-2025/meta.ts";
import { conversationStub } from "../../stubs/stubs.ts";
import { recordRefusal } from "../../pipeline/refusals.ts";
import { paths } from "../../platform/urls.ts";
import { refuse, requireCounted } from "../auth.ts";
import type { App } from "../context.ts";
import { callerOfControl } from "./control-auth.ts";

export const controlSessionRoutes = new Hono<App>();

// There is no body to hold a credential here: it comes in a header.
controlSessionRoutes.use(paths.controlSession, async (c, next) => {
  const caller = await callerOfControl(c, {});
  if (caller.kind === "refused") {
    if (caller.key !== null) recordRefusal(c.env, c.executionCtx, { key: caller.key, endpoint: "control" }, caller.refusal);
    return refuse(caller.refusal);
  }
  c.set("key", caller.record);
  return next();
});

/** The turns that were kept are deleted at once. The name may be used again; what is under way then begins a conversation anew. */
controlSessionRoutes.delete(paths.controlSession, requireCounted, async (c) => {
  const session = c.req.param("session");
  if (!isSessionName(session)) return c.json({ error: `A session's name ${sessionNameError}` }, 400);
  await conversationStub(c.env, c.var.key.id, session).forget();
  return c.body(null, 204);
});
