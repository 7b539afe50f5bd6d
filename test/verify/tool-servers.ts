// MCP servers of npm, each with what it needs to start and to say its tools. Nothing of theirs is
// called, so that no secret here is one, and nothing is reached.

type ToolServer = { readonly version: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> };

export const toolServers: Readonly<Record<string, ToolServer>> = {
  "@browserbasehq/mcp-server-browserbase": {
    version: "2.4.3",
    env: { BROWSERBASE_API_KEY: "none", BROWSERBASE_PROJECT_ID: "none", GEMINI_API_KEY: "none" },
  },
  "@elastic/mcp-server-elasticsearch": { version: "0.3.1", env: { ES_URL: "http://127.0.0.1:9", ES_API_KEY: "none" } },
  "@hubspot/mcp-server": { version: "0.4.0", env: { PRIVATE_APP_ACCESS_TOKEN: "none" } },
  "@modelcontextprotocol/server-brave-search": { version: "0.6.2", env: { BRAVE_API_KEY: "none" } },
  "@modelcontextprotocol/server-everything": { version: "2026.8.31" },
  "@modelcontextprotocol/server-filesystem": { version: "2026.8.31", args: ["."] },
  "@modelcontextprotocol/server-github": { version: "2025.4.8", env: { GITHUB_PERSONAL_ACCESS_TOKEN: "none" } },
  "@modelcontextprotocol/server-gitlab": { version: "2025.4.25", env: { GITLAB_PERSONAL_ACCESS_TOKEN: "none" } },
  "@modelcontextprotocol/server-google-maps": { version: "0.6.2", env: { GOOGLE_MAPS_API_KEY: "none" } },
  "@modelcontextprotocol/server-memory": { version: "2026.8.31" },
  "@modelcontextprotocol/server-sequential-thinking": { version: "2026.8.31" },
  "@modelcontextprotocol/server-slack": { version: "2025.4.25", env: { SLACK_BOT_TOKEN: "none", SLACK_TEAM_ID: "none" } },
  "@netlify/mcp": { version: "1.15.1" },
  "@notionhq/notion-mcp-server": { version: "2.5.2", env: { NOTION_TOKEN: "none" } },
  "@playwright/mcp": { version: "0.0.83" },
  "@sentry/mcp-server": { version: "0.39.0", args: ["--access-token=none"] },
  "@shopify/dev-mcp": { version: "1.16.0" },
  // Without `docs`, whose one tool is described by Supabase's site.
  "@supabase/mcp-server-supabase": {
    version: "0.13.0",
    args: ["--access-token", "none", "--features=database,account,development,debugging,functions,branching,storage"],
  },
  "@upstash/context7-mcp": { version: "4.1.1" },
  "@wonderwhy-er/desktop-commander": { version: "0.2.52" },
  "airtable-mcp-server": { version: "1.14.0", env: { AIRTABLE_API_KEY: "none" } },
  "chrome-devtools-mcp": { version: "1.11.0" },
  "exa-mcp-server": { version: "3.4.1", env: { EXA_API_KEY: "none" } },
  "figma-developer-mcp": { version: "0.13.2", args: ["--stdio", "--figma-api-key=none"] },
  "firecrawl-mcp": { version: "3.26.0", env: { FIRECRAWL_API_KEY: "none" } },
  "mcp-server-kubernetes": { version: "4.1.7" },
  "mongodb-mcp-server": { version: "3.0.4", env: { MDB_MCP_TELEMETRY: "disabled" } },
  "tavily-mcp": { version: "0.2.22", env: { TAVILY_API_KEY: "none" } },
};
