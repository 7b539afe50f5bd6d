// Which tools of a server a client sees and may call: by the globs of the entry and of its key, and
// by the pinned definitions. It stands at the client's edge of the relay, so that it holds alike
// for both families of clients and of servers, and for streams that are resumed. Where nothing is
// set, every message passes unread.
//
// Every response that may be a list is looked at, whatever its client asked: clients match answers
// by their ids, so a server could answer one request on the stream of another.

import { keyAllows } from "../../../shared/policy/tool-names.ts";
import { keepsDefinitions, showsTool } from "../../../shared/relay/servers.ts";
import { type ListedTool, listedTool } from "../../../shared/relay/tool-definition.ts";
import { type ToolLists, type ToolPage, mayListTools, calledTools, namedTool, toolListsIn } from "../../../shared/relay/tool-list.ts";
import { failures, refusedIds } from "../../../shared/wire/json-rpc.ts";
import { jsonResponse } from "../../http/json-response.ts";
import { recordRefusal } from "../../pipeline/record/refusals.ts";
import { heldIn, isHeld, knownTool } from "../../stores/tools.ts";
import type { AppContext } from "../app-context.ts";
import { changedAnswer } from "./changed-events.ts";
import type { RelayRequest } from "./relay-request.ts";
import { ownRules } from "../../../shared/policy/own-rules.ts";

/** Whether the entry or the key says anything of tools. */
const asks = (c: AppContext, { server }: RelayRequest): boolean =>
  typeof server.tools !== "boolean" || keepsDefinitions(server) || c.var.key.tools !== undefined;

const longestName = 512;

/** The refusal of a message, or of a batch, that calls a tool that its client may not call. */
export async function refusedToolCall(c: AppContext, relay: RelayRequest, value: unknown): Promise<Response | null> {
  if (!asks(c, relay)) return null;
  for (const tool of calledTools(value)) {
    const rule = await whyRefused(c, relay, tool);
    if (rule === null) continue;
    const name = tool.slice(0, longestName).toWellFormed();
    const about = { key: c.var.key.id, endpoint: "relay", server: relay.name, method: "tools/call", name } as const;
    recordRefusal(c.env, c.executionCtx, about, { kind: "policyRefused", rule });
    const ids = refusedIds(value);
    return jsonResponse(failures(ids, { code: -32_602, message: `Unknown tool: ${name}` }), ids === null ? 400 : 200);
  }
  return null;
}

async function whyRefused(c: AppContext, relay: RelayRequest, tool: string): Promise<string | null> {
  const { name, server } = relay;
  const { id, tools } = c.var.key;
  if (!showsTool(server, tool)) return ownRules.serverTools;
  if (tools !== undefined && !keyAllows(tools, { server: name, tool })) return ownRules.keyTools;
  return isHeld(await knownTool(c.env, relay, tool, id), server) ? ownRules.definition : null;
}

/** The answer that the client gets, with the tools alone that it may see. */
export async function withShownTools(c: AppContext, relay: RelayRequest, answer: Response): Promise<Response> {
  if (!asks(c, relay) || answer.body === null) return answer;
  return changedAnswer(c, answer, {
    mayConcern: mayListTools,
    changed: (text) => {
      const lists = toolListsIn(text, listedTool);
      return lists === null ? undefined : shownOf(c, relay, lists);
    },
    guard: { isHidden: (text) => toolListsIn(text, namedTool) !== null, isInErrors: true },
  });
}

async function shownOf(c: AppContext, relay: RelayRequest, lists: ToolLists<ListedTool>): Promise<string> {
  const hidden = new Map<ToolPage<ListedTool>, ReadonlySet<number>>();
  for (const page of lists.pages) hidden.set(page, await heldIn(c.env, relay, page));
  const { name, server } = relay;
  const { tools } = c.var.key;
  const isNamed = (tool: string): boolean => showsTool(server, tool) && (tools === undefined || keyAllows(tools, { server: name, tool }));
  const isShown = (page: ToolPage<ListedTool>, index: number): boolean =>
    isNamed(page.tools[index]?.name ?? "") && hidden.get(page)?.has(index) === false;
  return lists.shown(isShown, server.pin !== "off");
}
