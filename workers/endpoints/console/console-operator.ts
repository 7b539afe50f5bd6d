// Who is at the console: whoever signed in with the admin token, by the session's cookie, or an operator whom Cloudflare Access signed in.

import { consoleSessionId } from "../../../shared/credential/console-session.ts";
import { tokenOperator } from "../../../shared/record/operators.ts";
import { settingsOf } from "../../platform/settings.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import { type SignedInOperator, accessOperator } from "../auth.ts";
import type { InboxSettings } from "../inbox/reader.ts";
import { consoleCookieOf } from "./console-cookie.ts";

export type ConsoleOperator = SignedInOperator & {
  /** What the forms of their pages are bound to. */
  readonly bound: string;
  /** The session; null where Cloudflare Access signed them in. */
  readonly session: string | null;
};

/** Null: nobody who is signed in. A session that another admin token opened is over. */
export async function consoleOperator(c: AppContext, { publicUrl, keys }: InboxSettings): Promise<ConsoleOperator | null> {
  const byAccess = await accessOperator(c);
  if (byAccess !== null) {
    const email = byAccess.operator.kind === "access" ? byAccess.operator.email : "";
    return { ...byAccess, bound: `access/${email}`, session: null };
  }
  const { adminToken } = settingsOf(c.env);
  const id = consoleSessionId(keys, consoleCookieOf(c, publicUrl));
  if (id === undefined || adminToken === undefined) return null;
  const session = await configStub(c.env).consoleSession(id);
  const operator = tokenOperator(keys, adminToken);
  if (session === null || operator.kind !== "adminToken" || session.fingerprint !== operator.fingerprint) return null;
  return { operator, role: "change", until: session.until, bound: `session/${id}`, session: id };
}
