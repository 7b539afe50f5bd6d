// The gateway's routes, in one place; and the one place that catches what cannot happen.

import "./platform/hashing.ts";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { errorClass, logEvent } from "./platform/log.ts";
import { adminRoutes } from "./endpoints/admin/admin.ts";
import { refuse } from "./endpoints/auth.ts";
import { idsOf } from "./endpoints/refused-ids.ts";
import type { App } from "./endpoints/app-context.ts";
import { controlRoutes } from "./endpoints/control/control-endpoint.ts";
import { consoleRoutes } from "./endpoints/console/console.ts";
import { controlSessionRoutes } from "./endpoints/control/control-session.ts";
import { healthRoutes } from "./endpoints/health.ts";
import { deviceRoutes } from "./endpoints/inbox/devices.ts";
import { inboxRoutes } from "./endpoints/inbox/inbox.ts";
import { signInRoutes } from "./endpoints/inbox/sign-in.ts";
import { issuerSignInRoutes } from "./endpoints/inbox/issuer-sign-in.ts";
import { passkeyDecisionRoutes } from "./endpoints/inbox/passkey-decision.ts";
import { passkeyRoutes } from "./endpoints/inbox/passkeys.ts";
import { bulkRoutes } from "./endpoints/inbox/bulk-decision.ts";
import { metricsRoutes } from "./endpoints/metrics.ts";
import { mcpRoutes } from "./endpoints/relay/relay-endpoint.ts";
import { relayInside } from "./endpoints/relay/relay-inside.ts";
import { sendApprovedTask } from "./endpoints/relay/reviewed/approved-task.ts";
import { allowOf, operationsFor } from "./endpoints/openapi/operations.ts";
import { addOpenapi } from "./endpoints/openapi/openapi.ts";
import { receiptRoutes } from "./endpoints/receipts.ts";
import { recordFileRoutes } from "./endpoints/record-files.ts";
import { reviewRoutes } from "./endpoints/review/review.ts";
import { approvalRoutes } from "./endpoints/approvals/approvals.ts";
import { claudeCodeRoutes } from "./endpoints/approvals/claude-code-hook.ts";
import { oauthRoutes } from "./endpoints/oauth/oauth.ts";
import { connectRoutes } from "./endpoints/oauth/connect.ts";
import { loginRoutes } from "./endpoints/oauth/logins.ts";
import { runRoutes } from "./endpoints/runs.ts";
import { tokenRoutes } from "./endpoints/tokens.ts";
import { v1Routes } from "./endpoints/v1/v1-endpoint.ts";
import { samplingRoutes } from "./endpoints/sampling-endpoint.ts";
import { routedPath } from "./endpoints/session-address.ts";
import { slackRoutes } from "./endpoints/slack.ts";
import { ConfigurationUnavailable } from "./stores/documents.ts";
import { handInRelay } from "./stubs/inside-relay.ts";

handInRelay(relayInside, sendApprovedTask);

export const app = new Hono<App>({ getPath: routedPath });

/**
 * What operators and owners of runs read is stored by nothing on the way, and is never taken for
 * another type.
 */
for (const path of ["/admin/*", "/runs/*"])
  app.use(path, async (c, next) => {
    await next();
    c.header("X-Content-Type-Options", "nosniff");
    c.header("Cache-Control", "no-store");
  });

for (const routes of [
  samplingRoutes,
  controlRoutes,
  controlSessionRoutes,
  v1Routes,
  tokenRoutes,
  mcpRoutes,
  oauthRoutes,
  connectRoutes,
  loginRoutes,
  approvalRoutes,
  claudeCodeRoutes,
  runRoutes,
  reviewRoutes,
  inboxRoutes,
  deviceRoutes,
  signInRoutes,
  issuerSignInRoutes,
  bulkRoutes,
  passkeyRoutes,
  passkeyDecisionRoutes,
  slackRoutes,
  adminRoutes,
  consoleRoutes,
  healthRoutes,
  metricsRoutes,
  recordFileRoutes,
  receiptRoutes,
])
  app.route("/", routes);

addOpenapi(app);

app.notFound((c) => {
  const taken = operationsFor(app, c.req.path);
  if (taken.length === 0) return c.json({ error: "There is nothing at this path; GET /openapi lists what there is" }, 404);
  const ways = taken.map(({ method, path, summary }) => `${method} ${path}: ${summary}`).join("; ");
  return c.json({ error: `Use ${ways}. GET /openapi describes it` }, 405, { Allow: allowOf(taken) });
});

app.onError(async (error, c) => {
  // What hono refuses by itself: a body that is not the JSON it claims to be.
  if (error instanceof HTTPException && error.status < 500) return c.json({ error: error.message }, error.status);
  if (error instanceof ConfigurationUnavailable) return refuse({ kind: "configurationUnavailable" });
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  return refuse({ kind: "broken", quote }, await idsOf(c));
});
