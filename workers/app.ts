// The gateway's routes, in one place; and the one place that catches what cannot happen.

import "./hashing.ts";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { errorClass, logEvent } from "./log.ts";
import { adminRoutes } from "./routes/admin.ts";
import { refuse } from "./routes/auth.ts";
import { idsOf } from "./routes/refused-ids.ts";
import type { App } from "./routes/context.ts";
import { controlRoutes } from "./routes/control.ts";
import { controlSessionRoutes } from "./routes/control-session.ts";
import { doctorRoutes } from "./routes/doctor.ts";
import { grantRoutes } from "./routes/grants.ts";
import { healthRoutes } from "./routes/health.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { operatorRunRoutes } from "./routes/operator-runs.ts";
import { openapiRoutes } from "./routes/openapi.ts";
import { reviewRoutes } from "./routes/review.tsx";
import { runRoutes } from "./routes/runs.ts";
import { samplingRoutes } from "./routes/sampling.ts";
import { slackRoutes } from "./routes/slack.ts";
import { ConfigurationUnavailable } from "./stores/documents.ts";

export const app = new Hono<App>();

for (const routes of [
  samplingRoutes,
  controlRoutes,
  controlSessionRoutes,
  mcpRoutes,
  runRoutes,
  reviewRoutes,
  slackRoutes,
  adminRoutes,
  operatorRunRoutes,
  grantRoutes,
  doctorRoutes,
  healthRoutes,
  openapiRoutes,
])
  app.route("/", routes);

app.notFound((c) => c.json({ error: "There is nothing at this path; GET /openapi.json lists what there is" }, 404));

app.onError(async (error, c) => {
  // What hono refuses by itself: a body that is not the JSON it claims to be.
  if (error instanceof HTTPException && error.status < 500) return c.json({ error: error.message }, error.status);
  if (error instanceof ConfigurationUnavailable) return refuse({ kind: "configurationUnavailable" });
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  return refuse({ kind: "broken", quote }, await idsOf(c));
});
