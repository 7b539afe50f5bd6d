// Sends the checkpoints of a shard's log to a witness, who keeps them: whoever has the gateway and
// its key can then not write the log anew unnoticed. Nothing waits for the witness.

import { errorClass, logEvent } from "../../platform/log.ts";
import { version } from "../../platform/version.ts";

/** Between two checkpoints, and before one that the witness did not take is sent again. */
const pauseMs = 5 * 60_000;
const timeoutMs = 10_000;

type Sent = { readonly size: number; readonly triedAt: number; readonly failingSince: number | null };
const never: Sent = { size: 0, triedAt: 0, failingSince: null };

type WitnessDeps = {
  readonly sql: SqlStorage;
  readonly now: () => number;
  /** Undefined where there is no witness. */
  readonly url: () => string | undefined;
};

export class LogWitness {
  readonly #deps: WitnessDeps;

  constructor(deps: WitnessDeps) {
    this.#deps = deps;
  }

  #sent(): Sent {
    const [row] = this.#deps.sql.exec<Sent>("SELECT size, tried_at AS triedAt, failing_since AS failingSince FROM log_witness").toArray();
    return row ?? never;
  }

  /** When to send a checkpoint of so many entries, in Unix milliseconds; null: never. */
  dueAt(size: number): number | null {
    if (this.#deps.url() === undefined) return null;
    const sent = this.#sent();
    return size <= sent.size ? null : Math.max(this.#deps.now(), sent.triedAt + pauseMs);
  }

  /** Since when the witness takes no checkpoint; null where it took the last one. */
  get failingSince(): number | null {
    return this.#deps.url() === undefined ? null : this.#sent().failingSince;
  }

  /** Sends the checkpoint where it is due. Never throws: what fails is sent again. */
  async send(size: number, noteOf: () => Promise<string | null>): Promise<void> {
    const url = this.#deps.url();
    const dueAt = this.dueAt(size);
    const now = this.#deps.now();
    if (url === undefined || dueAt === null || dueAt > now) return;
    const before = this.#sent();
    const failure = await posted(url, noteOf);
    if (failure !== null) logEvent("ledger.witnessFailed", failure);
    const sent = failure === null ? { size, failingSince: null } : { size: before.size, failingSince: before.failingSince ?? now };
    this.#deps.sql.exec(
      "INSERT OR REPLACE INTO log_witness (one, size, tried_at, failing_since) VALUES (1, ?, ?, ?)",
      sent.size,
      now,
      sent.failingSince,
    );
  }
}

type Failure = { readonly status: number } | { readonly error: string };

/** Null where the witness took it: any 2xx. The rest of the answer is not read. */
async function posted(url: string, noteOf: () => Promise<string | null>): Promise<Failure | null> {
  try {
    const note = await noteOf();
    if (note === null) return { error: "noKey" };
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "text/plain; charset=utf-8", "User-Agent": `countersign/${version}` },
      body: note,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    response.body?.cancel().catch(() => {});
    return response.ok ? null : { status: response.status };
  } catch (error) {
    return { error: errorClass(error) };
  }
}
