import { expect, test } from "vitest";
import { decisionsIn } from "../../../shared/record/decisions.ts";
import type { RecordEvent, RecordFact } from "../../../shared/record/record.ts";

const eventsOf = (...facts: readonly object[]): RecordEvent[] =>
  facts.map((fact, i) => ({ run: "run_a", seq: i + 1, at: 1_000 * i, fact: fact as RecordFact })); // the members that are read

test("a request's decisions: who, how they are known, after how long, and whether it was changed before", () => {
  const gate = "request";
  const decided = { gate, version: 2, digest: "d", reasonGiven: false };
  const events = eventsOf(
    { kind: "received", judged: { subject: "toolCall" } },
    { kind: "reviewOpened", gate },
    { kind: "edited", gate, by: "Ann" },
    { kind: "voted", by: "Ann", channel: "inbox", ...decided },
    { kind: "approved", by: "Ops room", channel: "slack", member: "U1", ...decided },
    { kind: "denied", by: "Bo", channel: "email", ...decided, gate: "response", reasonGiven: true },
    { kind: "denied", by: "Cy", channel: "inbox", known: { how: "issuer", issuer: "office" }, ...decided },
  );
  expect(decisionsIn(events)).toEqual([
    expect.objectContaining({
      by: "Ann",
      known: "inbox",
      decision: "approved",
      isVote: true,
      edits: 1,
      waitedMs: 2_000,
      subject: "toolCall",
    }),
    expect.objectContaining({ by: "Ops room", member: "U1", known: "slack", decision: "approved", isVote: false, waitedMs: 3_000 }),
    expect.objectContaining({ by: "Bo", known: "link", decision: "denied", edits: 0, hasReason: true, waitedMs: null }),
    expect.objectContaining({ by: "Cy", known: "issuer", issuer: "office" }),
  ]);
});
