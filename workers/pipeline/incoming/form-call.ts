// A form of an MCP server on its way into the pipeline: a run whose one review is a person's
// answer.

import type { Originating } from "../../../shared/association/relay-association.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import type { Form } from "../../../shared/model/subject/form.ts";
import { elicitationMethod } from "../../../shared/relay/url-elicitation.ts";
import type { Result } from "../../../shared/result.ts";
import { begin } from "../begin.ts";
import type { Started } from "../pipeline-request.ts";
import { type ServerCall, servedRequest } from "./sampling-call.ts";

type FormCall = ServerCall & {
  readonly request: Form;
  /** The name of the session that the served request is in flight in. */
  readonly session: string;
  readonly originating: Originating & { readonly inferred?: boolean };
};

/**
 * Whether a refused form was simply put before nobody: that is no error of its server's, and no
 * "no" of a person's. Everything else is wrong with the request itself, or with the gateway.
 */
export const isUnaskedForm = ({ kind }: Refusal): boolean =>
  kind !== "invalidParams" && kind !== "notAssociated" && kind !== "sameIdOtherParams" && kind !== "broken";

/** Begins a form, or attaches to what is running for the same one. */
export const beginForm = ({ request, session, originating, ...call }: FormCall): Promise<Result<Started, Refusal>> =>
  begin({ ...servedRequest(elicitationMethod, call, { session, originating: { ...originating, server: request.server } }), request });
