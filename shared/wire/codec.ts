// What a wire is to the pipeline: its requests become neutral ones, and an outcome becomes its message. Every wire has one codec of this shape.

import type { Outcome } from "../model/outcome.ts";
import type { Result } from "../result.ts";

/** `Asked`: what a wire has to know of the request to answer it; nothing, where the outcome says it all. */
export type Codec<Decoded, Fault, Message, Asked extends readonly unknown[] = []> = {
  /** The neutral request, from a value as JSON.parse gave it. Refused: what the wire does not allow, with everything that is wrong. */
  readonly decode: (message: unknown) => Result<Decoded, Fault>;
  /** The wire's message for an outcome. What the wire cannot say becomes an error that says so; nothing is lost silently. */
  readonly encode: (outcome: Outcome, ...asked: Asked) => Message;
};
