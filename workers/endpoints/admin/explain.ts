// POST /admin/routing/explain: which model the routing table in use would choose.

import { Hono } from "hono";
import * as z from "zod";
import type { ChatRequest, EmbeddingRequest, NamedModel } from "../../../shared/model/sampling.ts";
import { cannotCarry } from "../../../shared/provider/carry.ts";
import { explainRouting } from "../../../shared/routing/explain.ts";
import { parseSampling } from "../../../shared/wire/mcp-2025/sampling-params.ts";
import { readyIn } from "../../pipeline/plan-request.ts";
import { paths } from "../../platform/urls.ts";
import { documentsOf } from "../../stores/documents.ts";
import type { App } from "../app-context.ts";
import { asJson } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
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
  key: z.strictObject({ id: z.string(), name: z.string() }).default({ id: "key_none", name: "none" }),
});

const describeExplain = describe("explainRouting", {
  summary: "Which model would answer, and why. Calls no model",
  200: asJson("Explanation", "The choice"),
});

/** For any preferences, for whole sampling params, or for a model by name. */
explainRoutes.post(paths.admin.explain, describeExplain, validJson("ExplainRequest", explainSchema), async (c) => {
  const { preferences, params, namedModel, task, server, key } = c.req.valid("json");
  const asked = params ?? {
    // Not blank: providers refuse that, and every model of theirs would be passed over.
    messages: [{ role: "user", content: { type: "text", text: "?" } }],
    maxTokens: 1,
    ...(preferences === undefined ? {} : { modelPreferences: preferences }),
  };
  const parsed = parseSampling(asked);
  if (!parsed.ok) return c.json({ error: "The body is not the params of a sampling/createMessage request", details: parsed.error }, 400);
  const request = task === "chat" ? parsed.value.request : asEmbedding(parsed.value.request);
  const { routing } = await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  return c.json(
    explainRouting({
      table: routing,
      request: namedModel === undefined ? request : { ...request, namedModel: withoutLatest(namedModel) },
      key,
      server,
      ready: readyIn(c.env),
      cannotCarry: (request, model, provider) => cannotCarry(request, model, provider.kind),
    }),
  );
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
