// Who is at the console: whoever signed in with the admin token, by the session's cookie, or an
// operator whom Cloudflare Access signed in.

import { consoleSessionId } from "../../../shared/credential/console-session.ts";
import { tokenOperator } from "../../../shared/record/operators.ts";
import { consoleUrl } from "../../platform/urls.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import { type SignedInOperator, accessOperator } from "../auth.ts";
import type { InboxSettings } from "../inbox/reader.ts";
import { cookieOf, homeOfThis, isAtItsAddress } from "../session-address.ts";

export type ConsoleOperator = SignedInOperator & {
  /** What the forms of their pages are bound to. */
  readonly bound: string;
  /** The URL of the console for this operator. */
  readonly home: string;
  /** The session; null where Cloudflare Access signed them in. */
  readonly session: string | null;
};

/** Null: nobody who is signed in. A session that another admin token opened is over. */
export async function consoleOperator(c: AppContext, settings: InboxSettings): Promise<ConsoleOperator | null> {
  const { publicUrl, keys, adminToken } = settings;
  const home = consoleUrl(publicUrl);
  const byAccess = await accessOperator(c);
  if (byAccess !== null) {
    const email = byAccess.operator.kind === "access" ? byAccess.operator.email : "";
    return { ...byAccess, bound: `access/${email}`, home, session: null };
  }
  const id = consoleSessionId(keys, cookieOf(c, "countersign-console", publicUrl) ?? "");
  if (id === undefined || adminToken === undefined || !isAtItsAddress(c, settings, id)) return null;
  const session = await configStub(c.env).consoleSession(id);
  const operator = tokenOperator(keys, adminToken);
  if (session === null || operator.kind !== "adminToken" || session.fingerprint !== operator.fingerprint) return null;
  return { operator, role: "change", until: session.until, bound: `session/${id}`, home: homeOfThis(c, home, settings), session: id };
}
