// The tools Worker: reads a tool of an MCP server, and calls it once. Apart from the gateway for
// the size of the MCP client, which few requests need. It keeps nothing: each call brings the
// server's address and credential.

import { WorkerEntrypoint } from "cloudflare:workers";
import { type AskedTool, type CallAnswer, type DefinitionAnswer, type ToolUse, callTool, readTool } from "./tool-call.ts";

export default class ToolsWorker extends WorkerEntrypoint {
  /**
   * 404 to every HTTP request: the Worker should have no address, and serves nothing where it is
   * given one.
   */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  /** The tool as its server describes it now, or why it cannot be called. */
  definition(asked: AskedTool): Promise<DefinitionAnswer> {
    return readTool(asked);
  }

  /** Calls the tool, once at most. Where this throws, the tool may have run. */
  call(asked: AskedTool, use: ToolUse): Promise<CallAnswer> {
    return callTool(asked, use);
  }
}
