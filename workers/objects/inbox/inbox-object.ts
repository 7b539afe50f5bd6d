// One reviewer's inbox: which reviews wait for them, their sign-in links and sessions, their
// passkeys, and their open pages.
//
// Its name is a digest of the reviewer's name. It decides nothing, and has no more of a review's
// content than its notices may show: runs tell it facts, and the pages read each review from its
// run. Whoever calls it has checked by the policy whose inbox it is; a session is checked here at
// each call.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { backoffMs } from "../../../shared/backoff.ts";
import { linkMs, signInMs, signInToken } from "../../../shared/review/inbox.ts";
import type { InboxList, InboxQuery } from "../../../shared/review/inbox-list.ts";
import type { SignInWay } from "../../../shared/receipt/known.ts";
import { sendEmail } from "../../channels/email/email-channel.ts";
import type { Env } from "../../platform/env.ts";
import { logEvent } from "../../platform/log.ts";
import { settingsOf } from "../../platform/settings.ts";
import { signInUrl } from "../../platform/urls.ts";
import {
  type AddPasskeyInput,
  type AddedPasskey,
  type AskInput,
  type Device,
  type DeviceInput,
  type InboxCalls,
  type InboxOverview,
  type InboxSession,
  type PushAnswer,
  type PushInput,
  type SignInAnswer,
  type SignInInput,
  type StoredPasskey,
  type ToldInput,
  type UsedPasskey,
  type Visitor,
  type WindowVisitor,
  visitorHeader,
} from "../../stubs/inbox-calls.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { ContentSeal } from "../content-seal.ts";
import { inboxSchema } from "../schema/inbox-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { Devices } from "./inbox-devices.ts";
import { Pushing } from "./inbox-pushing.ts";
import { type QueuedEmail, SignIns } from "./inbox-sign-ins.ts";
import { Passkeys } from "./inbox-passkeys.ts";
import { InboxWindows } from "./inbox-windows.ts";
import { type Change, WaitingReviews, emptyList } from "./inbox-waiting.ts";

const emailAttempts = 4;
const retry = { firstMs: 2_000, mostMs: 60_000 };
/** Of the reviews that wait: more than one page has. */
const mostKeys = 500;

