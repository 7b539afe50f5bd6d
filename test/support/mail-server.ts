// The scripted mail API on a real socket: for a gateway that runs as a process of its own.

import { createMailApi, type MailApi } from "./mail-api.ts";
import { serve, type Served } from "./serve.ts";

/** Give the gateway RESEND_BASE_URL `url` and one of the `keys` as RESEND_API_KEY. */
export async function startMailServer(port = 0): Promise<MailApi & Served> {
  const api = createMailApi();
  const served = await serve(api.answer, port);
  return { ...api, ...served };
}
