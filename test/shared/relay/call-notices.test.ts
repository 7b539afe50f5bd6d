import { expect, test } from "vitest";
import { saysTimeout } from "../../../shared/relay/call-notices.ts";

test.each([
  ["McpError: MCP error -32001: Request timed out", true],
  ["SdkError: Request timed out", true],
  ["TimeoutError: The operation was aborted due to timeout", true],
  ["request timeout", true],
  ["context deadline exceeded", true],
  ["Tool call cancelled by user", false],
  ["User pressed stop. No time left, out of office", false],
  ["", false],
  [undefined, false],
  [32_001, false],
])("a cancellation because of %j is a timeout: %s", (reason, isTimeout) => expect(saysTimeout(reason)).toBe(isTimeout));
