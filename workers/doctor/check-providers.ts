// Checks the providers of the routing table: whether each has the variables it needs, and whether
// it answers. It asks for a list of models, which costs nothing, and never for a reply.

import type { ProviderError } from "../../shared/model/call.ts";
import { isBuiltIn } from "../../shared/routing/provider-kinds.ts";
import { type Model, type Provider, type RoutingTable, providerOf } from "../../shared/routing/table.ts";
import { pointerTo } from "../../shared/routing/issues.ts";
import { reasonText } from "../../shared/words/reasons.ts";
import type { Env } from "../platform/env.ts";
import { openProviders } from "../providers/provider-registry.ts";
import { lookupIn } from "../platform/lookup.ts";
import { type Ready, providerReady } from "../providers/ready.ts";
import { askProvider } from "./ask.ts";
import { type Check, good, guardedCall, howToSet, listed, fix, note } from "./check.ts";

const timeoutMs = 10_000;

type Entry = { readonly model: Model; readonly index: number };
type Used = { readonly id: string; readonly provider: Provider; readonly entries: readonly Entry[] };

export async function providerChecks(env: Env, table: RoutingTable): Promise<readonly Check[]> {
  const used = usedProviders(table);
  const lookup = lookupIn(env);
  const real = used
    .filter(({ provider }) => !isBuiltIn(provider.kind))
    .map((each) => ({ ...each, ready: providerReady(each.provider, lookup), ...variablesOf(each.provider, lookup) }));
  const unset = real.filter(({ ready, set, unset: missing }) => !ready.ok && set.length === 0 && missing.length > 0);
  const asked = await Promise.all(
    real
      .filter((each) => !unset.includes(each))
      .map((each) =>
        guardedCall(`provider ${each.id}`, async () =>
          each.ready.ok ? askedCheck(each, each.ready.value) : notReadyCheck(env, each, reasonText(each.ready.error)),
        ),
      ),
  );
  const hasDemo = used.some(({ provider }) => isBuiltIn(provider.kind));
  const hasReal = real.some(({ ready }) => ready.ok);
  return [...asked.flat(), ...restCheck(env, { unset, hasDemo, hasReal })];
}

/** The providers of models that are not switched off. */
function usedProviders(table: RoutingTable): Used[] {
  const entries = table.models.map((model, index) => ({ model, index })).filter(({ model }) => model.enabled);
  return [...new Set(entries.map(({ model }) => model.provider))].flatMap((id) => {
    const provider = providerOf(table, id);
    return provider === undefined ? [] : [{ id, provider, entries: entries.filter(({ model }) => model.provider === id) }];
  });
}

/** The variables that the provider needs. */
function variablesOf(provider: Provider, lookup: (name: string) => string | undefined): { set: string[]; unset: string[] } {
  const needed = [
    ...(provider.secret === undefined || provider.keyless ? [] : [provider.secret]),
    ...(provider.baseUrlFrom ?? "").split(/\s+/),
  ].filter((name) => name !== "");
  const isSet = (name: string): boolean => Boolean(lookup(name)?.trim());
  return { set: needed.filter(isSet), unset: needed.filter((name) => !isSet(name)) };
}

function notReadyCheck(env: Env, { id, provider, set, unset, entries }: Used & { set: string[]; unset: string[] }, why: string): Check {
  const idle = `its models (${modelIds(entries)}) are not used`;
  if (unset.length > 0)
    return fix(`provider ${id}`, `${listed(set)} is set and ${listed(unset)} is not, so ${idle}: ${howToSet(env, unset)}.`);
  // The address is the remaining cause. It is not shown, only what is wrong with it.
  return fix(
    `provider ${id}`,
    `Its address ${why.replace(/^its provider's address /, "")}, so ${idle}: correct ${addressOf(id, provider)}.`,
  );
}