export class InboxObject extends StoredObject implements InboxCalls {
  readonly #waiting: WaitingReviews;
  readonly #signIns: SignIns;
  readonly #passkeys: Passkeys;
  readonly #windows: InboxWindows;
  readonly #devices: Devices;
  readonly #pushing: Pushing;
  readonly #alarm: ObjectAlarm;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, inboxSchema);
    const seal = new ContentSeal(env, ctx.id.toString());
    this.#waiting = new WaitingReviews(this.sql, seal);
    this.#devices = new Devices(this.sql, seal);
    this.#pushing = new Pushing(env, this.#devices, this.clock.now);
    this.#signIns = new SignIns(this.sql);
    this.#passkeys = new Passkeys(this.sql);
    this.#windows = new InboxWindows(ctx);
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "inbox.alarmFailed" });
    void this.#alarm.restore();
  }

  tell(told: ToldInput): void {
    // Also of a review that does not wait any more: an older telling may still come.
    this.tables.create();
    const change = this.ctx.storage.transactionSync(() => this.#waiting.tell(told, this.now()));
    this.#alarm.arm();
    if (change !== null) this.#announce(change);
  }

  ask(input: AskInput): void {
    this.tables.create();
    if (!this.#signIns.ask(input, this.now())) return;
    this.#alarm.arm();
    this.ctx.waitUntil(this.#sendEmails());
  }

  signIn(input: SignInInput): SignInAnswer {
    if (!this.tables.exist) return { kind: "over" };
    const { inboxSessionMs } = settingsOf(this.env);
    const answer = this.ctx.storage.transactionSync(() => this.#signIns.use(input, this.now(), inboxSessionMs));
    this.#alarm.arm();
    return answer;
  }

  beginSession(address: string, way: JsonOf<SignInWay>): string {
    this.tables.create();
    const secret = this.#signIns.begin(address, way, this.now(), settingsOf(this.env).inboxSessionMs);
    this.#alarm.arm();
    return secret;
  }

  session(visitor: Visitor): InboxSession | null {
    const good = this.#good(visitor);
    if (visitor.session !== null && good === null) return null;
    const { address } = visitor;
    const passkeys = this.tables.exist ? this.#passkeys.of(address).length : 0;
    return { count: this.#count(address), way: good?.way ?? null, since: good?.since ?? null, passkeys };
  }

  #count(address: string): number {
    return this.tables.exist ? this.#waiting.count(address, this.now()) : 0;
  }

  overview(address: string): JsonOf<InboxOverview> {
    return jsonOf({ waiting: this.#count(address), passkeys: readJsonOf(this.passkeys(address)) });
  }

  passkeys(address: string): JsonOf<readonly StoredPasskey[]> {
    return jsonOf(this.tables.exist ? this.#passkeys.of(address) : []);
  }

  addPasskey(input: JsonOf<AddPasskeyInput>): AddedPasskey {
    this.tables.create();
    const added = this.ctx.storage.transactionSync(() => this.#passkeys.add(readJsonOf(input), this.now()));
    this.#alarm.arm();
    return added;
  }

  usePasskey(used: UsedPasskey): boolean {
    return this.tables.exist && this.ctx.storage.transactionSync(() => this.#passkeys.use(used, this.now()));
  }

  removePasskey(id: string): boolean {
    return this.tables.exist && this.#passkeys.remove(id);
  }

  list(visitor: Visitor, query: InboxQuery): JsonOf<InboxList> | null {
    if (!this.#isGood(visitor)) return null;
    if (!this.tables.exist) return jsonOf(emptyList);
    return jsonOf(this.#waiting.list(visitor.address, query, this.now()));
  }

  devices(visitor: Visitor): JsonOf<readonly Device[]> | null {
    if (!this.#isGood(visitor)) return null;
    return jsonOf(this.tables.exist ? this.#devices.list(visitor.address) : []);
  }

  addDevice(visitor: Visitor, device: DeviceInput): "added" | "full" | null {
    if (!this.#isGood(visitor)) return null;
    this.tables.create();
    const added = this.ctx.storage.transactionSync(() => this.#devices.add(visitor.address, device, this.now()));
    this.#alarm.arm();
    return added;
  }

  removeDevice(visitor: Visitor, id: string): number | null {
    if (!this.#isGood(visitor)) return null;
    if (this.tables.exist) this.#devices.remove(id);
    else return 0;
    return this.#devices.list(visitor.address).length;
  }

  renewDevice(address: string, device: DeviceInput): boolean {
    return this.tables.exist && this.ctx.storage.transactionSync(() => this.#devices.renew(address, device, this.now()));
  }

  async push(message: PushInput): Promise<PushAnswer> {
    if (!this.tables.exist) return message.withdraws ? { kind: "sent" } : { kind: "failed", why: "notFound" };
    const answer = await this.#pushing.send(message);
    this.#alarm.arm();
    return answer;
  }

  signOut(session: string | null): number {
    if (!this.tables.exist) return 0;
    const ended = this.#signIns.end(session);
    if (session === null) this.#devices.removeAll();
    this.#windows.closeUnless((window) => (session === null ? false : window.session !== session));
    return ended;
  }

  /** Opens a live window for a page of the inbox. */
  override fetch(request: Request): Response {
    if (request.headers.get("Upgrade") !== "websocket") return new Response(null, { status: 426 });
    const visitor = JSON.parse(request.headers.get(visitorHeader) ?? "null") as WindowVisitor; // written by our own routes
    const until = visitor.session === null ? visitor.until : this.#good(visitor)?.until;
    if (until === undefined || until <= this.now()) return new Response(null, { status: 404 });
    this.tables.create();
    const answer = this.#windows.accept({ ...visitor, until }, this.#message(visitor, null));
    this.#alarm.arm();
    return answer;
  }

  override webSocketMessage(): void {
    // Pages only listen.
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      if (!this.tables.exist) return;
      await this.#sendEmails();
      const now = this.now();
      this.#windows.closeUnless((window) => this.#isOpenFor(window));
      this.#signIns.forget(now);
      this.#waiting.forget(now);
      this.#passkeys.forget(now);
      this.#devices.forget(now);
      const kept = [this.#signIns, this.#waiting, this.#passkeys, this.#devices];
      if (kept.every((each) => each.isEmpty()) && this.#windows.nextEnd() === null) return this.#delete();
      this.#alarm.arm();
    });
  }

  async #delete(): Promise<void> {
    await Promise.all([this.ctx.storage.deleteAlarm(), this.tables.deleteAll()]);
  }

  #nextDue(): number | null {
    if (!this.tables.exist) return null;
    const dues = [
      this.#waiting.nextForget(),
      this.#signIns.nextDue(),
      this.#passkeys.nextForget(),
      this.#windows.nextEnd(),
      this.#devices.nextDue(),
    ];
    const times = dues.filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  #good(visitor: Visitor): ReturnType<SignIns["good"]> {
    return this.tables.exist ? this.#signIns.good(visitor, this.now()) : null;
  }

  /** A visitor by Access was judged by the Worker, with this very request. */
  #isGood(visitor: Visitor): boolean {
    return visitor.session === null || this.#good(visitor) !== null;
  }

  #isOpenFor(window: WindowVisitor): boolean {
    return window.until > this.now() && this.#isGood(window);
  }

  #announce(change: Change): void {
    this.#windows.tell(
      (window) => this.#isOpenFor(window),
      (window) => this.#message(window, change),
    );
  }

  /**
   * What an open page is told: how many wait; at first the names of those, later of the one that
   * changed.
   */
  #message({ address }: Visitor, change: Change | null): string {
    const now = this.now();
    const count = this.#waiting.count(address, now);
    return JSON.stringify({ kind: "inbox", count, ...(change ?? { what: "all", keys: this.#waiting.keys(address, now, mostKeys) }) });
  }

  async #sendEmails(): Promise<void> {
    const now = this.now();
    for (const row of this.#signIns.dueEmails(now)) {
      if (row.attempts >= emailAttempts || now >= row.asked_at + signInMs) {
        logEvent("inbox.mailFailed", { attempt: row.attempts });
        this.#signIns.emailed(row.id);
        continue;
      }
      this.#signIns.attempt(row.id, now + backoffMs(retry, row.attempts, this.random()));
      await this.#sendEmail(row);
    }
  }

  async #sendEmail({ id, mail, asked_at: askedAt, attempts }: QueuedEmail): Promise<void> {
    const { keys, publicUrl } = settingsOf(this.env);
    if (publicUrl === undefined) return this.#signIns.emailed(id);
    const { inbox, email, language } = readJsonOf(mail);
    const expiresAtSeconds = Math.floor((askedAt + linkMs) / 1000);
    const url = signInUrl(publicUrl, signInToken(keys, { inbox, id, expiresAtSeconds }));
    const sent = await sendEmail(this.env, email, { kind: "signIn", input: { url, language } }, `inbox-${id}`);
    if (sent.kind === "sent") return this.#signIns.emailed(id);
    logEvent("inbox.mailFailed", { attempt: attempts, error: sent.why });
    if (sent.kind === "failed") this.#signIns.emailed(id);
    else if (sent.afterMs !== undefined) this.#signIns.attempt(id, this.now() + sent.afterMs);
  }
}
