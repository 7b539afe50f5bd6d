// What operators are told of by the channels that the policy's `alerts` names: a provider that
// fails, a budget that is used up, reviews that reach nobody or expire. Each is said once when it
// begins and once when it ends.
//
// What is to be said is committed with what is known, and sent until its channel took it or it is
// given up: every attempt at one message has the same id. While nothing is wrong the object sleeps;
// who finds a failure wakes it, and so does the cron trigger.

import { type Backoff, backoffMs } from "../../shared/backoff.ts";
import { isTooLittle } from "../../shared/budget/account.ts";
import { type Allowance, type Budgets, allowances, ownNames } from "../../shared/budget/budgets.ts";
import { sha256Hex } from "../../shared/encoding.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import type { LinkChannel } from "../../shared/notice-channels.ts";
import { type Policy, type PolicyReviewer, everyoneIn } from "../../shared/policy/rules.ts";
import { type Alert, type Observation, type OpenAlert, alertStep, budgetTopic, observed, topicKey } from "../../shared/telemetry/alerts.ts";
import type { DeliveryResult } from "../channels/channel.ts";
import { channelsFor, nextChannel, openChannel, openChannels } from "../channels/registry.ts";
import type { Env } from "../platform/env.ts";
import { logEvent } from "../platform/log.ts";
import { settingsOf } from "../platform/settings.ts";
import { alertUrl } from "../platform/urls.ts";
import { documentsOf } from "../stores/documents.ts";
import { outcomesOf } from "../stores/outcomes.ts";
import type { AlertCalls, UsedUp } from "../stubs/alert-calls.ts";
import { budgetStub } from "../stubs/stubs.ts";
import type { ObjectAlarm } from "./alarm.ts";
import { alertSchema } from "./schema/alert-schema.ts";
import { StoredObject } from "./stored-object.ts";

/** What fails within this time of a first failure is looked at together. */
const lookAfterMs = 5_000;
/** While something goes on failing, each look asks every shard of the record. */
const lookEveryMs = 15_000;
/** How often is looked whether it is over. */
const lookAgainMs = 60_000;
const hourMs = 3_600_000;
const retry: Backoff = { firstMs: 2_000, mostMs: 10 * 60_000 };
/** A channel that takes nothing is given up after some three hours, for the person's next one. */
const mostAttempts = 20;

type OpenRow = { topic: string; text: JsonOf<OpenAlert>; told: number };
type TellingRow = {
  id: string;
  phase: string;
  reviewer: string;
  channel: string;
  asked: JsonOf<readonly LinkChannel[]>;
  text: JsonOf<Alert>;
  attempts: number;
};
type Alerts = NonNullable<Policy["alerts"]>;

