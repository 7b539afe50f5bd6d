// A registered function, which an MCP server runs, by the `runFunction` that is passed in.

import { notReadyError } from "../../../shared/provider/provider-error.ts";
import { err } from "../../../shared/result.ts";
import type { ProviderAdapter } from "../provider-adapter.ts";

export const mcpProvider: ProviderAdapter = () => ({
  reply: null,
  run: async ({ request, candidate }, { runFunction }, limits) => runFunction?.(request, candidate, limits) ?? err(notReadyError),
  embed: null,
  modelList: null,
});
