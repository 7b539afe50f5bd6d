// Between a wire and the pipeline: a codec decodes messages to neutral requests and encodes
// outcomes as messages. Every wire has one.

import type { Outcome } from "../model/outcome.ts";
import type { Result } from "../result.ts";

/**
 * `Context`: what a wire has to know of the request to encode its answer; empty where the outcome
 * says it all.
 */
export type Codec<Decoded, Refusal, Message, Context extends readonly unknown[] = []> = {
  /**
   * The neutral request, from a value as JSON.parse gave it. Refused: what the wire does not allow,
   * with everything that is wrong.
   */
  readonly decode: (message: unknown) => Result<Decoded, Refusal>;
  /**
   * The wire's message for an outcome. What the wire cannot carry becomes an error that says so;
   * nothing is lost silently.
   */
  readonly encode: (outcome: Outcome, ...context: Context) => Message;
};
