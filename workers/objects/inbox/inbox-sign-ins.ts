// One reviewer's sign-in links and sessions. Of a browser's secret and a session's only digests are
// stored, and of a link no token. A session is bound to the address that it was asked for.
// The tables are in objects/schema/inbox-schema.ts.

import { type JsonOf, jsonOf } from "../../../shared/json/json-of.ts";
import { toBase64url } from "../../../shared/encoding.ts";
import {
  addressDigest,
  linkMs,
  secretDigest,
  sessionSecretLength,
  signInMs,
  signInRandomLength,
  unusedMs,
} from "../../../shared/review/inbox.ts";
import type { SignInWay } from "../../../shared/receipt/known.ts";
import type { AskInput, SignInAnswer, SignInInput, Visitor } from "../../stubs/inbox-calls.ts";

const mostUnused = 3;

type LinkRow = {
  readonly browser: string;
  readonly address: string;
  readonly to_review: string | null;
  readonly asked_at: number;
  readonly used_at: number | null;
};

/** Times are Unix milliseconds. */
type GoodSession = { readonly way: JsonOf<SignInWay>; readonly since: number; readonly until: number };

/** An email that is still to be sent. */
export type QueuedEmail = { readonly id: string; readonly mail: JsonOf<EmailFacts>; readonly asked_at: number; readonly attempts: number };
/** What it is made of: in `mail`, deleted when it is sent. */
type EmailFacts = { readonly inbox: string; readonly email: string; readonly language: string | null };

export class SignIns {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Queues a link's email; false while three of the last hour are unused: those are for this
   * browser too.
   */
  ask({ inbox, email, language, browser, to }: AskInput, now: number): boolean {
    if (this.#unusedAt(now).length >= mostUnused) return false;
    const facts: EmailFacts = { inbox, email, language };
    this.#sql.exec(
      "INSERT INTO sign_in (id, browser, address, to_review, asked_at, used_at, mail, attempts, due_at) VALUES (?, ?, ?, ?, ?, NULL, ?, 0, ?)",
      toBase64url(crypto.getRandomValues(new Uint8Array(signInRandomLength))),
      browser,
      addressDigest(email),
      to,
      now,
      jsonOf(facts),
      now,
    );
    return true;
  }

  /** The links that had not been used at a time, of the hour before it. */
  #unusedAt(time: number): string[] {
    return this.#sql
      .exec<{ id: string }>(
        "SELECT id FROM sign_in WHERE asked_at > ? AND asked_at <= ? AND (used_at IS NULL OR used_at > ?)",
        time - unusedMs,
        time,
        time,
      )
      .toArray()
      .map(({ id }) => id);
  }

  /**
   * Whether a browser asked for an email that this link, among three that anybody may have asked
   * for, stopped.
   */
  #hasStopped(id: string, askedAt: number | null, now: number): boolean {
    if (askedAt === null || now >= askedAt + signInMs) return false;
    const unused = this.#unusedAt(askedAt);
    return unused.length >= mostUnused && unused.includes(id);
  }

  /**
   * A link signs in once, for the address that it was sent to, and within ten minutes a browser
   * that asked for it.
   */
  use({ id, browser, askedAt, address }: SignInInput, now: number, sessionMs: number): SignInAnswer {
    const [link] = this.#sql.exec<LinkRow>("SELECT browser, address, to_review, asked_at, used_at FROM sign_in WHERE id = ?", id).toArray();
    if (link === undefined || link.used_at !== null || link.address !== address) return { kind: "over" };
    if (!this.#hasStopped(id, askedAt, now)) {
      if (now >= link.asked_at + signInMs) return { kind: "over" };
      // The link stays good: whoever asked may still use it.
      if (link.browser !== browser) return { kind: "otherBrowser" };
    }
    this.#sql.exec("UPDATE sign_in SET used_at = ?, mail = NULL WHERE id = ?", now, id);
    return { kind: "signedIn", secret: this.begin(address, jsonOf<SignInWay>({ how: "email" }), now, sessionMs), to: link.to_review };
  }

  /** A new session; returns its secret. */
  begin(address: string, way: JsonOf<SignInWay>, now: number, sessionMs: number): string {
    const secret = toBase64url(crypto.getRandomValues(new Uint8Array(sessionSecretLength)));
    this.#sql.exec(
      "INSERT INTO session (id, address, way, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
      secretDigest(secret),
      address,
      way,
      now,
      now + sessionMs,
    );
    return secret;
  }

  /**
   * The visitor's session, where it is good; null where it is not. One of another address than the
   * policy's is ended for good.
   */
  good({ session, address }: Visitor, now: number): GoodSession | null {
    if (session === null) return null;
    const [row] = this.#sql
      .exec<GoodSession & { address: string }>(
        "SELECT address, way, created_at AS since, expires_at AS until FROM session WHERE id = ?",
        session,
      )
      .toArray();
    if (row === undefined || now >= row.until) return null;
    if (row.address === address) return row;
    this.end(session);
    return null;
  }

  /** Ends one session, or all. Links that were not used end with all of them. */
  end(session: string | null): number {
    if (session !== null) return this.#sql.exec("DELETE FROM session WHERE id = ? RETURNING id", session).toArray().length;
    this.#sql.exec("UPDATE sign_in SET used_at = asked_at, mail = NULL WHERE used_at IS NULL");
    return this.#sql.exec("DELETE FROM session RETURNING id").toArray().length;
  }

  dueEmails(now: number): QueuedEmail[] {
    return this.#sql
      .exec<QueuedEmail>("SELECT id, mail, asked_at, attempts FROM sign_in WHERE mail IS NOT NULL AND due_at <= ? ORDER BY asked_at", now)
      .toArray();
  }

  /** Counted before the attempt, so that one that is cut off counts. */
  attempt(id: string, dueAt: number): void {
    this.#sql.exec("UPDATE sign_in SET attempts = attempts + 1, due_at = ? WHERE id = ?", dueAt, id);
  }

  /** Sent, or given up. */
  emailed(id: string): void {
    this.#sql.exec("UPDATE sign_in SET mail = NULL WHERE id = ?", id);
  }

  nextDue(): number | null {
    const { mail, asked, session } = this.#sql
      .exec<{ mail: number | null; asked: number | null; session: number | null }>(
        "SELECT (SELECT MIN(due_at) FROM sign_in WHERE mail IS NOT NULL) AS mail, (SELECT MIN(asked_at) FROM sign_in) AS asked, (SELECT MIN(expires_at) FROM session) AS session",
      )
      .one();
    const times = [mail, asked === null ? null : asked + linkMs, session].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  forget(now: number): void {
    this.#sql.exec("DELETE FROM sign_in WHERE asked_at <= ?", now - linkMs);
    this.#sql.exec("DELETE FROM session WHERE expires_at <= ?", now);
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 WHERE EXISTS (SELECT 1 FROM sign_in) OR EXISTS (SELECT 1 FROM session)").toArray().length === 0;
  }
}
