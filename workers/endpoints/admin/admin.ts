// The operator's endpoints. Everything here wants the admin token.

import { Hono } from "hono";
import { requireAdmin } from "../auth.ts";
import type { App } from "../app-context.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { doctorRoutes } from "./admin-doctor.ts";
import { documentRoutes } from "./admin-documents.ts";
import { explainRoutes } from "./explain.ts";
import { grantRoutes } from "./grants.ts";
import { inboxSessionRoutes } from "./inbox-sessions.ts";
import { operatorRunRoutes } from "./operator-runs.ts";
import { spendRoutes } from "./spend.ts";
import { stopRoutes } from "./stops.ts";
import { sunsetRoutes } from "./sunset.ts";
import { noticeRoutes } from "./sent-notices.ts";

export const adminRoutes = new Hono<App>();

adminRoutes.use("/admin/*", requireAdmin);

for (const routes of [
  documentRoutes,
  explainRoutes,
  apiKeyRoutes,
  operatorRunRoutes,
  noticeRoutes,
  grantRoutes,
  spendRoutes,
  sunsetRoutes,
  stopRoutes,
  inboxSessionRoutes,
  doctorRoutes,
])
  adminRoutes.route("/", routes);
