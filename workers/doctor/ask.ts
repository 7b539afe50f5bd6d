// One harmless question to a provider, bounded in time and in size. What goes wrong comes back as a fault without a provider's words.

import { parseJson } from "../../shared/json/values.ts";
import type { ProviderError } from "../../shared/model/call.ts";
import { brokenAnswer, connectionError, errorOfStatus, timeoutError } from "../../shared/provider/provider-error.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import { readText } from "../http/body.ts";

/** Hundreds of models with everything that their provider says of them. */
const mostBytes = 8 * 1024 * 1024;

/** The answer as JSON. `ask` makes the request with the signal that ends it. */
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
    // An error has the status of the answer, where there was one. Messages are not looked at: they may hold the key.
    const status = error instanceof Error && "status" in error ? error.status : undefined;
    return err(typeof status === "number" ? errorOfStatus(status) : connectionError);
  } finally {
    clearTimeout(timer);
  }
}
