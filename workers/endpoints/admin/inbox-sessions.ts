// The operator signs a reviewer out of their inbox, and removes a passkey of theirs. A change of
// the policy signs out those whom it takes out, or whose address it changes.

import { Hono } from "hono";
import { isRoom } from "../../../shared/notice-channels.ts";
import type { Policy } from "../../../shared/policy/rules.ts";
import { addressDigest, inboxNameOf } from "../../../shared/review/inbox.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { paths } from "../../platform/urls.ts";
import { configStub, inboxStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { asJson, inPath } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { type EndedSessions, type RemovedPasskey, endedSessions, removedPasskey } from "./answers/reviewers.ts";

export const inboxSessionRoutes = new Hono<App>();

const endSessions = describe("endInboxSessions", {
  summary: "Signs a reviewer out of their inbox everywhere, at once; sign-in links that were not used end too",
  parameters: [inPath("reviewer", "The reviewer's name, as the policy has or had it")],
  200: asJson(endedSessions, "How many sessions ended"),
});

inboxSessionRoutes.delete(paths.admin.inboxSessions, endSessions, async (c) => {
  const reviewer = c.req.param("reviewer");
  await configStub(c.env).record({ kind: "inboxSessionsEnded", by: c.var.operator, reviewer });
  return c.json({ ended: await inboxStub(c.env, inboxNameOf(reviewer)).signOut(null) } satisfies EndedSessions, 200, {
    "Cache-Control": "no-store",
  });
});

const removePasskey = describe("removePasskey", {
  summary:
    "Removes a reviewer's passkey, such as one that is lost. They add another within ten minutes of a sign-in, or with one that is left",
  parameters: [inPath("reviewer", "The reviewer's name"), inPath("passkey", "The passkey's id, as GET /admin/reviewers has it")],
  200: asJson(removedPasskey, "Whether there was such a passkey"),
});

inboxSessionRoutes.delete(paths.admin.inboxPasskey, removePasskey, async (c) => {
  const { reviewer, passkey } = c.req.param();
  const removing = inboxStub(c.env, inboxNameOf(reviewer))
    .removePasskey(passkey)
    .then(async (removed) => {
      if (removed) await configStub(c.env).record({ kind: "passkeyRemoved", by: c.var.operator, reviewer, passkey });
      return removed;
    });
  // A client that leaves meanwhile does not keep it out of the record.
  c.executionCtx.waitUntil(removing);
  return c.json({ removed: await removing } satisfies RemovedPasskey, 200, { "Cache-Control": "no-store" });
});

/** Signs out everybody who is not in the new policy with the address that the old one has. */
export async function endSessionsOfChanged(env: Env, before: Policy, after: Policy): Promise<void> {
  const addresses = addressesIn(after);
  const changed = [...addressesIn(before)].filter(([name, address]) => addresses.get(name) !== address);
  const ended = await Promise.allSettled(changed.map(([name]) => inboxStub(env, inboxNameOf(name)).signOut(null)));
  // Each request checks the policy too: such a session opens nothing while its reviewer is gone.
  for (const each of ended) if (each.status === "rejected") logEvent("inbox.signOutFailed", { error: errorClass(each.reason) });
}

const addressesIn = ({ reviewers }: Policy): Map<string, string> =>
  new Map(
    Object.values(reviewers)
      .flat()
      .flatMap((person) => (person.email === undefined || isRoom(person) ? [] : [[person.name, addressDigest(person.email)] as const])),
  );
