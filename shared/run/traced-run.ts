// A run's input as its spans have it: who asked, and what may be asked of whom. Nothing of the
// content.

import type { SubjectRequest } from "../model/subject/subject.ts";
import { toolName } from "../model/subject/tool-call.ts";
import type { TracedCalls } from "../telemetry/model-spans.ts";
import type { TracedRequest } from "../telemetry/request-spans.ts";
import type { RequestTrace } from "../telemetry/request-trace.ts";
import type { RequestInput } from "./run-input.ts";
import { candidatesOf } from "./work.ts";

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

/** Names of OpenTelemetry's semantic conventions. What has no call has no span with one. */
const operationOf = (kind: SubjectRequest["kind"]): TracedCalls["operation"] =>
  kind === "chat" ? "chat" : kind === "embedding" ? "embeddings" : "execute_tool";

/** A run of a tool asks for it by its requestor's name, and has no candidates. */
export const tracedCalls = (
  { work, requestor: { server, name }, use }: Pick<RequestInput, "work" | "requestor" | "use">,
  kind: SubjectRequest["kind"],
): Omit<TracedCalls, "positionOf"> => ({
  operation: operationOf(kind),
  maxTokens: use?.maxTokens ?? 0,
  models:
    kind === "toolCall"
      ? [{ id: toolName({ server, tool: name }), provider: server, name }]
      : candidatesOf(work).map(({ model }) => ({ id: model.id, provider: model.provider, name: model.name })),
});
