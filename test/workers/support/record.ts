// The record as an operator exports it.

import type { RecordEvent } from "../../../shared/outcome/record.ts";
import { admin } from "./gateway.ts";

export async function recordLines(): Promise<RecordEvent[]> {
  const text = new TextDecoder().decode(await (await admin("/record")).arrayBuffer());
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as RecordEvent); // the export's own lines
}
