import { expect, test } from "vitest";
import { addedToolCalls, toolCallsIn } from "../../../shared/record/tool-calls.ts";

const line = (name: string | null, state: "completed" | "rejected" | "refused" | "expired" | "failed", call?: true) => ({
  name,
  state,
  ...(call === undefined ? {} : { call }),
});

test("calls are counted by tool, with what people, rules and limits denied of them", () => {
  const lines = [
    line("read", "completed", true),
    line("read", "refused", true),
    line("delete", "rejected", true),
    line("delete", "expired", true),
    line("delete", "failed", true),
    // Sampling of the same tool, and a call whose tool could not be read.
    line("read", "rejected"),
    line(null, "refused", true),
  ];
  const counted = [
    { tool: "read", calls: 2, denied: 1 },
    { tool: "delete", calls: 3, denied: 1 },
  ];
  expect(toolCallsIn(lines)).toEqual(counted);
  expect(addedToolCalls([...counted, ...toolCallsIn(lines.slice(0, 1))])).toEqual([{ tool: "read", calls: 3, denied: 1 }, counted[1]]);
});
