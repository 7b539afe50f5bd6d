// The receipt that goes with a call to its server, where the server's entry wants one.

import { paramsIn } from "../../../../shared/relay/rounds.ts";
import { fromUtf8 } from "../../../../shared/encoding.ts";
import { edited, memberOf, withMembers } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { receiptKey } from "../../../../shared/receipt/claims.ts";
import type { ReceiptFacts } from "../../../../shared/receipt/facts.ts";
import { receiptOf } from "../../../pipeline/receipts.ts";
import type { Env } from "../../../platform/env.ts";
import type { RelayRequest } from "../relay-request.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";

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
  const params = paramsIn(message.body);
  const given = memberOf(message.body, params, "arguments");
  const receipt = await receiptOf(env, facts, given === undefined ? {} : { raw: message.body.subarray(given.from, given.to) });
  if (receipt === null) return message;
  const meta = memberOf(message.body, params, "_meta");
  const isObject = objectOf(objectOf(objectOf(message.value)?.["params"])?.["_meta"]) !== null;
  const member = { [receiptKey]: receipt };
  const edits =
    meta !== undefined && isObject ? withMembers(message.body, meta, member) : withMembers(message.body, params, { _meta: member });
  const body = edited(message.body, edits);
  return { body, value: parseJson(fromUtf8(body)) };
}
