// What OAuth stores, on both sides of the relay. In front: what the library stores, where a read
// sees each write before it: a code is used once, and what was revoked is gone at once. Workers KV,
// which the library is made for, promises neither. Behind: a person's own login at one server,
// whose object is that login's alone (own-login.ts).

import { jsonOf } from "../../shared/json/json-of.ts";
import type { LoginEntry } from "../../shared/relay/login.ts";
import type { Env } from "../platform/env.ts";
import {
  type LoginBegun,
  type LoginEnd,
  type LoginReturn,
  type LoginStart,
  type LoginStatus,
  type LoginToken,
  type OAuthCalls,
  type OAuthEntry,
  type OAuthNames,
  unusedClientMs,
} from "../stubs/oauth-calls.ts";
import { configStub, keyStub } from "../stubs/stubs.ts";
import type { ObjectAlarm } from "./alarm.ts";
import { ContentSeal } from "./content-seal.ts";
import { OwnLogin } from "./own-login.ts";
import { RacedRefreshes } from "./raced-refreshes.ts";
import { oauthSchema } from "./schema/oauth-schema.ts";
import { StoredObject } from "./stored-object.ts";

const mostNames = 1_000;
/** Of each of the sixteen objects: anybody may register, as often as they like. */
const mostUnusedClients = 1_000;

export class OAuthObject extends StoredObject implements OAuthCalls {
  readonly #alarm: ObjectAlarm;
  readonly #login: OwnLogin;
  readonly #raced = new RacedRefreshes(() => this.now());

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, oauthSchema);
    this.#alarm = this.alarmFor({
      nextDue: () => (this.tables.exist ? this.sql.exec<{ at: number | null }>("SELECT MIN(expires_at) AS at FROM entry").one().at : null),
      failed: "oauth.alarmFailed",
    });
    void this.#alarm.restore();
    this.#login = new OwnLogin({ env, now: () => this.now(), seal: new ContentSeal(env, ctx.id.toString()), store: this });
  }

  read(name: string): OAuthEntry | null {
    if (!this.tables.exist) return null;
    const select = "SELECT value, metadata, expires_at AS expiresAt FROM entry WHERE name = ? AND (expires_at IS NULL OR expires_at > ?)";
    return this.sql.exec<OAuthEntry>(select, name, this.now()).toArray()[0] ?? null;
  }

  write(name: string, { value, metadata, expiresAt }: OAuthEntry): void {
    this.tables.create();
    this.sql.exec("INSERT OR REPLACE INTO entry (name, value, metadata, expires_at) VALUES (?, ?, ?, ?)", name, value, metadata, expiresAt);
    if (name.startsWith("client:")) this.#forgetUnusedClients();
    this.#alarm.arm();
  }

  /** A flood of registrations pushes out others that nobody let in, and never one that is used. */
  #forgetUnusedClients(): void {
    this.sql.exec(
      `DELETE FROM entry WHERE name IN (SELECT name FROM entry WHERE name >= 'client:' AND name < 'client;' AND expires_at <= ?
        ORDER BY expires_at DESC LIMIT -1 OFFSET ?)`,
      this.now() + unusedClientMs,
      mostUnusedClients,
    );
  }

  trade(grant: string, entry: OAuthEntry): boolean {
    // Of the library's: it takes it away with the trade.
    if (this.read(grant)?.value.includes('"authCodeWrappedKey":') !== true) return false;
    this.write(grant, entry);
    return true;
  }

  beginRefresh(grant: string, request: string): Promise<string | null> {
    return this.#raced.begin(grant, request);
  }

  endRefresh(grant: string, request: string, answer: string | null): void {
    this.#raced.end(grant, request, answer);
  }

  take(name: string, holder: string): OAuthEntry | null {
    const entry = this.read(name);
    if (entry === null || entry.metadata !== jsonOf({ holder })) return null;
    this.sql.exec("DELETE FROM entry WHERE name = ?", name);
    return entry;
  }

  async remove(name: string): Promise<void> {
    if (!this.tables.exist) return;
    this.#raced.forget(name);
    if (name.startsWith("grant:")) await this.#endKeyOf(name);
    this.sql.exec("DELETE FROM entry WHERE name = ?", name);
    const given = name.replace(/^grant/, "refresh");
    if (given !== name) this.sql.exec("DELETE FROM entry WHERE name >= ? AND name < ?", `${given}:`, `${given};`);
  }

  /**
   * The key of the person's last grant that stands for it ends too, and with it its streams and
   * what waits: whether its client gave it back, was let in anew, or has not come for too long.
   */
  async #endKeyOf(grant: string): Promise<void> {
    const keyOf = (entry: string): string => `json_extract(${entry}.value, '$.metadata.key')`;
    const [found] = this.sql
      .exec<{ key: string | null }>(
        `SELECT ${keyOf("ended")} AS key FROM entry AS ended WHERE name = ? AND NOT EXISTS (SELECT 1 FROM entry AS other
          WHERE name >= 'grant:' AND name < 'grant;' AND name <> ended.name AND ${keyOf("other")} = ${keyOf("ended")}
          AND (expires_at IS NULL OR expires_at > ?))`,
        grant,
        this.now(),
      )
      .toArray();
    if (found?.key == null) return;
    await keyStub(this.env, found.key).revoke();
    await configStub(this.env).revokeKey(found.key, { kind: "connection" });
  }

  names(prefix: string, after: string | null, limit: number): OAuthNames {
    if (!this.tables.exist) return { entries: [], more: false };
    const most = Math.min(limit, mostNames);
    const entries = this.sql
      .exec<OAuthNames["entries"][number]>(
        "SELECT name, metadata, expires_at AS expiresAt FROM entry WHERE name > ? AND substr(name, 1, ?) = ? AND (expires_at IS NULL OR expires_at > ?) ORDER BY name LIMIT ?",
        after ?? prefix,
        prefix.length,
        prefix,
        this.now(),
        most + 1,
      )
      .toArray();
    return { entries: entries.slice(0, most), more: entries.length > most };
  }

  beginLogin(start: LoginStart): Promise<LoginBegun> {
    return this.#login.begin(start);
  }

  finishLogin(entry: LoginEntry, back: LoginReturn): Promise<LoginEnd> {
    return this.#login.finish(entry, back);
  }

  loginToken(entry: LoginEntry, refused: string | null): Promise<LoginToken> {
    return this.#login.token(entry, refused);
  }

  loginStatus(binding: string): LoginStatus {
    return this.#login.status(binding);
  }

  loginMade(binding: string, ms: number): Promise<boolean> {
    return this.#login.made(binding, ms);
  }

  endLogin(entry: LoginEntry): void {
    this.#login.end(entry);
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      if (!this.tables.exist) return;
      const over = "name >= 'grant:' AND name < 'grant;' AND expires_at <= ?";
      const grants = this.sql.exec<{ name: string }>(`SELECT name FROM entry WHERE ${over}`, this.now()).toArray();
      for (const { name } of grants) await this.remove(name);
      this.sql.exec("DELETE FROM entry WHERE expires_at <= ?", this.now());
      const isEmpty = this.sql.exec("SELECT 1 FROM entry LIMIT 1").toArray().length === 0;
      if (isEmpty) await this.tables.deleteAll();
      else this.#alarm.arm();
    });
  }
}