export class AlertObject extends StoredObject implements AlertCalls {
  readonly #alarm: ObjectAlarm;
  #lookedAt = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, alertSchema);
    this.tables.create();
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "alert.alarmFailed" });
    void this.#alarm.restore();
  }

  look(): void {
    const at = Math.max(this.now() + lookAfterMs, this.#lookedAt + lookEveryMs);
    const set = this.#lookAt();
    if (set === null || set > at) this.#lookNext(at);
    this.#alarm.arm();
  }

  usedUp(used: JsonOf<UsedUp>): void {
    this.sql.exec("INSERT OR REPLACE INTO used_up (topic, allowance) VALUES (?, ?)", topicKey(budgetTopic(readJsonOf(used))), used);
    this.look();
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      const { policy, budgets } = await this.#documents();
      const at = this.#lookAt();
      try {
        if (at !== null && at <= this.now()) await this.#lookNow(policy, budgets);
      } finally {
        // What is to be said does not wait for a part of the record that cannot be read.
        await this.#sendDue(policy);
      }
      this.#alarm.arm();
    });
  }

  #documents(): Promise<{ readonly policy: Policy; readonly budgets: Budgets }> {
    return documentsOf(this.env, this.now(), (work) => this.ctx.waitUntil(work));
  }

  async #lookNow({ alerts, ...policy }: Policy, budgets: Budgets): Promise<void> {
    if (alerts === undefined) return this.#forget();
    const now = this.now();
    this.#lookedAt = now;
    const observations = [
      ...observed(await outcomesOf(this.env, now, (work) => this.ctx.waitUntil(work)), now),
      ...(await this.#observedBudgets(budgets)),
    ];
    this.ctx.storage.transactionSync(() => {
      const open = this.#open();
      // What nobody wants to hear of any more ends unsaid.
      for (const { topic } of open) if (!alerts.about.includes(topic.kind)) this.#close(topicKey(topic));
      const { began, ended } = alertStep(this.#open(), observations, alerts.about);
      const people = everyoneIn(policy, alerts.to);
      for (const observation of began) this.#begin(observation, alerts, people);
      for (const alert of ended) this.#end(alert, people);
      this.#lookNext(this.#open().length > 0 ? now + lookAgainMs : null);
    });
  }

  /** Budgets that are not used up any more are no longer asked. */
  async #observedBudgets(budgets: Budgets): Promise<Observation[]> {
    const rows = this.sql.exec<{ topic: string; allowance: JsonOf<UsedUp> }>("SELECT topic, allowance FROM used_up").toArray();
    return Promise.all(
      rows.map(async ({ topic: key, allowance: text }): Promise<Observation> => {
        const known = readJsonOf(text);
        const allowance = currentOf(budgets, known);
        const isUsed =
          allowance !== null && isTooLittle(await budgetStub(this.env, allowance).usage(allowance), allowance.limit, known.wanted);
        if (!isUsed) this.sql.exec("DELETE FROM used_up WHERE topic = ?", key);
        return { topic: budgetTopic(allowance ?? known), is: isUsed ? "on" : "off", counts: { failed: 0, count: 0 } };
      }),
    );
  }

  #begin({ topic, counts }: Observation, { perHour }: Alerts, people: readonly PolicyReviewer[]): void {
    const alert: OpenAlert = { id: `alert_${crypto.randomUUID().replaceAll("-", "")}`, topic, since: this.now() };
    const told = this.#mayTell(perHour);
    this.sql.exec("INSERT INTO open (topic, id, text, told) VALUES (?, ?, ?, ?)", topicKey(topic), alert.id, jsonOf(alert), told ? 1 : 0);
    if (told) this.#queue({ ...alert, phase: "began", at: this.now(), counts, leftOut: this.#leftOut() }, people);
  }

  /** Whoever heard that it began hears that it is over, however many alerts there are. */
  #end({ counts, ...alert }: OpenAlert & Pick<Alert, "counts">, people: readonly PolicyReviewer[]): void {
    const key = topicKey(alert.topic);
    const [row] = this.sql.exec<{ told: number }>("SELECT told FROM open WHERE topic = ?", key).toArray();
    this.#close(key);
    if (row?.told !== 1) return;
    this.#queue({ ...alert, phase: "ended", at: this.now(), counts, leftOut: this.#leftOut() }, people);
  }

  /** Counts a beginning; false where there were too many within the hour. */
  #mayTell(perHour: number): boolean {
    const now = this.now();
    this.sql.exec("DELETE FROM counted WHERE at <= ? AND told = 1", now - hourMs);
    const { n } = this.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM counted WHERE told = 1").one();
    const may = n < perHour;
    this.sql.exec("INSERT INTO counted (at, told) VALUES (?, ?)", now, may ? 1 : 0);
    return may;
  }

  /** How many nobody heard of; the message that is made now says so. */
  #leftOut(): number {
    return this.sql.exec("DELETE FROM counted WHERE told = 0 RETURNING 1").toArray().length;
  }

  #queue(alert: Alert, people: readonly PolicyReviewer[]): void {
    for (const person of people) {
      // The outbox sends nothing.
      const first = channelsFor(person, openChannels(this.env)).first.filter(({ name }) => name !== "outbox");
      const asked = jsonOf<readonly LinkChannel[]>(first.map(({ name }) => name));
      for (const { name } of first)
        this.sql.exec(
          "INSERT INTO telling (id, phase, reviewer, channel, asked, text, attempts, due_at) VALUES (?, ?, ?, ?, ?, ?, 0, ?)",
          alert.id,
          alert.phase,
          person.name,
          name,
          asked,
          jsonOf(alert),
          this.now(),
        );
    }
  }

  #open(): OpenAlert[] {
    return this.sql
      .exec<OpenRow>("SELECT topic, text, told FROM open")
      .toArray()
      .map(({ text }) => readJsonOf(text));
  }

  #close(key: string): void {
    this.sql.exec("DELETE FROM open WHERE topic = ?", key);
  }

  /** Nobody is to be told any more. */
  #forget(): void {
    this.ctx.storage.transactionSync(() => {
      for (const name of ["open", "used_up", "telling", "counted", "looking"]) this.sql.exec(`DELETE FROM ${name}`);
    });
  }

  async #sendDue(policy: Policy): Promise<void> {
    // The end waits for the beginning.
    const rows = this.sql
      .exec<TellingRow>(
        `SELECT id, phase, reviewer, channel, asked, text, attempts FROM telling AS t WHERE due_at <= ?
           AND (phase = 'began' OR NOT EXISTS (SELECT 1 FROM telling AS b WHERE b.id = t.id AND b.reviewer = t.reviewer AND b.phase = 'began'))`,
        this.now(),
      )
      .toArray();
    const people = new Map(everyoneIn(policy, policy.alerts?.to ?? []).map((person) => [person.name, person]));
    await Promise.all(rows.map((row) => this.#send(row, people.get(row.reviewer))));
  }

  /** Never throws: what fails is due again later. */
  async #send(row: TellingRow, person: PolicyReviewer | undefined): Promise<void> {
    const { publicUrl } = settingsOf(this.env);
    const channel = openChannel(this.env, row.channel);
    if (person === undefined || publicUrl === undefined) return this.#done(row);
    const alert = readJsonOf(row.text);
    const said = { kind: "alert", alert, url: alertUrl(publicUrl, alert.topic.kind) } as const;
    const idempotencyKey = `${row.id}-${row.phase}-${sha256Hex(`${row.reviewer}\0${row.channel}`).slice(0, 16)}`;
    const sent: DeliveryResult =
      channel === undefined
        ? { kind: "failed", why: "notConfigured" }
        : await channel
            .say({ reviewer: person, said, idempotencyKey })
            .catch((): DeliveryResult => ({ kind: "again", why: "unavailable" }));
    if (sent.kind === "sent") return this.#done(row);
    logEvent("alert.sendFailed", { attempt: row.attempts, error: sent.why });
    if (sent.kind === "again" && row.attempts + 1 < mostAttempts) {
      const waitMs = Math.max(sent.afterMs ?? 0, backoffMs(retry, row.attempts, this.random()));
      this.sql.exec(
        "UPDATE telling SET attempts = attempts + 1, due_at = ? WHERE id = ? AND phase = ? AND reviewer = ? AND channel = ?",
        this.now() + waitMs,
        ...keyOf(row),
      );
      return;
    }
    const asked = readJsonOf(row.asked);
    const next = nextChannel(person, openChannels(this.env), new Set<LinkChannel>([...asked, "outbox"]));
    if (next === undefined) return this.#done(row);
    this.sql.exec(
      "UPDATE OR REPLACE telling SET channel = ?, asked = ?, attempts = 0, due_at = ? WHERE id = ? AND phase = ? AND reviewer = ? AND channel = ?",
      next.name,
      jsonOf<readonly LinkChannel[]>([...asked, next.name]),
      this.now(),
      ...keyOf(row),
    );
  }

  #done(row: TellingRow): void {
    this.sql.exec("DELETE FROM telling WHERE id = ? AND phase = ? AND reviewer = ? AND channel = ?", ...keyOf(row));
  }

  #lookAt(): number | null {
    return this.sql.exec<{ at: number }>("SELECT at FROM looking").toArray()[0]?.at ?? null;
  }

  #lookNext(at: number | null): void {
    if (at === null) this.sql.exec("DELETE FROM looking");
    else this.sql.exec("INSERT OR REPLACE INTO looking (one, at) VALUES (1, ?)", at);
  }

  #nextDue(): number | null {
    const { at } = this.sql.exec<{ at: number | null }>("SELECT MIN(due_at) AS at FROM telling").one();
    const look = this.#lookAt();
    return at === null || look === null ? (at ?? look) : Math.min(at, look);
  }
}

const keyOf = ({ id, phase, reviewer, channel }: TellingRow) => [id, phase, reviewer, channel] as const;

/**
 * The amount as the budgets document has it now; null where it has it no longer. A key's own, which
 * no document has, stays as it was.
 */
function currentOf({ budgets }: Budgets, known: Allowance): Allowance | null {
  const budget = Object.hasOwn(budgets, known.budget) ? budgets[known.budget] : undefined;
  if (budget === undefined) return ownNames.includes(known.budget) ? known : null;
  return allowances(known.budget, known.part, budget).find(({ unit }) => unit === known.unit) ?? null;
}
