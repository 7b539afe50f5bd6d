// A run's input as its spans have it: who asked, and what may be asked of whom. Nothing of the
// content.

import type { SubjectRequest } from "../model/subject/subject.ts";
import type { TracedCalls } from "../telemetry/model-spans.ts";
import type { TracedRequest } from "../telemetry/request-spans.ts";
import type { RequestTrace } from "../telemetry/request-trace.ts";
import type { RequestInput } from "./run-input.ts";

type Input = Pick<RequestInput, "id" | "endpoint" | "key" | "requestor" | "use">;

export const tracedInput = ({ id, endpoint, key, requestor, use }: Input, trace: RequestTrace): TracedRequest => ({
  run: id,
  trace,
  endpoint,
  key: key.id,
  revision: use?.revision,
  server: requestor.server,
  method: requestor.method,
  name: requestor.name,
});

/** A name of OpenTelemetry's semantic conventions. */
const operationOf = (kind: SubjectRequest["kind"]): TracedCalls["operation"] =>
  kind === "chat" ? "chat" : kind === "embedding" ? "embeddings" : "execute_tool";

export const tracedCalls = (
  { candidates, use }: Pick<RequestInput, "candidates" | "use">,
  kind: SubjectRequest["kind"],
): Omit<TracedCalls, "placeOf"> => ({
  operation: operationOf(kind),
  maxTokens: use?.maxTokens ?? 0,
  models: candidates.map(({ model: { id, provider, name } }) => ({ id, provider, name })),
});
