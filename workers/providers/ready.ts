// Whether this environment can call a provider of the routing table. A reason never has an address,
// a key or a variable's value.

import { err, ok, type Result } from "../../shared/result.ts";
import { isPrivateHost, readBaseUrl } from "../../shared/address.ts";
import { isBuiltIn } from "../../shared/routing/provider-kinds.ts";
import type { Provider } from "../../shared/routing/table.ts";
import type { ReasonPhrase } from "../../shared/words/reasons.ts";
import type { TraceContext } from "../../shared/telemetry/trace-context.ts";

export type Ready = {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Passed on with each request. */
  readonly trace?: TraceContext;
};

/**
 * What a call of this provider needs, or a clause that says why its models are not eligible.
 * `lookup` reads a variable or secret of the environment; an empty one counts as unset.
 * `baseUrlFrom` wins over `baseUrl`. A built-in provider needs nothing.
 */
export function providerReady(provider: Provider, lookup: (name: string) => string | undefined): Result<Ready, ReasonPhrase> {
  if (isBuiltIn(provider.kind)) return ok({});
  const baseUrl = provider.baseUrlFrom === undefined ? provider.baseUrl : lookup(provider.baseUrlFrom)?.trim();
  if (provider.baseUrlFrom !== undefined && !baseUrl) return err({ key: "addressUnset" });
  const refused = baseUrl === undefined ? undefined : refusedAddress(baseUrl, provider.allowPrivate);
  if (refused !== undefined) return err({ key: "addressWrong", values: { wrong: { key: refused } } });
  const apiKey = provider.secret === undefined ? undefined : lookup(provider.secret)?.trim();
  if (!apiKey && !provider.keyless) return err({ key: "noCredential" });
  return ok({ ...(baseUrl ? { baseUrl } : {}), ...(apiKey ? { apiKey } : {}) });
}

/**
 * The variable or secret whose absence keeps the provider from being called; null where none is
 * missing.
 */
export function missingVariable(provider: Provider, lookup: (name: string) => string | undefined): string | null {
  const { kind, baseUrlFrom, secret, keyless } = provider;
  if (isBuiltIn(kind)) return null;
  const isUnset = (name: string): boolean => !lookup(name)?.trim();
  if (baseUrlFrom !== undefined && isUnset(baseUrlFrom)) return baseUrlFrom;
  return secret !== undefined && !keyless && isUnset(secret) ? secret : null;
}

/**
 * The rules of the routing table again, because it was parsed without the addresses of the
 * environment. The host is judged as written and as the URL parser of `fetch` reads it.
 */
function refusedAddress(address: string, allowPrivate: boolean): ReasonPhrase["key"] | undefined {
  const url = readBaseUrl(address);
  if (url === undefined || !URL.canParse(address)) return "notAbsolute";
  if (url.extras) return "hasExtras";
  if (allowPrivate) return undefined;
  if (url.scheme !== "https") return "notHttps";
  return isPrivateHost(url.host) || isPrivateHost(new URL(address).hostname) ? "isPrivate" : undefined;
}
