// Liveness and readiness: 200 where the gateway can serve, with the issues that an operator should
// fix.

import { Hono } from "hono";
import { channelIssues } from "../channels/registry.ts";
import { missingBindingIssues } from "../platform/bindings.ts";
import { SettingError, settingsOf } from "../platform/settings.ts";
import { reachIssues } from "../doctor/people.ts";
import { type DoctorPhrase, doctorText } from "../../shared/words/doctor.ts";
import type { PhraseValue } from "../../shared/words/text.ts";
import { ConfigurationUnavailable, documentIssues, documentsOf } from "../stores/documents.ts";
import { failingProviders } from "../stores/outcomes.ts";
import { keyIssues, keysWithoutOwner } from "../stores/keys.ts";
import { paths } from "../platform/urls.ts";
import { missingWorkerIssues } from "../platform/workers-beside.ts";
import { type Health, type HealthIssue, health as healthAnswer } from "./admin/answers/overview.ts";
import type { App, AppContext } from "./app-context.ts";
import { asJson } from "./openapi/answers.ts";
import { describe } from "./openapi/describe.ts";

export const healthRoutes = new Hono<App>();

const health = describe("health", {
  summary: "Whether the gateway can serve, and what needs attention",
  200: asJson(healthAnswer, "It serves"),
  503: asJson(healthAnswer, "It does not"),
});

healthRoutes.get(paths.health, health, async (c) => {
  const [{ status, issues: own }, failing] = await Promise.all([healthOf(c), failingIssues(c)]);
  const issues = status === "down" ? own : [...own, ...failing];
  const problems = issues.map(({ text }) => text);
  if (status === "down") return c.json({ status, problems }, 503);
  return c.json({ status: issues.length === 0 ? ("ok" as const) : ("degraded" as const), problems }, 200, { "Cache-Control": "no-store" });
});

/** What the gateway knows of itself, before it is in a language. */
type OwnHealth = { readonly status: Health["status"]; readonly issues: readonly HealthIssue[] };

const said = (says: DoctorPhrase): HealthIssue => ({ text: doctorText(says), says });

/** What fails now, without a name: everybody may read it. */
async function failingIssues({ env, executionCtx }: AppContext): Promise<HealthIssue[]> {
  const n = await failingProviders(env, Date.now(), (work) => executionCtx.waitUntil(work));
  return n === 0 ? [] : [said({ key: "providersFail", values: { n } })];
}

/** What this Worker knows of itself: nothing outside is asked. Never throws. */
export async function healthOf(c: AppContext): Promise<OwnHealth> {
  const missing = missingBindingIssues(c.env);
  try {
    const settings = settingsOf(c.env);
    const { policy } = await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
    const issues = [
      ...[...settings.issues.map(({ says }) => says), ...missing, ...missingWorkerIssues(c.env)].map(said),
      ...channelIssues(c.env).map(said),
      ...[
        ...reachIssues(c.env, policy),
        ...documentIssues(c.env).map(({ says }) => says),
        ...keyIssues(c.env),
        // Where the ConfigObject does not answer, `documentIssues` says so.
        ...ownerIssues(await keysWithoutOwner(c.env, policy, Date.now()).catch(() => [])),
      ].map(said),
    ];
    return { status: issues.length === 0 ? "ok" : "degraded", issues };
  } catch (error) {
    return { status: "down", issues: [...missing.map(said), ...downIssues(error, missing.length > 0)] };
  }
}

/**
 * None where a binding is missing and the error is not about a setting: what is missing explains
 * it.
 */
function downIssues(error: unknown, lacksBinding: boolean): HealthIssue[] {
  if (error instanceof ConfigurationUnavailable) return [said({ key: "configurationUnreadable" })];
  if (error instanceof SettingError) return [{ text: error.message }];
  return lacksBinding ? [] : [said({ key: "settingsUnreadable" })];
}

const ownerIssues = (ids: readonly string[]): DoctorPhrase[] =>
  ids.length === 0 ? [] : [{ key: "ownersRefused", values: { keys: manyOf(ids) } }];

const mostNamed = 5;

/** With commas, and a count of those beyond the first. */
const manyOf = (ids: readonly string[]): PhraseValue =>
  ids.length <= mostNamed ? ids.join(", ") : [ids.slice(0, mostNamed).join(", "), { key: "more", values: { n: ids.length - mostNamed } }];
