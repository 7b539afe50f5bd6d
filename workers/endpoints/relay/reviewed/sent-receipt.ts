// The receipt that goes with a call to its server, where the server's entry wants one.

import { memberIn, withMembers } from "../../../../shared/json/spans.ts";
import { receiptKey } from "../../../../shared/receipt/claims.ts";
import type { ReceiptFacts } from "../../../../shared/receipt/facts.ts";
import { argumentsIn } from "../../../../shared/relay/call-notices.ts";
import { paramsIn } from "../../../../shared/relay/message-bytes.ts";
import { metaOf } from "../../../../shared/relay/messages.ts";
import { receiptOf } from "../../../pipeline/receipts.ts";
import type { Env } from "../../../platform/env.ts";
import type { RelayRequest } from "../relay-request.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { changed } from "./sent-call.ts";

/**
 * The message with a receipt, where its server's entry wants one: in place of whatever its client
 * put there.
 */
export async function withReceipt(
  env: Env,
  { server }: RelayRequest,
  message: PostedMessage,
  facts: ReceiptFacts | undefined,
): Promise<PostedMessage> {
  if (facts === undefined || !server.receipts) return message;
  const { body, value } = message;
  const given = argumentsIn(body);
  const receipt = await receiptOf(env, facts, given === undefined ? {} : { raw: body.subarray(given.from, given.to) });
  if (receipt === null) return message;
  const meta = metaOf(value) === null ? undefined : memberIn(body, "params", "_meta");
  const member = { [receiptKey]: receipt };
  return changed(message, meta === undefined ? withMembers(body, paramsIn(body), { _meta: member }) : withMembers(body, meta, member));
}
