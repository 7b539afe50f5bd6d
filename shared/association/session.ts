// Which sampling request belongs to which client request, and which repeats which. No clock, no
// storage. Of the messages it sees only ids, digests and counts.
//
// The protocol lets a server sample only while it handles a client request (2025-11-25,
// client/sampling).

/** An originating request that is idle for this long counts as ended. */
export const originatingLapsesMs = 24 * 3_600_000;
/** A fast-path result is stored this long for a repeat of the same request. */
export const resultKeptMs = 10 * 60_000;

/** What the session remembers of one originating request. */
export type Originating = { readonly state: "open" | "ended"; readonly lastAt: number; readonly rounds: number };

/**
 * What the session remembers of one sampling request, by its JSON-RPC id under its originating
 * request.
 */
export type Reservation = {
  readonly digest: string;
  readonly run: string;
  /**
   * `fast`: a Worker handles it until `leaseUntil`; `durable`: a RunObject handles it; `settled`:
   * its result is stored here.
   */
  readonly state: "fast" | "durable" | "settled";
  readonly leaseUntil: number;
  /** It has been answered, or its run is over. */
  readonly ended: boolean;
};

export type SessionFacts = {
  readonly sessionEnded: boolean;
  readonly originating: Originating | null;
  readonly reservation: Reservation | null;
};

export type ReservationRequest = {
  readonly digest: string;
  readonly run: string;
  /** How long the Worker may take before another may take over, in milliseconds. */
  readonly leaseMs: number;
  /**
   * Whether the request becomes a run, which its RunObject handles from the start: its reservation
   * has no lease.
   */
  readonly durable: boolean;
  /** It serves no client request: no rounds are counted for one, and none is opened. */
  readonly alone: boolean;
  /** How many sampling requests one originating request may have: the tool-loop limit. */
  readonly roundsLimit: number;
};

type Association =
  | { readonly kind: "fresh"; readonly rounds: number; readonly reservation: Reservation }
  /**
   * The Worker with the reservation exceeded its lease: the request is made again, and the record
   * must say that it may be paid twice.
   */
  | { readonly kind: "takenOver"; readonly rounds: number; readonly reservation: Reservation }
  | { readonly kind: "repeat"; readonly reservation: Reservation }
  | { readonly kind: "conflict" }
  | { readonly kind: "ended"; readonly what: "session" | "originatingRequest" }
  | { readonly kind: "tooManyRounds"; readonly limit: number };

/**
 * Whether an originating request may still be sampled for: it is open, and was not idle for 24
 * hours.
 */
export const isLive = (originating: Originating, now: number): boolean =>
  originating.state === "open" && now - originating.lastAt < originatingLapsesMs;

/**
 * Judges a sampling request against what the session knows. The first one that names an originating
 * request opens it; one that ended is never opened again.
 * @param now Unix milliseconds.
 */
export function associate(known: SessionFacts, asked: ReservationRequest, now: number): Association {
  if (known.sessionEnded) return { kind: "ended", what: "session" };
  if (known.originating !== null && !isLive(known.originating, now)) return { kind: "ended", what: "originatingRequest" };
  const earlier = known.reservation;
  const rounds = known.originating?.rounds ?? 0;
  if (earlier !== null) {
    if (earlier.digest !== asked.digest) return { kind: "conflict" };
    if (earlier.state !== "fast" || now < earlier.leaseUntil) return { kind: "repeat", reservation: earlier };
    return { kind: "takenOver", rounds, reservation: fresh(asked, now) };
  }
  if (asked.alone) return { kind: "fresh", rounds, reservation: fresh(asked, now) };
  if (rounds >= asked.roundsLimit) return { kind: "tooManyRounds", limit: asked.roundsLimit };
  return { kind: "fresh", rounds: rounds + 1, reservation: fresh(asked, now) };
}

const fresh = (asked: ReservationRequest, now: number): Reservation => ({
  digest: asked.digest,
  run: asked.run,
  state: asked.durable ? "durable" : "fast",
  leaseUntil: now + asked.leaseMs,
  ended: false,
});
