// One harmless request to a provider, bounded in time and size. An error never has the provider's
// words.

import { parseJson } from "../../shared/json/values.ts";
import type { ProviderError } from "../../shared/model/call.ts";
import { brokenAnswer, connectionError, errorOfStatus, timeoutError } from "../../shared/provider/provider-error.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import { readText } from "../http/body.ts";

/** Enough for a list of hundreds of models with their descriptions. */
const mostBytes = 8 * 1024 * 1024;

/** The response body as JSON. `ask` makes the request with the signal that aborts it. */
export async function askProvider(
  ask: (signal: AbortSignal) => Promise<Response>,
  timeoutMs: number,
): Promise<Result<unknown, ProviderError>> {
  const attempt = new AbortController();
  const timer = setTimeout(() => attempt.abort(), timeoutMs);
  try {
    const { body: answer } = await ask(attempt.signal);
    const text = await readText(answer, mostBytes);
    if (text === undefined) return err(brokenAnswer("tooLarge"));
    const body = parseJson(text);
    return body === undefined ? err(brokenAnswer("notJson")) : ok(body);
  } catch (error) {
    if (attempt.signal.aborted) return err(timeoutError);
    // The SDK's error has the response's status, if there was one. Its message is not read: it may
    // have the key.
    const status = error instanceof Error && "status" in error ? error.status : undefined;
    return err(typeof status === "number" ? errorOfStatus(status) : connectionError);
  } finally {
    clearTimeout(timer);
  }
}
