// The Model Control Protocol envelope as a wire.

import type { JsonObject } from "../../encoding.ts";
import type { Codec } from "../codec.ts";
import { type ControlAsked, controlAnswer } from "./answer.ts";
import type { Envelope } from "./envelope.ts";
import { type EnvelopeRefusal, parseEnvelope } from "./read-envelope.ts";

export const controlCodec: Codec<Envelope, EnvelopeRefusal, JsonObject, [ControlAsked]> = { decode: parseEnvelope, encode: controlAnswer };
