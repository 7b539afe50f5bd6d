// What was seen from outside while the gateway was killed again and again: what judge.ts judges.
// Times are Unix milliseconds.

export const kinds = ["fast", "control", "request-gate", "response-gate", "both-gates", "relay"] as const;
export type Kind = (typeof kinds)[number];

/** One request of a caller, who repeats it until it has an answer. */
export type Asked = {
  /** Unique: it stands in the prompt, and so in what the model gets. */
  readonly question: string;
  readonly kind: Kind;
  readonly end: End;
  /** How often it was sent. */
  readonly tries: number;
};

export type End =
  /** `texts`: what the answer and a later repeat of it said; runs as the answers named them. */
  | { readonly how: "completed"; readonly texts: readonly string[]; readonly runs: readonly string[]; readonly at: number }
  | { readonly how: "denied"; readonly text: string }
  /** The gateway says that the outcome is unknown: only for what a server was asked. */
  | { readonly how: "unknown" }
  /** Any other answer. */
  | { readonly how: "failed"; readonly text: string }
  /** No answer came, however often it was asked. */
  | { readonly how: "none" };

export type Paid = { readonly question: string; readonly at: number; readonly reply: string };

/** A decision that the gateway took: answered with 303. */
export type Decided = {
  readonly question: string;
  readonly run: string;
  readonly gate: "request" | "response";
  readonly act: "approve" | "deny";
};

/** An event of the record. */
export type Event = { readonly run: string; readonly fact: { readonly kind: string } & Readonly<Record<string, unknown>> };

export type History = {
  readonly asked: readonly Asked[];
  readonly paid: readonly Paid[];
  readonly decided: readonly Decided[];
  readonly events: readonly Event[];
  /** Chains of the record that are broken or cut off. */
  readonly brokenRuns: readonly string[];
  /**
   * Continuations that the MCP server got, by the state that it gave: each call has one of its own.
   * A client that lost its answer, and sends its request again without a state, begins another
   * call.
   */
  readonly continued: ReadonlyMap<string, number>;
  /** Requests that the MCP server got, by question. */
  readonly called: ReadonlyMap<string, number>;
  /** Which question each run is about, as its review page showed it. */
  readonly questionOf: ReadonlyMap<string, string>;
  readonly kills: readonly number[];
};
