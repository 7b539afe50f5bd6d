// The gateway's routes, in one place; and the one place that catches what cannot happen.

import { Hono } from "hono";
import { errorClass, logEvent } from "./log.ts";
import { adminRoutes } from "./routes/admin.ts";
import { refuse } from "./routes/auth.ts";
import type { App } from "./routes/context.ts";
import { healthRoutes } from "./routes/health.ts";
import { reviewRoutes } from "./routes/review.tsx";
import { runRoutes } from "./routes/runs.ts";
import { samplingRoutes } from "./routes/sampling.ts";

export const app = new Hono<App>();

for (const routes of [samplingRoutes, runRoutes, reviewRoutes, adminRoutes, healthRoutes]) app.route("/", routes);

app.notFound((c) => c.json({ error: "There is nothing at this path; GET /openapi.json lists what there is" }, 404));

app.onError((error) => {
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  return refuse({ kind: "broken", quote });
});
