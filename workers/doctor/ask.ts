// One harmless question to a provider, bounded in time and in size. What goes wrong comes back as a fault without a provider's words.

import type { ProviderFault } from "../../shared/provider/call.ts";
import { brokenAnswer, connectionFault, faultOfStatus, timeoutFault } from "../../shared/provider/fault.ts";
import { parseJson } from "../../shared/provider/narrow.ts";
import { err, ok, type Result } from "../../shared/result.ts";

/** Hundreds of models with everything that their provider says of them. */
const mostBytes = 8 * 1024 * 1024;

/** The answer as JSON. `ask` makes the request with the signal that ends it. */
export async function askProvider(
  ask: (signal: AbortSignal) => Promise<Response>,
  timeoutMs: number,
): Promise<Result<unknown, ProviderFault>> {
  const attempt = new AbortController();
  const timer = setTimeout(() => attempt.abort(), timeoutMs);
  try {
    const text = await boundedText(await ask(attempt.signal));
    if (text === undefined) return err(brokenAnswer("tooLarge"));
    const body = parseJson(text);
    return body === undefined ? err(brokenAnswer("notJson")) : ok(body);
  } catch (error) {
    if (attempt.signal.aborted) return err(timeoutFault);
    // The SDKs' errors have the status of the answer, where there was one. Their messages are not looked at: they may hold the key.
    const status = error instanceof Error && "status" in error ? error.status : undefined;
    return err(typeof status === "number" ? faultOfStatus(status) : connectionFault);
  } finally {
    clearTimeout(timer);
  }
}

async function boundedText({ body }: Response): Promise<string | undefined> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > mostBytes) {
      // Not awaited: who does not stop may not say that they were let go either.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
