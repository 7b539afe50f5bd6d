// Liveness and readiness: 200 where the gateway can serve, with the issues that an operator should
// fix.

import { Hono } from "hono";
import { channelIssues } from "../channels/registry.ts";
import { missingBindingIssues } from "../platform/bindings.ts";
import { SettingError, settingsOf } from "../platform/settings.ts";
import { reachIssues } from "../doctor/people.ts";
import { ConfigurationUnavailable, documentIssues, documentsOf } from "../stores/documents.ts";
import { keyIssues, keysWithoutOwner } from "../stores/keys.ts";
import { paths } from "../platform/urls.ts";
import { missingWorkerIssues } from "../platform/workers-beside.ts";
import type { App, AppContext } from "./app-context.ts";
import { asJson } from "./openapi/answers.ts";
import { describe } from "./openapi/describe.ts";

export const healthRoutes = new Hono<App>();

const health = describe("health", {
  summary: "Whether the gateway can serve, and what needs attention",
  200: asJson("Health", "It serves"),
  503: asJson("Health", "It does not"),
});

healthRoutes.get(paths.health, health, async (c) => {
  const { status, problems } = await healthOf(c);
  return status === "down" ? c.json({ status, problems }, 503) : c.json({ status, problems }, 200, { "Cache-Control": "no-store" });
});

type Health = { readonly status: "ok" | "degraded" | "down"; readonly problems: readonly string[] };

/** What this Worker knows of itself: nothing outside is asked. Never throws. */
export async function healthOf(c: AppContext): Promise<Health> {
  const missing = missingBindingIssues(c.env);
  try {
    const settings = settingsOf(c.env);
    const { policy } = await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
    const problems = [
      ...settings.issues,
      ...missing,
      ...missingWorkerIssues(c.env),
      ...channelIssues(c.env),
      ...reachIssues(c.env, policy),
      ...documentIssues(c.env),
      ...keyIssues(c.env),
      // Where the ConfigObject does not answer, `documentIssues` says so.
      ...ownerIssues(await keysWithoutOwner(c.env, policy, Date.now()).catch(() => [])),
    ];
    return { status: problems.length === 0 ? "ok" : "degraded", problems };
  } catch (error) {
    return { status: "down", problems: [...missing, ...downIssues(error, missing.length > 0)] };
  }
}

/**
 * None where a binding is missing and the error is not about a setting: what is missing explains
 * it.
 */
function downIssues(error: unknown, lacksBinding: boolean): string[] {
  if (error instanceof ConfigurationUnavailable)
    return ["The configuration cannot be read from KV or from the ConfigObject: requests are refused until one of them answers"];
  if (error instanceof SettingError) return [error.message];
  return lacksBinding ? [] : ["The gateway's settings cannot be read; its log names the error"];
}

const ownerIssues = (ids: readonly string[]): string[] =>
  ids.length === 0
    ? []
    : [
        `Requests of keys whose owner is not a reviewer are refused where the policy says selfApproval: false: ${ids.slice(0, mostNamed).join(", ")}${ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : ""}. Create these keys again with a reviewer's name or email as owner.`,
      ];

const mostNamed = 5;
