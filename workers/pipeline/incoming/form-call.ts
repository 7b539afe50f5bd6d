// A form of an MCP server on its way into the pipeline: a run whose one review is a person's
// answer.

import type { Originating } from "../../../shared/association/relay-association.ts";
import type { Evidence } from "../../../shared/association/evidence.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import type { Form } from "../../../shared/model/subject/form.ts";
import { requestText } from "../../../shared/receipt/claims.ts";
import { textDigest } from "../../../shared/run/run-receipt.ts";
import { once } from "../../../shared/once.ts";
import type { Result } from "../../../shared/result.ts";
import { contentIdentity, samplingIdentity } from "../../../shared/wire/identity.ts";
import { type RequestId, idKey } from "../../../shared/wire/json-rpc.ts";
import { sessionStub } from "../../stubs/stubs.ts";
import { begin } from "../begin.ts";
import type { PipelineRequest, Started } from "../pipeline-request.ts";
import { originatingKey, servedBy } from "./sampling-call.ts";

type FormCall = Pick<PipelineRequest, "env" | "ctx" | "key" | "responseMode" | "receipts" | "signal" | "trace"> & {
  readonly id: RequestId;
  /** As they came, for the digests. */
  readonly params: unknown;
  readonly request: Form;
  readonly revision: string;
  /** The name of the session that the served request is in flight in. */
  readonly session: string;
  readonly originating: Originating & { readonly inferred?: boolean };
  /** How the relay found which request is served; absent where the host says so. */
  readonly evidence?: Evidence;
};

/**
 * Whether a refused form was simply put before nobody: that is no error of its server's, and no
 * "no" of a person's. Everything else is wrong with the request itself, or with the gateway.
 */
export const isUnaskedForm = ({ kind }: Refusal): boolean =>
  kind !== "invalidParams" && kind !== "notAssociated" && kind !== "sameIdOtherParams" && kind !== "broken";

/** Begins a form, or attaches to what is running for the same one. */
export function beginForm({
  id,
  params,
  request,
  session: name,
  originating,
  evidence,
  ...call
}: FormCall): Promise<Result<Started, Refusal>> {
  const { server } = request;
  const session = sessionStub(call.env, call.key.id, name);
  return begin({
    ...call,
    ...servedBy({ server, ...originating }, evidence),
    request,
    contextIgnored: null,
    association: {
      kind: "clientRequest",
      session,
      requestRef: { session: session.id.toString(), originating: originatingKey(server, originating.id), request: idKey(id) },
    },
    digest: samplingIdentity(params),
    asked: once(() => textDigest(requestText("elicitation/create", params))),
    content: once(() => contentIdentity(params)),
  });
}
