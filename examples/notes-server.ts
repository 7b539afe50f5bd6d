// The example MCP server of npm start. `summarize` has no model key: it requests sampling of its
// client, with a timeout that is long enough for a person's review. `delete_note` says that it
// destroys something, and has nothing that it could destroy.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CreateMessageResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

const TEN_MINUTES = 600_000;

export function notesServer(): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });

  server.registerTool(
    "summarize",
    { description: "Summarizes a text in one sentence.", inputSchema: { text: z.string() } },
    async ({ text }, { sendRequest, sendNotification, _meta }) => {
      const request = {
        method: "sampling/createMessage" as const,
        params: {
          messages: [{ role: "user" as const, content: { type: "text" as const, text: `Summarize in one sentence:\n\n${text}` } }],
          systemPrompt: "You write short, plain summaries.",
          modelPreferences: { hints: [{ name: "claude" }], intelligencePriority: 0.3, speedPriority: 0.7 },
          maxTokens: 200,
        },
      };
      const result = await sendRequest(request, CreateMessageResultSchema, {
        timeout: TEN_MINUTES,
        // `onprogress` gives the request a token; each notification then restarts the timeout.
        resetTimeoutOnProgress: true,
        onprogress: ({ progress, message }) => {
          if (_meta?.progressToken === undefined) return;
          const params = { progressToken: _meta.progressToken, progress, ...(message === undefined ? {} : { message }) };
          void sendNotification({ method: "notifications/progress", params });
        },
      });
      const reply = result.content.type === "text" ? result.content.text : `(${result.content.type})`;
      return { content: [{ type: "text", text: reply }] };
    },
  );

  server.registerTool(
    "delete_note",
    {
      title: "Delete a note",
      description: "Moves a note to the trash, or deletes it permanently.",
      inputSchema: {
        note: z.string().describe("The note's title"),
        permanently: z.boolean().default(false).describe("Whether the note cannot be restored"),
      },
      annotations: { destructiveHint: true, openWorldHint: false },
    },
    ({ note, permanently }) => ({
      content: [{ type: "text", text: permanently ? `Deleted “${note}” permanently.` : `Moved “${note}” to the trash.` }],
    }),
  );
  return server;
}

if (import.meta.main) {
  // A terminal sends Ctrl-C to this process too, but the host decides when a stdio server ends: by
  // closing its input.
  process.on("SIGINT", () => undefined);
  process.stdin.on("close", () => process.exit());
  await notesServer().connect(new StdioServerTransport());
}
