// The devices that a person turned notices on for, and which of them have which notice: part of the
// InboxObject. Its tables are in objects/schema/inbox-schema.ts.

import { readJsonOf, jsonOf, type JsonOf } from "../../../shared/json/json-of.ts";
import { digestOf } from "../../../shared/encoding.ts";
import type { Subscription } from "../../../shared/channels/push/subscription.ts";
import type { Device, DeviceInput } from "../../stubs/inbox-calls.ts";
import type { ContentSeal } from "../content-seal.ts";

/** Of one person. */
const mostDevices = 20;

type Row = {
  readonly id: string;
  readonly address: string;
  readonly label: string;
  readonly subscription: string;
  readonly key: string;
  readonly made_at: number;
  readonly used_at: number | null;
};

/** What a message is sent to. */
export type Target = { readonly id: string; readonly key: string; readonly subscription: Subscription };

type PushedRow = { readonly message: string; readonly taken: number; readonly tries: number };

/** A page finds its own browser among the devices by the same digest. */
const deviceId = (endpoint: string): string => digestOf("countersign/device/v1", endpoint);

export class Devices {
  readonly #sql: SqlStorage;
  readonly #seal: ContentSeal;

  constructor(sql: SqlStorage, seal: ContentSeal) {
    this.#sql = sql;
    this.#seal = seal;
  }

  list(address: string): Device[] {
    return this.#rows(address).map(({ id, label, made_at: madeAt, used_at: usedAt }) => ({ id, label, madeAt, usedAt }));
  }

  /** The same browser is one device, however often it is turned on. */
  add(address: string, device: DeviceInput, now: number): "added" | "full" {
    const id = deviceId(device.endpoint);
    if (this.#rows(address).filter((each) => each.id !== id).length >= mostDevices) return "full";
    this.#write(address, device, now);
    return "added";
  }

  #write(address: string, { label, endpoint, p256dh, auth, secret, key }: DeviceInput, now: number): void {
    const id = deviceId(endpoint);
    const stored: JsonOf<Subscription> = jsonOf({ endpoint, p256dh, auth });
    this.#sql.exec(
      "INSERT OR REPLACE INTO device (id, address, label, subscription, secret, key, made_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
      id,
      address,
      label,
      this.#seal.sealText(stored, placeOf(id)),
      secret,
      key,
      now,
    );
  }

  /** Another subscription of the same browser. */
  renew(address: string, device: DeviceInput, now: number): boolean {
    const [known] = this.#sql
      .exec<{ id: string; label: string }>("SELECT id, label FROM device WHERE secret = ? AND address = ?", device.secret, address)
      .toArray();
    if (known === undefined) return false;
    this.remove(known.id);
    this.#write(address, { ...device, label: known.label }, now);
    return true;
  }

  remove(id: string): void {
    this.#sql.exec("DELETE FROM device WHERE id = ?", id);
    this.#sql.exec("DELETE FROM pushed WHERE device = ?", id);
  }

  removeAll(): void {
    this.#sql.exec("DELETE FROM device");
    this.#sql.exec("DELETE FROM pushed");
  }

  /** Of this address; one that was turned on under another is forgotten. */
  #rows(address: string): Row[] {
    const rows = this.#sql
      .exec<Row>("SELECT id, address, label, subscription, key, made_at, used_at FROM device ORDER BY made_at DESC, id")
      .toArray();
    for (const { id } of rows.filter((row) => row.address !== address)) this.remove(id);
    return rows.filter((row) => row.address === address);
  }

  /** One that CONTENT_KEY no longer opens is forgotten: its browser has to be turned on again. */
  #targets(address: string): Target[] {
    return this.#rows(address).flatMap(({ id, key, subscription }) => {
      const text = this.#seal.openText(subscription, placeOf(id));
      if (text !== null) return [{ id, key, subscription: readJsonOf(text as JsonOf<Subscription>) }]; // of #write
      this.remove(id);
      return [];
    });
  }

  /**
   * To whom this message is still to be sent, and whether anybody has it. `isWithdrawal`: to those
   * that may show an earlier one of its topic.
   */
  pending(
    address: string,
    { id: message, topic, withdraws }: { readonly id: string; readonly topic: string; readonly withdraws: boolean },
  ): { readonly targets: readonly Target[]; readonly taken: number } {
    const all = this.#targets(address);
    const rows = new Map(all.map(({ id }) => [id, this.#pushed(topic, id)]));
    if (withdraws) return { targets: all.filter(({ id }) => rows.get(id)?.shown === 1), taken: 0 };
    const hasIt = ({ id }: Target): boolean => rows.get(id)?.message === message && rows.get(id)?.taken === 1;
    return { targets: all.filter((each) => !hasIt(each)), taken: all.filter(hasIt).length };
  }

  #pushed(topic: string, device: string): (PushedRow & { readonly shown: number }) | undefined {
    return this.#sql
      .exec<PushedRow & { readonly shown: number }>(
        "SELECT message, taken, tries, shown FROM pushed WHERE topic = ? AND device = ?",
        topic,
        device,
      )
      .toArray()[0];
  }

  /** Before the attempt, so that one that is cut off counts; returns the number of this one. */
  attempt(topic: string, device: string, message: string, forgetAt: number): number {
    const known = this.#pushed(topic, device);
    const tries = known?.message === message ? known.tries + 1 : 1;
    this.#sql.exec(
      "INSERT OR REPLACE INTO pushed (topic, device, message, taken, shown, tries, forget_at) VALUES (?, ?, ?, 0, ?, ?, ?)",
      topic,
      device,
      message,
      known?.shown ?? 0,
      tries,
      forgetAt,
    );
    return tries;
  }

  taken(topic: string, device: string, now: number): void {
    this.#sql.exec("UPDATE pushed SET taken = 1, shown = 1 WHERE topic = ? AND device = ?", topic, device);
    this.#sql.exec("UPDATE device SET used_at = ? WHERE id = ?", now, device);
  }

  /** Nobody knows whether the message arrived. */
  mayShow(topic: string, device: string): void {
    this.#sql.exec("UPDATE pushed SET shown = 1 WHERE topic = ? AND device = ?", topic, device);
  }

  withdrawn(topic: string, device: string): void {
    this.#sql.exec("DELETE FROM pushed WHERE topic = ? AND device = ?", topic, device);
  }

  nextDue(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT MIN(forget_at) AS at FROM pushed").one().at;
  }

  forget(now: number): void {
    this.#sql.exec("DELETE FROM pushed WHERE forget_at <= ?", now);
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM device LIMIT 1").toArray().length === 0;
  }
}

/** Where a sealed subscription is read again. */
const placeOf = (id: string): string => `device ${id}`;