/** A provider that is not set up is only a note, as long as another model can answer. */
function restCheck(
  env: Env,
  { unset, hasDemo, hasReal }: { unset: readonly (Used & { unset: string[] })[]; hasDemo: boolean; hasReal: boolean },
): Check[] {
  const withVariables = ({ id, unset: names }: (typeof unset)[number]): string => `${id} (${listed(names)})`;
  if (hasReal) {
    return unset.length === 0
      ? []
      : [
          note(
            "providers",
            `These are not set up, so their models are not used: ${unset.map(withVariables).join(", ")}. See docs/routing.md.`,
          ),
        ];
  }
  const [first, ...others] = unset;
  const how =
    first === undefined ? "add a provider and its models to the routing table" : `${howToSet(env, first.unset)} (for ${first.id})`;
  const instead = others.length === 0 ? "." : `; or set up another provider of the table: ${others.map(withVariables).join(", ")}.`;
  return hasDemo
    ? [note("providers", `Only the built-in demo model answers. To use a real model, ${how}${instead}`)]
    : [fix("providers", `No model can be used, so every request fails. To use one, ${how}${instead}`)];
}

const modelIds = (entries: readonly Entry[]): string =>
  listed(
    entries.map(({ model }) => model.id),
    5,
  );

const addressOf = (id: string, { baseUrlFrom }: Provider): string =>
  baseUrlFrom ?? `${pointerTo(["providers", id, "baseUrl"])} in the routing table`;

const credentialOf = (id: string, { secret }: Provider): string =>
  secret === undefined
    ? `name the variable with its credential at ${pointerTo(["providers", id, "secret"])} in the routing table`
    : `set ${secret} again`;

async function askedCheck(used: Used, ready: Ready): Promise<Check> {
  const { id, provider, entries } = used;
  const check = `provider ${id}`;
  const { modelList } = openProviders((input, init) => fetch(input, init))(provider.kind);
  if (modelList === null) return note(check, "It has no list of models, so it was not asked.");
  const answer = await askProvider((signal) => modelList.ask(ready, signal), timeoutMs);
  if (!answer.ok) return errorCheck(used, answer.error);
  const names = modelList.namesIn(answer.value);
  const greets = ready.apiKey === undefined ? "It answers" : "It answers and accepts its credential";
  if (names === undefined)
    return note(check, "It answers, but not with a list of models, so its credential and its models could not be checked.");
  const missing = entries.filter(({ model }) => !names.has(model.name));
  if (missing.length === 0)
    return good(
      check,
      `${greets}; it lists ${entries.length === 1 ? "the one model" : `all ${entries.length} models`} in the routing table.`,
    );
  const places = listed(
    missing.map(({ model, index }) => `${model.id} (${pointerTo(["models", index, "name"])})`),
    5,
  );
  return note(
    check,
    `${greets}. It does not list ${places}. Some providers list only some of their models; if calls fail, correct the name in the routing table.`,
  );
}

function errorCheck({ id, provider }: Used, { kind, status, detail }: ProviderError): Check {
  const check = `provider ${id}`;
  const [address, credential] = [addressOf(id, provider), credentialOf(id, provider)];
  if (detail === "redirected")
    return fix(check, `It answers with a redirect (${status}), and redirects are not followed: correct ${address}.`);
  switch (kind) {
    case "refusedCredential":
      return status === 401
        ? fix(check, `It refuses the credential (401): ${credential}.`)
        : note(
            check,
            `It does not let this credential list models (${status}), so its models could not be checked; if calls fail, ${credential}.`,
          );
    case "rateLimited":
      return note(check, "It answers with a rate limit (429), so its credential and its models could not be checked.");
    case "badRequest":
      // Google answers 400 to an unknown key.
      return status === 400
        ? fix(check, `It refuses to list its models (400), as some providers do when the credential is not valid: ${credential}.`)
        : note(
            check,
            `It has no list of models at its address (${status ?? "no status"}), so its models could not be checked; if calls fail, check the path in ${address} (many end in /v1).`,
          );
    case "timeout":
      return fix(check, `It did not answer within ${timeoutMs / 1000} seconds: check that it is running, and that ${address} is correct.`);
    case "overloaded":
    case "providerError":
      return fix(check, `It answers with a server error (${status ?? "no status"}): try again, or look at its status page.`);
    case "brokenAnswer":
      return detail === "tooLarge"
        ? note(check, "Its list of models is too long to read, so its models could not be checked.")
        : fix(check, `Its answer is not JSON, so this address is not the provider's API: correct ${address}.`);
    case "connection":
    case "noCredential":
    // A list of models is never asked for through a queue, and costs nothing.
    case "queueFull":
    case "queueTimeout":
    case "overBudget":
    case "stopped":
      return fix(check, `It cannot be reached: check that it is running, and that ${address} is correct.`);
    default:
      return kind satisfies never;
  }
}
