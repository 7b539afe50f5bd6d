// What is known of a server's tool that a client calls: its definition, and whether an operator, or
// the server's first list, stands behind it. Asked of the server's ToolsObject, and only where the
// entry has the definitions kept.

import type { JsonObject } from "../../shared/encoding.ts";
import { readJsonOf } from "../../shared/json/json-of.ts";
import { objectOf } from "../../shared/json/values.ts";
import { type Server, keepsDefinitions } from "../../shared/relay/servers.ts";
import type { ListedTool, ToolDefinition } from "../../shared/relay/tool-definition.ts";
import type { ToolPage } from "../../shared/relay/tool-list.ts";
import type { Env } from "../platform/env.ts";
import { toolsStub } from "../stubs/stubs.ts";
import type { DefinitionState, PageAnswer } from "../stubs/tools-calls.ts";

type KnownTool = {
  /** `unknown`: definitions are not kept, or no list of the server has passed yet. */
  readonly state: DefinitionState | "unknown";
  /** What the server listed last; null where no list had the tool. */
  readonly definition: ToolDefinition | null;
  /** As the server gave them, such as `readOnlyHint`; nobody checks that they are true. */
  readonly annotations: JsonObject | null;
  /** Whether the key never called the tool before, as far as that is kept. */
  readonly isFirstUse: boolean;
};

const unknownTool: KnownTool = { state: "unknown", definition: null, annotations: null, isFirstUse: true };

type NamedServer = { readonly name: string; readonly server: Server };

/** What is known of a tool that a key calls at a server. */
export async function knownTool(env: Env, { name, server }: NamedServer, tool: string, key: string): Promise<KnownTool> {
  if (!keepsDefinitions(server)) return unknownTool;
  const status = await toolsStub(env, name).status(tool, key);
  if (status.state === "unknown") return { ...unknownTool, isFirstUse: status.isFirstUse };
  const { state, isFirstUse } = status;
  const definition = status.definition === null ? null : readJsonOf(status.definition);
  return { state, definition, annotations: objectOf(definition?.["annotations"]), isFirstUse };
}

/** Remembers that a key's call of a tool is sent; it is then no first use. */
export async function noteToolUse(env: Env, { name, server }: NamedServer, tool: string, key: string): Promise<void> {
  if (keepsDefinitions(server)) await toolsStub(env, name).used(tool, key);
}

/** The tools of a page, by their indexes, that its clients may not see; the page is remembered. */
export async function heldIn(
  env: Env,
  { name, server }: NamedServer,
  { tools, isLast }: ToolPage<ListedTool>,
): Promise<ReadonlySet<number>> {
  if (!keepsDefinitions(server)) return new Set();
  const ask = (sent: (index: number) => boolean): Promise<PageAnswer> => {
    const seen = tools.map((tool, index) => (sent(index) ? tool : { ...tool, definition: null }));
    return toolsStub(env, name).seen({ server: name, pin: server.pin, tools: seen, isLast });
  };
  // Most lists have nothing new: their definitions stay here.
  const known = await ask(() => false);
  const { hidden } = known.missing.length === 0 ? known : await ask((index) => known.missing.includes(index));
  return new Set(hidden);
}

/** Whether clients may neither see nor call a tool of this state. */
export const isHeld = ({ state }: Pick<KnownTool, "state">, { pin }: Pick<Server, "pin">): boolean => {
  if (pin === "off") return false;
  return state === "hidden" || (pin === "hold" && (state === "changed" || state === "new"));
};
