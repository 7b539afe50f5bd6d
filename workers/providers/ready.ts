// Whether a provider of the routing table can be called with this environment. Its reasons never hold an address, a key or a variable's value.

import { err, ok, type Result } from "../../shared/result.ts";
import type { Provider } from "../../shared/routing/table.ts";
import { refusedAddress } from "./address.ts";

export type Ready = { readonly baseUrl?: string; readonly apiKey?: string };

/**
 * What a call of this provider needs, or one plain sentence that says why its models are not eligible. `lookup` reads a variable
 * or secret of the environment; an empty one counts as unset. `baseUrlFrom` wins over `baseUrl`. The demo needs nothing.
 */
export function providerReady(provider: Provider, lookup: (name: string) => string | undefined): Result<Ready, string> {
  if (provider.kind === "demo") return ok({});
  const baseUrl = provider.baseUrlFrom === undefined ? provider.baseUrl : lookup(provider.baseUrlFrom)?.trim();
  if (provider.baseUrlFrom !== undefined && !baseUrl) return err("Its provider has no address: the variable that holds it is not set.");
  const refused = baseUrl === undefined ? undefined : refusedAddress(baseUrl, provider.allowPrivate);
  if (refused !== undefined) return err(`Its provider cannot be called. ${refused}`);
  const apiKey = provider.secret === undefined ? undefined : lookup(provider.secret)?.trim();
  if (!apiKey && !provider.keyless) return err("Its provider has no credential.");
  return ok({ ...(baseUrl ? { baseUrl } : {}), ...(apiKey ? { apiKey } : {}) });
}
