// Who is at the console: whoever signed in with the admin token or at an issuer, by the session's
// cookie, or an operator whom Cloudflare Access signed in.

import { type IssuerOperator, consoleSessionId, parseIssuerOpener } from "../../../shared/credential/console-session.ts";
import { type Role, roleOf } from "../../../shared/credential/operator-roles.ts";
import { tokenOperator } from "../../../shared/record/operators.ts";
import { consoleUrl } from "../../platform/urls.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import { type SignedInOperator, accessOperator } from "../auth.ts";
import type { InboxSettings } from "../inbox/reader.ts";
import { peoplesIssuers } from "../inbox/sign-in.ts";
import { cookieOf, homeOfThis, isAtItsAddress } from "../session-address.ts";

export type ConsoleOperator = SignedInOperator & {
  /** What the forms of their pages are bound to. */
  readonly bound: string;
  /** The URL of the console for this operator. */
  readonly home: string;
  /** The session; null where Cloudflare Access signed them in. */
  readonly session: string | null;
};

/**
 * Null: nobody who is signed in. A session that another admin token opened is over, and so is one
 * of somebody who is no operator any more.
 */
export async function consoleOperator(c: AppContext, settings: InboxSettings): Promise<ConsoleOperator | null> {
  const { publicUrl, keys, adminToken } = settings;
  const home = consoleUrl(publicUrl);
  const byAccess = await accessOperator(c);
  if (byAccess !== null) {
    const email = byAccess.operator.kind === "access" ? byAccess.operator.email : "";
    return { ...byAccess, bound: `access/${email}`, home, session: null };
  }
  const id = consoleSessionId(keys, cookieOf(c, "countersign-console", publicUrl) ?? "");
  if (id === undefined || !isAtItsAddress(c, settings, id)) return null;
  const session = await configStub(c.env).consoleSession(id);
  if (session === null) return null;
  const own = { until: session.until, bound: `session/${id}`, home: homeOfThis(c, home, settings), session: id };
  const byIssuer = parseIssuerOpener(session.fingerprint);
  if (byIssuer !== null) {
    const role = await issuerRole(c, settings, byIssuer);
    return role === null ? null : { ...own, operator: { kind: "issuer", ...byIssuer }, role };
  }
  const operator = adminToken === undefined ? null : tokenOperator(keys, adminToken);
  if (operator?.kind !== "adminToken" || session.fingerprint !== operator.fingerprint) return null;
  return { ...own, operator, role: "change" };
}

/** By OPERATORS and the issuers document as they are now; null for whom they no longer let in. */
async function issuerRole(c: AppContext, { operators }: InboxSettings, { issuer, email }: IssuerOperator): Promise<Role | null> {
  const isIssuer = (await peoplesIssuers(c)).some(([name]) => name === issuer);
  return isIssuer ? roleOf(operators, email) : null;
}
