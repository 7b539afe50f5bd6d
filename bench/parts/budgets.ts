// What budgets add to a request on the fast path: the same gateway without one, and with one of everything, of each key and of the server.

import { compare } from "../rounds.ts";
import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured, message, sampling } from "../sampling-load.ts";

const amount = { usd: 1_000_000, per: "month" };
const document = {
  budgets: { all: { of: "everything", ...amount }, keys: { of: { key: "*" }, ...amount }, notes: { of: { server: "notes" }, ...amount } },
};

export async function budgets(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const direct = post("/v1/chat/completions", { model: "mock-1", max_tokens: 100, messages: [message] });
  const without = configured(`http://127.0.0.1:${provider.port}`);
  const withBudgets = { ...without, documents: { ...without.documents, budgets: document } };
  const table = await compare(
    [
      { name: "provider alone", served: provider, request: () => direct },
      { name: "without budgets", served: await rig.gateway(without), request: sampling },
      { name: "with three budgets", served: await rig.gateway(withBudgets), request: sampling },
    ],
    { title: "A request on the fast path, without budgets and with three", connectionCounts: settings.connections ?? [1, 16], settings },
  );
  return { tables: [table] };
}
