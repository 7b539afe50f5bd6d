// The calls of a ToolsObject and their values. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { ToolDefinition } from "../../shared/relay/tool-definition.ts";
import type { Pin } from "../../shared/relay/servers.ts";

/**
 * `accepted`: its first definition, or one that an operator accepted. `changed`: another definition
 * of the tool is accepted. `new`: none is. `hidden`: an operator hid this one.
 */
export type DefinitionState = "accepted" | "changed" | "new" | "hidden";

/** The definition of a tool that its server listed last. */
export type KnownDefinition = {
  readonly tool: string;
  readonly state: DefinitionState;
  readonly digest: string;
  /** Null where it is too long to be stored. */
  readonly definition: JsonOf<ToolDefinition> | null;
  /** When it was first listed, in Unix milliseconds. */
  readonly since: number;
  /** The accepted one that was listed last before it; null where none is, or it is this one. */
  readonly before: JsonOf<ToolDefinition> | null;
};

/** A tool in a list that passes; `definition`: once the object asked for it. */
export type SeenTool = { readonly name: string; readonly digest: string; readonly definition: JsonOf<ToolDefinition> | null };

export type SeenPage = { readonly server: string; readonly pin: Pin; readonly tools: readonly SeenTool[]; readonly isLast: boolean };

/** By index: tools that clients may not see, and those whose definitions are to be sent first. */
export type PageAnswer = { readonly hidden: readonly number[]; readonly missing: readonly number[] };

/** `isWaiting`: those alone that wait for an operator. */
export type KnownQuery = { readonly isWaiting: boolean; readonly after: string; readonly limit: number };

/** A definition that an operator looked at. */
export type DecidedTool = { readonly name: string; readonly digest: string };

/** `unknown`: no list of the server has passed yet. */
export type ToolStatus =
  | { readonly state: "unknown"; readonly isFirstUse: boolean }
  /** `digest` and `definition` are null for a tool that no list had. */
  | {
      readonly state: DefinitionState;
      readonly digest: string | null;
      readonly definition: JsonOf<ToolDefinition> | null;
      /** Whether the key never called the tool before. */
      readonly isFirstUse: boolean;
    };

export interface ToolsCalls extends Rpc.DurableObjectBranded {
  /** A page of the server's list passes. Nothing is kept where definitions are missing. */
  seen(page: SeenPage): Promise<PageAnswer>;
  /** What is known of a tool that a key calls. */
  status(tool: string, key: string): ToolStatus;
  /** A key's call of the tool is sent. */
  used(tool: string, key: string): void;
  /** How many tools wait for an operator. */
  waiting(): number;
  /** Tools by their names, as they were listed last; `after`: those after this name. */
  known(asked: KnownQuery): KnownDefinition[];
  /** The first of these tools that was listed last with another definition; null where none was. */
  otherThan(tools: readonly DecidedTool[]): string | null;
  /** An operator's word on these definitions. Twice is the same as once. */
  decide(tools: readonly DecidedTool[], isAccepted: boolean): void;
}
