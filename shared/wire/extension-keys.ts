// The names of the gateway's own extensions to MCP, each a member of `_meta` and of
// `capabilities.experimental`. Imports nothing.

/**
 * The format that a sampling request requires of its reply (docs/http-contract.md, "A reply in
 * JSON").
 */
export const responseFormatKey = "countersign/responseFormat";

/**
 * Under `capabilities.experimental`: what the gateway understands of a sampling request beyond the
 * protocol.
 */
export const ourExtensions = { [responseFormatKey]: {} } as const;
