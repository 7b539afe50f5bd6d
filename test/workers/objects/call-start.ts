// How a call of the tests begins.

import { jsonOf } from "../../../shared/json/json-of.ts";
import type { Round } from "../../../shared/relay/rounds.ts";
import type { CallStart } from "../../../workers/stubs/call-calls.ts";

export const createCallStart = (keyId: string, round: Round): CallStart => ({
  keyId,
  server: "open",
  method: "tools/call",
  name: "summarize",
  attempt: "attempt",
  rest: '{"name":"summarize"}',
  headers: [],
  round: jsonOf(round),
  ours: [],
  mostRounds: 3,
});
