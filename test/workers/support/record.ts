// The record as an operator exports it.

import type { RecordEvent } from "../../../shared/record/record.ts";
import { admin } from "./gateway.ts";

/**
 * Every event, or those of one run or chain. The export's times are text; here they are numbers, as
 * they are hashed.
 */
export async function recordLines({ run }: { readonly run?: string } = {}): Promise<RecordEvent[]> {
  const query = run === undefined ? "" : `?${new URLSearchParams({ run })}`;
  const text = new TextDecoder().decode(await (await admin(`/record${query}`)).arrayBuffer());
  return eventsIn(text);
}

/** The events of an export. */
export const eventsIn = (text: string): RecordEvent[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const event = JSON.parse(line) as Omit<RecordEvent, "at"> & { readonly at: string }; // the export's own lines
      return { ...event, at: Date.parse(event.at) };
    });
