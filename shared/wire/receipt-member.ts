// Where a receipt stands in a JSON-RPC response.

import { objectOf } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import { receiptKey } from "../receipt/claims.ts";
import type { RpcAnswer } from "./json-rpc.ts";

/** In `_meta` of the result, or in the error's data. */
export function withReceipt(answer: RpcAnswer, receipt: string | undefined): RpcAnswer {
  if (receipt === undefined) return answer;
  if ("error" in answer) return { error: { ...answer.error, data: { ...answer.error.data, [receiptKey]: receipt } } };
  return { result: resultWithReceipt(answer.result, receipt) };
}

const resultWithReceipt = (result: JsonObject, receipt: string): JsonObject => ({
  ...result,
  _meta: { ...objectOf(result["_meta"]), [receiptKey]: receipt },
});
