// What is known of the tools of one MCP server: the definitions that its lists had, and which of
// them are accepted. Every list of a server whose tools are pinned passes here.

import type { Env } from "../platform/env.ts";
import type { JsonOf } from "../../shared/json/json-of.ts";
import { providersWord } from "../../shared/record/record.ts";
import type { ToolDefinition } from "../../shared/relay/tool-definition.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { configStub } from "../stubs/stubs.ts";
import type {
  DecidedTool,
  DefinitionState,
  KnownDefinition,
  KnownQuery,
  PageAnswer,
  SeenPage,
  SeenTool,
  ToolStatus,
  ToolsCalls,
} from "../stubs/tools-calls.ts";
import { toolsSchema } from "./schema/tools-schema.ts";
import { StoredObject } from "./stored-object.ts";

/** A server that lists more has the others hidden where they are held, and unknown to operators. */
const mostTools = 2_000;
/** In characters. A longer definition is known by its digest alone. */
const longestDefinition = 100_000;
/** Keys and tools whose calls are remembered; of more, each call counts as the first. */
const mostUses = 20_000;
/** A server that never ends its first list does not have new tools accepted for ever. */
const firstListMs = 10 * 60_000;
/** Names of tools in one event of the record. */
const mostTold = 20;

type Row = {
  tool: string;
  digest: string;
  state: "accepted" | "waiting" | "hidden";
  definition: JsonOf<ToolDefinition> | null;
  since: number;
};

