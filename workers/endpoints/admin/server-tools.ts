// The tools of the relay's servers, as their lists had them: what changed, what it warns of, and an
// operator's word on it.

import { serverNamed } from "../relay/mcp-origin.ts";
import { Hono } from "hono";
import * as z from "zod";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { objectOf } from "../../../shared/json/values.ts";
import type { Policy } from "../../../shared/policy/rules.ts";
import { rulesOfTool } from "../../../shared/policy/rules-of-tool.ts";
import { hintsOf } from "../../../shared/policy/tool-hints.ts";
import { type Server, showsTool } from "../../../shared/relay/servers.ts";
import { toolChanges, toolWarnings } from "../../../shared/relay/tool-changes.ts";
import { iso } from "../../http/iso-time.ts";
import { paths } from "../../platform/urls.ts";
import { documentsOf, serversOf } from "../../stores/documents.ts";
import { isHeld } from "../../stores/tools.ts";
import type { KnownDefinition } from "../../stubs/tools-calls.ts";
import { configStub, toolsStub } from "../../stubs/stubs.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJson, inPath } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validJson, validQuery } from "../validated.ts";
import { dayMs, toolCallsOf } from "./ledger-usage.ts";
import { type ServerTool, type ServerTools, type WaitingTools, serverTools, waitingTools } from "./answers/server-tools.ts";

export const serverToolRoutes = new Hono<App>();

const noStore = { "Cache-Control": "no-store" };
const noServer = { error: "There is no such server; GET /admin/servers lists the servers" };

const entriesOf = async (c: AppContext): Promise<Readonly<Record<string, Server>>> =>
  (await serversOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work))).servers;

const listWaiting = describe("listWaitingTools", {
  summary: "How many pinned tools of each server wait for an operator",
  200: asJson(waitingTools, "The servers"),
});

serverToolRoutes.get(paths.admin.tools, listWaiting, async (c) => {
  const pinned = Object.entries(await entriesOf(c)).filter(([, { pin }]) => pin !== "off");
  const servers = await Promise.all(
    pinned.map(async ([server, { pin }]) => ({ server, pin, waiting: await toolsStub(c.env, server).waiting() })),
  );
  return c.json({ servers } satisfies WaitingTools, 200, noStore);
});

const ofServer = inPath("server", "The server's name in the servers document");

const listQuery = z.strictObject({
  waiting: z.literal("true").optional().describe("Those alone that wait for an operator"),
  after: z.string().optional().describe("`next` of the answer before"),
  days: z.coerce.number().int().min(1).max(30).optional().describe("With the recorded calls of so many days, 1 to 30"),
  limit: z.coerce.number().int().min(1).max(50).default(50).describe("1 to 50, 50 where it is not given"),
});

const listTools = describe("listServerTools", {
  summary: "The tools of a server whose definitions are kept, by name, as it listed them last",
  parameters: [ofServer],
  200: asJson(serverTools, "The tools, and where to go on"),
  404: "No such server",
});

serverToolRoutes.get(paths.admin.serverTools, listTools, validQuery(listQuery), async (c) => {
  const server = c.req.param("server");
  const entry = await serverNamed(c, server);
  if (entry === undefined) return c.json(noServer, 404);
  const { waiting, after = "", days, limit } = c.req.valid("query");
  const [known, { policy }, calls] = await Promise.all([
    toolsStub(c.env, server).known({ isWaiting: waiting === "true", after, limit: limit + 1 }),
    documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work)),
    days === undefined ? null : toolCallsOf(c.env, { server, since: Date.now() - days * dayMs }),
  ]);
  const shown = known.slice(0, limit);
  const next = known.length > limit ? (shown.at(-1)?.tool ?? null) : null;
  const tools = shown.map((each) => shownTool(each, { server, entry, policy }));
  return c.json({ server, pin: entry.pin, tools, ...(calls === null ? {} : { calls }), next } satisfies ServerTools, 200, noStore);
});

type Around = { readonly server: string; readonly entry: Server; readonly policy: Policy };

function shownTool(
  { tool: name, state, digest, definition: text, since, before }: KnownDefinition,
  { server, entry, policy }: Around,
): ServerTool {
  const definition = text === null ? null : readJsonOf(text);
  const title = definition?.["title"];
  const hints = hintsOf(objectOf(definition?.["annotations"]) ?? undefined, entry.trustAnnotations);
  return {
    name,
    title: typeof title === "string" ? title : null,
    state,
    isShown: showsTool(entry, name) && !isHeld({ state }, entry),
    digest,
    since: iso(since),
    isTooLong: definition === null,
    warnings: definition === null ? [] : toolWarnings(definition),
    changes: definition === null || state === "accepted" ? [] : toolChanges(before === null ? null : readJsonOf(before), definition),
    rules: rulesOfTool(policy, { server, tool: name, call: { hints, definitionChanged: state !== "accepted" } }),
  };
}

const decision = z.strictObject({
  tools: z
    .array(z.strictObject({ name: z.string().min(1).max(512), digest: z.string().min(1).max(64) }))
    .min(1)
    .max(50),
});

const validDecision = validJson("ToolDecision", decision);

const decides = {
  parameters: [ofServer],
  204: "Done, for each of them",
  404: "No such server",
  409: "The server has listed another definition of one of them since: nothing was done",
};

const acceptTools = describe("acceptTools", {
  summary: "Accepts definitions of a server's tools: clients may see and call the tools",
  ...decides,
});
const hideTools = describe("hideTools", {
  summary: "Hides definitions of a server's tools from clients, also where the entry says only warn",
  ...decides,
});

serverToolRoutes.post(paths.admin.acceptTools, acceptTools, validDecision, (c) =>
  decide(c, c.req.param("server"), c.req.valid("json").tools, true),
);
serverToolRoutes.post(paths.admin.hideTools, hideTools, validDecision, (c) =>
  decide(c, c.req.param("server"), c.req.valid("json").tools, false),
);

type Decided = z.infer<typeof decision>["tools"];

async function decide(c: AppContext, server: string, tools: Decided, isAccepted: boolean): Promise<Response> {
  if ((await serverNamed(c, server)) === undefined) return c.json(noServer, 404);
  const stub = toolsStub(c.env, server);
  const other = await stub.otherThan(tools);
  if (other !== null)
    return c.json({ error: `The server lists another definition of ${other} now; look at it again. Nothing was done` }, 409);
  for (const { name, digest } of tools)
    await configStub(c.env).record({ kind: isAccepted ? "toolAccepted" : "toolHidden", by: c.var.operator, server, tool: name, digest });
  await stub.decide(tools, isAccepted);
  return c.body(null, 204);
}
