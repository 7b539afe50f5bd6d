// Revision 2026-07-28: sampling is one of the inputs that a result asks for, and its result goes
// back among the answers.

import { type McpCodec, codecOf } from "../mcp-2025/codec.ts";
import { toResult } from "../mcp-2025/sampling-result.ts";
import { parseSampling2026 } from "./sampling.ts";
import { revision2026 } from "./meta-keys.ts";

/** The result has the shape that it has since 2025-11-25. */
export const codec2026: McpCodec = codecOf(revision2026, parseSampling2026, toResult);
