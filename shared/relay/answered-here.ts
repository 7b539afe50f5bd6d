// What a server asks of its client and the gateway answers in the client's place, by the server's
// entry and by what the client declared; and how that is declared to the server. Sources:
// `ClientCapabilities` of each revision's schema.

import type { JsonObject } from "../encoding.ts";
import { objectOf } from "../json/values.ts";
import { featuresOf, isKnownRevision } from "../wire/mcp-features.ts";
import { declaresSampling, isOurs, withSampling } from "./capability-2025.ts";
import { samplingMethod } from "./messages.ts";
import { type InputMethod, inputMethods, rootsMethod } from "./rounds.ts";
import type { SamplingSettings } from "./sampling-settings.ts";
import { elicitationMethod } from "./url-elicitation.ts";
import { ourExtensions } from "../wire/extension-keys.ts";

/** Of a server's entry. */
export type AnswerSettings = SamplingSettings & {
  /** Who answers forms, as `mode` says it of sampling. */
  readonly elicitation: SamplingSettings["mode"];
  /** The roots that are told where the client has none. */
  readonly roots?: readonly { readonly uri: string; readonly name?: string | undefined }[] | undefined;
};

/** Which of these the client itself declared. */
type ClientDoes = { readonly clientSamples: boolean; readonly clientFills: boolean; readonly clientRoots: boolean };

/** From the params of `initialize`, or a request's own capabilities. */
export const clientDoes = (params: JsonObject | null): ClientDoes => ({
  clientSamples: declaresSampling(params),
  clientFills: declares(params, "elicitation"),
  clientRoots: declares(params, "roots"),
});

const declares = (params: JsonObject | null, name: string): boolean => objectOf(objectOf(params?.["capabilities"])?.[name]) !== null;

type Answering = Pick<AnswerSettings, "mode" | "elicitation" | "roots">;

const isHere: Readonly<Record<InputMethod, (server: Answering, client: ClientDoes) => boolean>> = {
  [samplingMethod]: ({ mode }, { clientSamples }) => isOurs(mode, clientSamples),
  [elicitationMethod]: ({ elicitation }, { clientFills }) => isOurs(elicitation, clientFills),
  [rootsMethod]: ({ roots }, { clientRoots }) => roots !== undefined && !clientRoots,
};

/** The methods that the gateway answers. */
export const answeredHere = (server: Answering, client: ClientDoes): readonly InputMethod[] =>
  inputMethods.filter((method) => isHere[method](server, client));

/** The result of `roots/list`. */
export const rootsResult = ({ roots = [] }: Pick<AnswerSettings, "roots">): JsonObject => ({
  roots: roots.map(({ uri, name }) => ({ uri, ...(name === undefined ? {} : { name }) })),
});

/** The params of `initialize` for the server. A revision without addresses has one kind of form. */
export function declaring(params: JsonObject, server: AnswerSettings, here: readonly InputMethod[]): JsonObject {
  const sampling = here.includes(samplingMethod) ? withSampling(params, server) : params;
  const asked = params["protocolVersion"];
  const hasAddresses = isKnownRevision(asked) && featuresOf(asked).urlElicitation;
  return { ...sampling, capabilities: { ...objectOf(sampling["capabilities"]), ...others(here, hasAddresses) } };
}

/**
 * What the gateway adds to the capabilities of a client of 2026-07-28; null where it adds nothing.
 */
export const addedCapabilities = (server: AnswerSettings, client: JsonObject, here: readonly InputMethod[]): JsonObject | null =>
  here.length === 0 ? null : { ...(here.includes(samplingMethod) ? samplingCapabilities(server, client) : {}), ...others(here, true) };

const others = (here: readonly InputMethod[], hasAddresses: boolean): JsonObject => ({
  ...(here.includes(elicitationMethod) ? { elicitation: hasAddresses ? { form: {}, url: {} } : {} } : {}),
  ...(here.includes(rootsMethod) ? { roots: {} } : {}),
});

/** What the gateway adds to a client's capabilities where it answers sampling. */
type AddedCapabilities = { readonly sampling: JsonObject; readonly experimental: JsonObject };

/**
 * The `sampling` that the gateway answers for, and its extensions beside the client's own
 * experimental capabilities.
 */
export const samplingCapabilities = (
  { tools, context }: Pick<SamplingSettings, "tools" | "context">,
  client: JsonObject,
): AddedCapabilities => ({
  sampling: { ...(tools ? { tools: {} } : {}), ...(context ? { context: {} } : {}) },
  experimental: { ...objectOf(client["experimental"]), ...ourExtensions },
});
