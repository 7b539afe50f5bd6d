// Checks the providers of the routing table: whether each has the variables it needs, and whether
// it answers. It asks for a list of models, which costs nothing, and never for a reply.

import type { ProviderError } from "../../shared/model/call.ts";
import { isBuiltIn } from "../../shared/routing/provider-kinds.ts";
import { type Model, type Provider, type RoutingTable, providerOf } from "../../shared/routing/table.ts";
import { pointerTo } from "../../shared/routing/issues.ts";
import { type DoctorPhrase, joined } from "../../shared/words/doctor.ts";
import type { ReasonPhrase } from "../../shared/words/reasons.ts";
import type { PhraseValue } from "../../shared/words/text.ts";
import type { Env } from "../platform/env.ts";
import { openProviders } from "../providers/provider-registry.ts";
import { lookupIn } from "../platform/lookup.ts";
import { type Ready, providerReady } from "../providers/ready.ts";
import { askProvider } from "./ask.ts";
import { type Check, type Title, good, guardedCall, howToSet, listed, fix, note } from "./check.ts";

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
        guardedCall(titleOf(each), async () =>
          each.ready.ok ? askedCheck(each, each.ready.value) : notReadyCheck(env, each, each.ready.error),
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

function variablesOf(provider: Provider, lookup: (name: string) => string | undefined): { set: string[]; unset: string[] } {
  const needed = [
    ...(provider.secret === undefined || provider.keyless ? [] : [provider.secret]),
    ...(provider.baseUrlFrom ?? "").split(/\s+/),
  ].filter((name) => name !== "");
  const isSet = (name: string): boolean => Boolean(lookup(name)?.trim());
  return { set: needed.filter(isSet), unset: needed.filter((name) => !isSet(name)) };
}

const titleOf = ({ id }: Used): Title => ({ key: "provider", values: { name: id } });

function notReadyCheck(env: Env, used: Used & { set: string[]; unset: string[] }, why: ReasonPhrase): Check {
  const { set, unset, entries } = used;
  const models = modelIds(entries);
  if (unset.length > 0)
    return fix(titleOf(used), { key: "partlySet", values: { set: listed(set), unset: listed(unset), models, how: howToSet(env, unset) } });
  // The address is the remaining cause. It is not shown, only what is wrong with it.
  const wrong = why.key === "addressWrong" ? why.values.wrong : why;
  return fix(titleOf(used), { key: "addressUnusable", values: { wrong, models, address: addressOf(used) } });
}

/** A provider that is not set up is only a note, as long as another model can answer. */
function restCheck(
  env: Env,
  { unset, hasDemo, hasReal }: { unset: readonly (Used & { unset: string[] })[]; hasDemo: boolean; hasReal: boolean },
): Check[] {
  const title: Title = { key: "providers" };
  const needing = (those: typeof unset): PhraseValue =>
    joined(
      "and",
      those.map(({ id, unset: names }) => ({ key: "needs", values: { provider: id, variables: listed(names) } })),
    );
  if (hasReal) return unset.length === 0 ? [] : [note(title, { key: "providersUnset", values: { providers: needing(unset) } })];
  const [first, ...others] = unset;
  const one: DoctorPhrase =
    first === undefined ? { key: "addProvider" } : { key: "forProvider", values: { how: howToSet(env, first.unset), provider: first.id } };
  const how: DoctorPhrase = others.length === 0 ? one : { key: "orAnother", values: { how: one, providers: needing(others) } };
  return hasDemo ? [note(title, { key: "demoOnly", values: { how } })] : [fix(title, { key: "noModel", values: { how } })];
}

const modelIds = (entries: readonly Entry[]): PhraseValue =>
  listed(
    entries.map(({ model }) => model.id),
    5,
  );

const addressOf = ({ id, provider: { baseUrlFrom } }: Used): PhraseValue =>
  baseUrlFrom ?? { key: "inTable", values: { pointer: pointerTo(["providers", id, "baseUrl"]) } };

const credentialOf = ({ id, provider: { secret } }: Used): DoctorPhrase =>
  secret === undefined
    ? { key: "nameVariable", values: { pointer: pointerTo(["providers", id, "secret"]) } }
    : { key: "setAgain", values: { variable: secret } };

async function askedCheck(used: Used, ready: Ready): Promise<Check> {
  const { provider, entries } = used;
  const title = titleOf(used);
  const { modelList } = openProviders((input, init) => fetch(input, init))(provider.kind);
  if (modelList === null) return note(title, "noModelList");
  const answer = await askProvider((signal) => modelList.ask(ready, signal), timeoutMs);
  if (!answer.ok) return errorCheck(used, answer.error);
  const names = modelList.namesIn(answer.value);
  const greets: DoctorPhrase = { key: ready.apiKey === undefined ? "answers" : "accepts" };
  if (names === undefined) return note(title, "notAModelList");
  const missing = entries.filter(({ model }) => !names.has(model.name));
  if (missing.length === 0)
    return good(
      title,
      entries.length === 1 ? { key: "listsOne", values: { greets } } : { key: "listsAll", values: { greets, n: entries.length } },
    );
  const models = listed(
    missing.map(({ model, index }) => ({ key: "modelAt", values: { model: model.id, pointer: pointerTo(["models", index, "name"]) } })),
    5,
  );
  return note(title, { key: "listsNot", values: { greets, models } });
}

function errorCheck(used: Used, { kind, status: code, detail }: ProviderError): Check {
  const title = titleOf(used);
  const [address, how] = [addressOf(used), credentialOf(used)];
  const status: PhraseValue = code === undefined ? { key: "noStatus" } : String(code);
  if (detail === "redirected") return fix(title, { key: "redirects", values: { status, address } });
  switch (kind) {
    case "refusedCredential":
      return code === 401
        ? fix(title, { key: "refusesCredential", values: { status, fix: how } })
        : note(title, { key: "refusesList", values: { status, fix: how } });
    case "rateLimited":
      return note(title, "rateLimited");
    case "badRequest":
      // Google answers 400 to an unknown key.
      return code === 400
        ? fix(title, { key: "maybeCredential", values: { fix: how } })
        : note(title, { key: "nothingThere", values: { status, address } });
    case "timeout":
      return fix(title, { key: "noAnswer", values: { seconds: timeoutMs / 1000, address } });
    case "overloaded":
    case "providerError":
      return fix(title, { key: "serverError", values: { status } });
    case "brokenAnswer":
      return detail === "tooLarge" ? note(title, "modelListLong") : fix(title, { key: "notJson", values: { address } });
    case "connection":
    case "noCredential":
    // A list of models is never asked for through a queue, and costs nothing.
    case "queueFull":
    case "queueTimeout":
    case "overBudget":
    case "stopped":
      return fix(title, { key: "unreachable", values: { address } });
    default:
      return kind satisfies never;
  }
}
