// The codec of each revision of MCP: a new revision is its folder, a line here and one in
// mcp-features.ts.

import { type McpCodec, codecs2025 } from "./mcp-2025/codec.ts";
import { codec2026 } from "./mcp-2026/codec.ts";

export type { McpCodec };

const codecs: Readonly<Record<string, McpCodec>> = { ...codecs2025, [codec2026.revision]: codec2026 };

/** For a request that does not say its revision. */
export const defaultCodec: McpCodec = codecs2025["2025-11-25"];

/** The codec of a revision; the default one where it is none of those that are spoken here. */
export const mcpCodec = (revision = ""): McpCodec => (Object.hasOwn(codecs, revision) ? codecs[revision] : undefined) ?? defaultCodec;