export class ToolsObject extends StoredObject implements ToolsCalls {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, toolsSchema);
  }

  async seen(page: SeenPage): Promise<PageAnswer> {
    this.tables.create();
    const missing = indexesOf(page.tools, ({ name, digest, definition }) => definition === null && this.#row(name, digest) === null);
    if (missing.length > 0) return { hidden: [], missing };
    const hidden = this.ctx.storage.transactionSync(() => this.#keep(page));
    await this.#tell(page);
    return { hidden, missing };
  }

  #keep({ tools, isLast, pin }: SeenPage): number[] {
    this.sql.exec("INSERT OR IGNORE INTO first_list (one, begun_at, is_over) VALUES (1, ?, 0)", this.now());
    const isFirst = !this.#isFirstListOver();
    const hidden = indexesOf(tools, (tool) => {
      const state = this.#row(tool.name, tool.digest)?.state ?? this.#add(tool, isFirst || pin !== "hold");
      return pin !== "off" && (state === "hidden" || (state === "waiting" && pin === "hold"));
    });
    for (const { name, digest } of tools)
      this.sql.exec(
        "INSERT INTO tool (name, digest) SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM definition WHERE tool = ?1 AND digest = ?2) " +
          "ON CONFLICT (name) DO UPDATE SET digest = excluded.digest WHERE digest != excluded.digest",
        name,
        digest,
      );
    if (isFirst && isLast) this.sql.exec("UPDATE first_list SET is_over = 1");
    return hidden;
  }

  /** Whether the server's first list passed as a whole; until then, what it lists is accepted. */
  #isFirstListOver(): boolean {
    const [first] = this.sql.exec<{ begun_at: number; is_over: number }>("SELECT begun_at, is_over FROM first_list").toArray();
    return first !== undefined && (first.is_over === 1 || this.now() - first.begun_at >= firstListMs);
  }

  /**
   * A definition that was not listed before. `isTrusted`: the first of its tool is accepted. A tool
   * that an operator hid stays hidden, whatever its server makes of it.
   */
  #add({ name, digest, definition }: SeenTool, isTrusted: boolean): Row["state"] {
    const rows = this.#rowsOf(name);
    const [last] = rows;
    if (last === undefined && this.sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM tool").one().n >= mostTools) return "waiting";
    const state = last === undefined && isTrusted ? "accepted" : last?.state === "hidden" ? "hidden" : "waiting";
    const now = this.now();
    // A server that changes a tool with each list fills neither this object nor the record.
    const wasWaiting = rows.some((row) => row.state === "waiting");
    this.sql.exec("DELETE FROM definition WHERE tool = ? AND decided_at = 0", name);
    this.sql.exec(
      "INSERT INTO definition (tool, digest, state, definition, since, decided_at, is_told) VALUES (?, ?, ?, ?, ?, ?, ?)",
      name,
      digest,
      state,
      definition !== null && definition.length <= longestDefinition ? definition : null,
      now,
      state === "accepted" ? now : 0,
      state === "waiting" && !wasWaiting ? 0 : 1,
    );
    return state;
  }

  /** Has the record say which tools wait for an operator. What fails is told with the next list. */
  async #tell({ server, pin }: SeenPage): Promise<void> {
    const rows = this.sql.exec<{ tool: string }>("SELECT tool FROM definition WHERE is_told = 0 ORDER BY tool").toArray();
    if (rows.length === 0 || pin === "off") return;
    const tools = rows.slice(0, mostTold).map(({ tool }) => providersWord(tool));
    try {
      await configStub(this.env).record({ kind: "toolsChanged", server, tools, count: rows.length, isHeld: pin === "hold" });
      this.sql.exec("UPDATE definition SET is_told = 1 WHERE is_told = 0");
    } catch (error) {
      logEvent("tools.recordFailed", { error: errorClass(error) });
    }
  }

  status(tool: string, key: string): ToolStatus {
    if (!this.tables.exist) return { state: "unknown", isFirstUse: true };
    const isFirstUse = this.sql.exec("SELECT 1 FROM used WHERE key = ? AND tool = ?", key, tool).toArray().length === 0;
    const listed = this.#current(tool);
    if (listed !== null) {
      const { digest, definition } = listed;
      return { state: this.#stateOf(listed), digest, definition, isFirstUse };
    }
    return this.#isFirstListOver() ? { state: "new", digest: null, definition: null, isFirstUse } : { state: "unknown", isFirstUse };
  }

  used(tool: string, key: string): void {
    this.tables.create();
    this.sql.exec("INSERT OR IGNORE INTO used (key, tool) SELECT ?, ? WHERE (SELECT COUNT(*) FROM used) < ?", key, tool, mostUses);
  }

  waiting(): number {
    if (!this.tables.exist) return 0;
    return this.sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${current} WHERE state = 'waiting'`).one().n;
  }

  known({ isWaiting, after, limit }: KnownQuery): KnownDefinition[] {
    if (!this.tables.exist) return [];
    const rows = this.sql
      .exec<Row>(
        `SELECT definition.* FROM ${current} WHERE tool.name > ? AND (state = 'waiting' OR NOT ?) ORDER BY tool.name LIMIT ?`,
        after,
        isWaiting ? 1 : 0,
        limit,
      )
      .toArray();
    return rows.map((row) => {
      const { tool, digest, definition, since } = row;
      const accepted = this.#rowsOf(tool).find((each) => each.state === "accepted" && each.digest !== digest);
      return { tool, state: this.#stateOf(row), digest, definition, since, before: accepted?.definition ?? null };
    });
  }

  otherThan(tools: readonly DecidedTool[]): string | null {
    return tools.find(({ name, digest }) => this.#current(name)?.digest !== digest)?.name ?? null;
  }

  decide(tools: readonly DecidedTool[], isAccepted: boolean): void {
    if (!this.tables.exist) return;
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      for (const { name, digest } of tools)
        this.sql.exec(
          "UPDATE definition SET state = ?, decided_at = ?, is_told = 1 WHERE tool = ? AND digest = ?",
          isAccepted ? "accepted" : "hidden",
          now,
          name,
          digest,
        );
    });
  }

  #stateOf({ tool, state }: Pick<Row, "tool" | "state">): DefinitionState {
    if (state !== "waiting") return state;
    return this.#rowsOf(tool).some((each) => each.state === "accepted") ? "changed" : "new";
  }

  #row(tool: string, digest: string): Row | null {
    return this.#rowsOf(tool).find((row) => row.digest === digest) ?? null;
  }

  /** The accepted one that was decided last first. */
  #rowsOf(tool: string): Row[] {
    return this.sql.exec<Row>("SELECT * FROM definition WHERE tool = ? ORDER BY decided_at DESC, digest", tool).toArray();
  }

  /** What was listed last of a tool. */
  #current(name: string): Row | null {
    if (!this.tables.exist) return null;
    const [row = null] = this.sql.exec<Row>(`SELECT definition.* FROM ${current} WHERE tool.name = ?`, name).toArray();
    return row;
  }
}

/** The definitions that were listed last, one of each tool. */
const current = "tool JOIN definition ON definition.tool = tool.name AND definition.digest = tool.digest";

const indexesOf = <T>(list: readonly T[], test: (each: T) => boolean): number[] =>
  list.flatMap((each, index) => (test(each) ? [index] : []));
