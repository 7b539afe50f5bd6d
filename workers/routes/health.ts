// Liveness and readiness: 200 where the gateway can serve, with what an operator should mend.

import { Hono } from "hono";
import { channelProblems } from "../channels/channel.ts";
import { settingsOf } from "../settings.ts";
import { documentProblems, documentsOf } from "../stores/documents.ts";
import { paths } from "../urls.ts";
import type { App } from "./context.ts";

export const healthRoutes = new Hono<App>();

healthRoutes.get(paths.health, async (c) => {
  try {
    const settings = settingsOf(c.env);
    await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
    const problems = [...settings.problems, ...channelProblems(c.env), ...documentProblems(c.env)];
    return c.json({ status: problems.length === 0 ? "ok" : "degraded", problems }, 200, { "Cache-Control": "no-store" });
  } catch {
    return c.json({ status: "down", problems: ["LINK_KEY is missing or too short: set it with `wrangler secret put LINK_KEY`"] }, 503);
  }
});
