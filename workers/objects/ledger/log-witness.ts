// Sends the checkpoints of a shard's log to a witness (C2SP `tlog-witness`), who cosigns each only
// where it goes on from the last one: whoever has the gateway and its key can then not write the
// log anew unnoticed. Nothing waits for the witness.

import { fromUtf8 } from "../../../shared/encoding.ts";
import { readCheckpointText } from "../../../shared/record/log/checkpoint.ts";
import { addCheckpointBody, cosigned, readCosignerKey } from "../../../shared/record/log/cosignature.ts";
import { readAnswer } from "../../http/body.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { WitnessSettings } from "../../platform/settings.ts";
import { version } from "../../platform/version.ts";
import type { WitnessProblem } from "../../stubs/ledger-calls.ts";

/** Between two checkpoints, and before one that the witness did not take is sent again. */
const pauseMs = 5 * 60_000;
const timeoutMs = 10_000;
const longestAnswer = 65_536;

/** `size`: what the witness took last. `cosigned`: the last checkpoint with a cosignature. */
type Sent = {
  readonly size: number;
  readonly triedAt: number;
  readonly problem: WitnessProblem | null;
  readonly cosigned: string | null;
};
const never: Sent = { size: 0, triedAt: 0, problem: null, cosigned: null };

/** A checkpoint of so many entries, as a signed note, and the proof that it goes on from fewer. */
type Source = { readonly note: string; readonly proofFrom: (size: number) => Promise<readonly Uint8Array[]> };

type WitnessDeps = {
  readonly sql: SqlStorage;
  readonly now: () => number;
  /** Undefined where there is no witness. */
  readonly witness: () => WitnessSettings | undefined;
  /** Keeps a cosigned checkpoint where the log's files are. */
  readonly keep: (note: string) => Promise<void>;
};

export class LogWitness {
  readonly #deps: WitnessDeps;

  constructor(deps: WitnessDeps) {
    this.#deps = deps;
  }

  #stored(): (Sent & { readonly witness: string }) | undefined {
    return this.#deps.sql
      .exec<Sent & { witness: string }>("SELECT witness, size, tried_at AS triedAt, problem, cosigned FROM log_witness")
      .toArray()[0];
  }

  /** What another witness took says nothing of this one. */
  #sentTo(witness: WitnessSettings): Sent {
    const { witness: name, ...sent } = this.#stored() ?? { ...never, witness: "" };
    return name === nameOf(witness) ? sent : { ...never, cosigned: sent.cosigned };
  }

  /** When to send a checkpoint of so many entries, in Unix milliseconds; null: never. */
  dueAt(size: number): number | null {
    const witness = this.#deps.witness();
    if (witness === undefined) return null;
    const sent = this.#sentTo(witness);
    return size <= sent.size ? null : Math.max(this.#deps.now(), sent.triedAt + pauseMs);
  }

  /** Why the witness did not take the last checkpoint; null where it did. */
  get problem(): WitnessProblem | null {
    const witness = this.#deps.witness();
    return witness === undefined ? null : this.#sentTo(witness).problem;
  }

  /** The last checkpoint that the witness cosigned, as a signed note; null where there is none. */
  get cosigned(): { readonly size: number; readonly note: string } | null {
    const note = this.#stored()?.cosigned ?? null;
    const size = note === null ? undefined : readCheckpointText(note)?.size;
    return note === null || size === undefined ? null : { size, note };
  }

  /** Sends the checkpoint where it is due. Never throws: what fails is sent again. */
  async send(size: number, sourceOf: () => Promise<Source | null>): Promise<void> {
    const witness = this.#deps.witness();
    const dueAt = this.dueAt(size);
    const now = this.#deps.now();
    if (witness === undefined || dueAt === null || dueAt > now) return;
    const before = this.#sentTo(witness);
    const taken = await this.#taken(witness, { old: before.size, size, sourceOf });
    const sent =
      typeof taken === "string" ? { ...before, problem: taken } : { size, problem: null, cosigned: taken.cosigned ?? before.cosigned };
    this.#deps.sql.exec(
      "INSERT OR REPLACE INTO log_witness (one, witness, size, tried_at, problem, cosigned) VALUES (1, ?, ?, ?, ?, ?)",
      nameOf(witness),
      sent.size,
      now,
      sent.problem,
      sent.cosigned,
    );
  }

  async #taken({ url, key: keyText }: WitnessSettings, { old, size, sourceOf }: Sending): Promise<Taken | WitnessProblem> {
    try {
      const source = await sourceOf();
      if (source === null) return failed("unsigned", {});
      let answer = await asked(url, old, source);
      const has = sizeIn(answer);
      // It has seen more or less than we know of: an answer was lost, or it is another witness.
      if (has !== null && has !== old && has <= size) answer = await asked(url, has, source);
      const { status, text } = answer;
      if (status !== 200) return failed(problemOf(answer, size), { status });
      if (keyText === undefined) return { cosigned: null };
      const key = readCosignerKey(keyText);
      const note = key === undefined ? undefined : await cosigned(source.note, text, key, verify);
      if (note === undefined) return failed("uncosigned", { status });
      await this.#deps.keep(note);
      return { cosigned: note };
    } catch (error) {
      return failed("away", { error: errorClass(error) });
    }
  }
}

type Sending = { readonly old: number; readonly size: number; readonly sourceOf: () => Promise<Source | null> };
/** The checkpoint with the cosignature; null where no key is known that makes one. */
type Taken = { readonly cosigned: string | null };

const nameOf = ({ url, key = "" }: WitnessSettings): string => `${key} ${url}`;

function failed(problem: WitnessProblem, details: { readonly status?: number; readonly error?: string }): WitnessProblem {
  logEvent("ledger.witnessFailed", { problem, ...details });
  return problem;
}

type Answer = { readonly status: number; readonly type: string; readonly text: string };

async function asked(url: string, old: number, { note, proofFrom }: Source): Promise<Answer> {
  const size = readCheckpointText(note)?.size ?? 0;
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "text/plain; charset=utf-8", "User-Agent": `countersign/${version}` },
    body: addCheckpointBody(old, old === 0 || old === size ? [] : await proofFrom(old), note),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const bytes = await readAnswer(response, longestAnswer);
  if (bytes === null) throw new Error("LogWitness: the answer is too long");
  return { status: response.status, type: response.headers.get("Content-Type") ?? "", text: fromUtf8(bytes) };
}

/** How many entries the witness has seen, where it says so. */
function sizeIn({ status, type, text }: Answer): number | null {
  const [, digits] = /^(0|[1-9]\d{0,15})\n?$/.exec(text) ?? [];
  return status === 409 && digits !== undefined && /^text\/x\.tlog\.size(?:;|$)/.test(type) ? Number(digits) : null;
}

function problemOf(answer: Answer, size: number): WitnessProblem {
  const has = sizeIn(answer);
  if (has !== null && has > size) return "ahead";
  switch (answer.status) {
    case 403:
      return "otherKey";
    case 404:
      return "unknownLog";
    // A conflict again, at the size that it named: it has as many entries, with another root.
    case 409:
    case 422:
      return "notContinued";
    default:
      return "away";
  }
}

const verify = async (publicKey: Uint8Array, signature: Uint8Array, text: Uint8Array): Promise<boolean> =>
  crypto.subtle.verify("Ed25519", await crypto.subtle.importKey("raw", publicKey, "Ed25519", false, ["verify"]), signature, text);
