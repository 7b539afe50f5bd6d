// What people decided in a request, from its events in the record: who, how they are known, what,
// and after how long. No content, and no reason that somebody gave.

import type { Gate } from "../model/gate.ts";
import type { JudgedSubject } from "../model/judged-request.ts";
import { type KnownBy, knownByChannel } from "../receipt/known.ts";
import type { RecordEvent } from "./record.ts";

export type DecisionFact = {
  readonly run: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly gate: Gate;
  readonly by: string;
  /** The member of a room who pressed the button; null where the reviewer is a person. */
  readonly member: string | null;
  readonly channel: string;
  readonly known: KnownBy["how"];
  /** The issuer's name, where they signed in at one. */
  readonly issuer: string | null;
  /** Their passkey signed it. */
  readonly isByPasskey: boolean;
  readonly decision: "approved" | "denied" | "dismissed";
  /** It was one approval of several: more were needed. */
  readonly isVote: boolean;
  /** What was decided about; null where the record does not say. */
  readonly subject: JudgedSubject | null;
  /** How often what was decided had been changed before, by anybody who was asked. */
  readonly edits: number;
  /** They wrote it themselves. */
  readonly isWritten: boolean;
  readonly hasReason: boolean;
  /** Since the review opened; null where its opening is not in the events. */
  readonly waitedMs: number | null;
};

/** @param events of one request, in their order. */
export function decisionsIn(events: readonly RecordEvent[]): DecisionFact[] {
  let subject: JudgedSubject | null = null;
  const edits: Record<Gate, number> = { request: 0, response: 0 };
  const openedAt: Partial<Record<Gate, number>> = {};
  return events.flatMap(({ run, at, fact }): DecisionFact[] => {
    switch (fact.kind) {
      case "received":
        subject = fact.judged.subject ?? "message";
        return [];
      case "reviewOpened":
        openedAt[fact.gate] ??= at;
        return [];
      case "edited":
      case "redactionLifted":
      case "replyWritten":
        edits[fact.gate] += 1;
        return [];
      case "voted":
      case "approved":
      case "denied":
      case "dismissed": {
        const { gate, by, channel, member = null, kind, known = knownByChannel(channel) } = fact;
        const opened = openedAt[gate];
        return [
          {
            run,
            at,
            gate,
            by,
            member,
            channel,
            known: known.how,
            isByPasskey: "passkey" in fact,
            issuer: known.how === "issuer" ? known.issuer : null,
            decision: kind === "voted" ? "approved" : kind,
            isVote: kind === "voted",
            subject,
            edits: edits[gate],
            isWritten: fact.byWriting === true,
            hasReason: fact.reasonGiven,
            waitedMs: opened === undefined ? null : at - opened,
          },
        ];
      }
      default:
        return [];
    }
  });
}
