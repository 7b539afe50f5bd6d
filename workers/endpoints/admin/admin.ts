// The operator's endpoints: under /admin, for a request with the admin token or from Cloudflare
// Access; and for the console, which knows its operator and calls them in this process.

import { Hono, type MiddlewareHandler } from "hono";
import { requireAdmin } from "../auth.ts";
import type { App } from "../app-context.ts";
import { actRoutes } from "./acts.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { decisionRoutes } from "./decisions.ts";
import { doctorRoutes } from "./admin-doctor.ts";
import { documentRoutes } from "./admin-documents.ts";
import { explainRoutes } from "./explain.ts";
import { grantRoutes } from "./grants.ts";
import { inboxSessionRoutes } from "./inbox-sessions.ts";
import { outcomeRoutes } from "./outcomes.ts";
import { overviewRoutes } from "./overview.ts";
import { policyReplayRoutes } from "./policy-replay.ts";
import { operatorRunRoutes } from "./operator-runs.ts";
import { receiptKeyRoutes } from "../receipts.ts";
import { reviewerRoutes } from "./reviewers.ts";
import { runReviewRoutes } from "./run-review.ts";
import { serverToolRoutes } from "./server-tools.ts";
import { spendRoutes } from "./spend.ts";
import { stopRoutes } from "./stops.ts";
import { sunsetRoutes } from "./sunset.ts";
import { noticeRoutes } from "./sent-notices.ts";
import { usageRoutes } from "./usage.ts";

const operatorEndpoints = [
  documentRoutes,
  explainRoutes,
  policyReplayRoutes,
  apiKeyRoutes,
  operatorRunRoutes,
  decisionRoutes,
  runReviewRoutes,
  noticeRoutes,
  grantRoutes,
  spendRoutes,
  sunsetRoutes,
  usageRoutes,
  overviewRoutes,
  outcomeRoutes,
  stopRoutes,
  inboxSessionRoutes,
  doctorRoutes,
  actRoutes,
  reviewerRoutes,
  serverToolRoutes,
  receiptKeyRoutes,
] as const;

/** Behind this middleware, which says who the operator is. */
export function operatorApp(who: MiddlewareHandler<App>): Hono<App> {
  const app = new Hono<App>();
  app.use("/admin/*", who);
  for (const routes of operatorEndpoints) app.route("/", routes);
  return app;
}

export const adminRoutes = operatorApp(requireAdmin);
