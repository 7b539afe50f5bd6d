// The calls of an OAuthObject and their values. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { LoginAccount } from "../../shared/credential/login-account.ts";
import type { LoginAsked, LoginEntry, LoginFault } from "../../shared/relay/login.ts";

export type OAuthEntry = {
  readonly value: string;
  readonly metadata: JsonOf<unknown> | null;
  /** Unix milliseconds; null: it is kept. */
  readonly expiresAt: number | null;
};

export type OAuthNames = {
  readonly entries: readonly (Omit<OAuthEntry, "value"> & { readonly name: string })[];
  /** There are more after the last of these. */
  readonly more: boolean;
};

/** A registered client that nobody has let in yet is forgotten after so long. */
export const unusedClientMs = 7 * 86_400_000;

export type LoginStart = Omit<LoginAsked, "server" | "registration"> & {
  readonly entry: LoginEntry;
  /** The browser session that begins it, and alone can end it. */
  readonly bound: string;
};

/** What a browser comes back with. `code`: null where the person, or the server, said no. */
export type LoginReturn = {
  readonly state: string;
  readonly code: string | null;
  readonly iss: string | null;
  readonly bound: string;
};

export type LoginBegun = { readonly kind: "goOn"; readonly to: string } | { readonly kind: "failed"; readonly why: LoginFault };
/** `unknown`: no such sign-in was begun in this session, or it was ended before. */
export type LoginEnd = "connected" | "unknown" | LoginFault;

/** `none`: there is no login, or none that this entry's requests may carry. */
export type LoginToken =
  | { readonly kind: "token"; readonly token: string; readonly account: LoginAccount }
  | { readonly kind: "unreachable"; readonly account: LoginAccount }
  | { readonly kind: "none" };

/** `endedAt`: since then the server refuses it, and its owner has to sign in again. */
export type LoginStatus = {
  readonly account: string | null;
  readonly scope: string | null;
  readonly endedAt: number | null;
} | null;

export interface OAuthCalls extends Rpc.DurableObjectBranded {
  /** Of a person's own login at a server: where the browser goes on to sign in there. */
  beginLogin(start: LoginStart): Promise<LoginBegun>;
  /** The browser is back. A state counts once. */
  finishLogin(entry: LoginEntry, back: LoginReturn): Promise<LoginEnd>;
  /**
   * The access token for a request to this entry, renewed where it has to be: once, however many
   * ask. `refused`: the one that the server has just refused.
   */
  loginToken(entry: LoginEntry, refused: string | null): Promise<LoginToken>;
  loginStatus(binding: string): LoginStatus;
  /** Waits up to `ms` until there is a login for this entry; whether there is one. */
  loginMade(binding: string, ms: number): Promise<boolean>;
  /** Its tokens are forgotten, and behind the answer their server is told that they end. */
  endLogin(entry: LoginEntry): void;
  /** Null where there is none, or where its time is over. */
  read(name: string): OAuthEntry | null;
  /** Of registered clients that nobody has let in, the newest thousand stay. */
  write(name: string, entry: OAuthEntry): void;
  /**
   * Writes a grant whose code is traded; false, and nothing is written, where it was traded before:
   * of two who trade it at once, one gets tokens.
   */
  trade(grant: string, entry: OAuthEntry): boolean;
  /**
   * The answer of the same refresh, where it came a moment ago or comes now. Null: the caller
   * refreshes, and says what came of it. `request`: a digest of all that it consists of.
   */
  beginRefresh(grant: string, request: string): Promise<string | null>;
  endRefresh(grant: string, request: string, answer: string | null): void;
  /**
   * Reads what was written with this `holder` in its metadata, and removes it: of two who ask at
   * once, one gets it. Another holder gets null, and it stays.
   */
  take(name: string, holder: string): OAuthEntry | null;
  /** The key of a grant that is removed ends too, where no other grant stands for it. */
  remove(name: string): Promise<void>;
  /** Names with this prefix in order, those after `after` alone; at most a thousand. */
  names(prefix: string, after: string | null, limit: number): OAuthNames;
}
