// POST /admin/routing/explain: which model the routing table in use, or a draft of one, would
// choose. GET /admin/routing/ready: which of its providers can be called from here.

import { Hono } from "hono";
import * as z from "zod";
import type { ChatRequest, EmbeddingRequest, NamedModel } from "../../../shared/model/sampling.ts";
import { cannotCarry } from "../../../shared/provider/carry.ts";
import { explainRouting } from "../../../shared/routing/explain.ts";
import { parseRoutingTable } from "../../../shared/routing/table.ts";
import { parseSampling } from "../../../shared/wire/mcp-2025/sampling-params.ts";
import { reasonText } from "../../../shared/words/reasons.ts";
import { readyIn } from "../../pipeline/plan/plan-request.ts";
import { lookupIn } from "../../platform/lookup.ts";
import { paths } from "../../platform/urls.ts";
import { missingVariable } from "../../providers/ready.ts";
import { documentsOf } from "../../stores/documents.ts";
import type { App } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { currentTable } from "./admin-documents.ts";
import { type Explanation, type ReadyProviders, explanation, readyProviders } from "./answers/routing.ts";
import { validJson } from "../validated.ts";

export const explainRoutes = new Hono<App>();

const explainSchema = z.strictObject({
  preferences: z.unknown().optional().meta({ type: "object" }),
  params: z.unknown().optional().meta({ type: "object" }),
  /** As in a control envelope: `version` "latest" means the same as none. */
  namedModel: z
    .strictObject({ name: z.string().min(1).max(256), version: z.string().max(256).optional(), provider: z.string().max(256).optional() })
    .optional(),
  task: z.enum(["chat", "embedding"]).default("chat"),
  server: z.string().min(1).max(512).default("any"),
  /** `models`: the only ones that the key may use. */
  key: z
    .strictObject({ id: z.string(), name: z.string(), models: z.array(z.string()).max(500).optional() })
    .default({ id: "key_none", name: "none" }),
  /** A routing table that is not saved, in the place of the one in use. */
  table: z.unknown().optional().meta({ type: "object" }),
});

const describeExplain = describe("explainRouting", {
  summary: "Which model would answer, and why. Calls no model",
  200: asJson(explanation, "The choice"),
});

/** For any preferences, for whole sampling params, or for a model by name. */
explainRoutes.post(paths.admin.explain, describeExplain, validJson("ExplainRequest", explainSchema), async (c) => {
  const { preferences, params, namedModel, task, server, key, table } = c.req.valid("json");
  const asked = params ?? {
    // Not blank: providers refuse that, and every model of theirs would be passed over.
    messages: [{ role: "user", content: { type: "text", text: "?" } }],
    maxTokens: 1,
    ...(preferences === undefined ? {} : { modelPreferences: preferences }),
  };
  const parsed = parseSampling(asked);
  if (!parsed.ok) return c.json({ error: "The body is not the params of a sampling/createMessage request", details: parsed.error }, 400);
  const request = task === "chat" ? parsed.value.request : asEmbedding(parsed.value.request);
  const draft = table === undefined ? null : parseRoutingTable(table);
  if (draft?.ok === false) return c.json({ error: "The draft of the routing table is not valid", details: draft.error }, 400);
  const routing = draft?.value ?? (await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work))).routing;
  return c.json(
    explainRouting({
      table: routing,
      request: namedModel === undefined ? request : { ...request, namedModel: withoutLatest(namedModel) },
      key,
      server,
      ...(key.models === undefined ? {} : { onlyModels: key.models }),
      ready: readyIn(c.env),
      cannotCarry: (request, model, provider) => cannotCarry(request, model, provider.kind),
    }) satisfies Explanation,
  );
});

const describeReady = describe("listReadyProviders", {
  summary: "Which providers can be called, and which variable or secret is missing for the others",
  200: asJson(readyProviders, "The providers, by name"),
});

explainRoutes.get(paths.admin.ready, describeReady, async (c) => {
  const table = await currentTable(c);
  const [ready, lookup] = [readyIn(c.env), lookupIn(c.env)];
  const providers = Object.entries(table.providers).map(([name, provider]) => {
    const why = ready(provider);
    return { provider: name, reason: why === undefined ? null : reasonText(why), missing: missingVariable(provider, lookup) };
  });
  return c.json({ tableVersion: table.version, providers } satisfies ReadyProviders, 200, { "Cache-Control": "no-store" });
});

const asEmbedding = ({ messages, modelPreferences }: ChatRequest): EmbeddingRequest => ({
  kind: "embedding",
  messages,
  ...(modelPreferences === undefined ? {} : { modelPreferences }),
});

const withoutLatest = ({ name, version, provider }: NonNullable<z.infer<typeof explainSchema>["namedModel"]>): NamedModel => ({
  name,
  ...(provider !== undefined && { provider }),
  ...(version !== undefined && version !== "latest" && { version }),
});
