// Callers of every kind, who repeat the same request until they have an answer, as the contract
// tells them to.

import { rpcOf, samplingMessage } from "../people.ts";
import { pause } from "../../outside/support/killable-gateway.ts";
import type { Answer, World } from "../world.ts";
import type { Asked, End, Kind } from "./history.ts";

/**
 * So long a caller repeats its request: each kill may make it wait for a lease, which ends ten
 * seconds after the model's time.
 */
const patienceMs = 600_000;

type Attempt = { readonly end: End } | "again";
/** One attempt at a request. Rejects where its connection broke. */
type Ask = () => Promise<Attempt>;

/**
 * Asks until there is an end, and, where it was completed, once more: a repeat gets the same
 * answer.
 */
export async function persist(world: World, question: string, kind: Kind): Promise<Asked> {
  const ask = (kind === "relay" ? relayCaller : kind === "control" ? controlCaller : samplingCaller)(world, question, kind);
  const until = Date.now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    const attempt = await ask().catch(() => "again" as const);
    if (attempt !== "again") return { question, kind, tries, end: attempt.end };
    if (Date.now() > until) return { question, kind, tries, end: { how: "none" } };
    await pause(150);
  }
}

/**
 * What a repeat of a completed request says, added to it; nothing where the answer is no longer
 * kept. Only of requests with a review: what was answered at once may be asked of the model again
 * after a crash (docs/architecture.md).
 */
export async function repeated(world: World, asked: Asked): Promise<Asked> {
  const { question, kind, end } = asked;
  if (end.how !== "completed" || kind === "relay" || kind === "fast" || kind === "control") return asked;
  const again = await samplingCaller(world, question, kind)().catch(() => "again" as const);
  if (again === "again" || again.end.how !== "completed") return asked;
  return { ...asked, end: { ...end, texts: [...end.texts, ...again.end.texts], runs: [...end.runs, ...again.end.runs] } };
}

const textOf = (content: unknown): string => JSON.stringify(content ?? "");

function samplingCaller(world: World, question: string, kind: Kind): Ask {
  const server = kind === "fast" ? "open" : kind;
  const body = samplingMessage({
    id: question,
    session: `kills-${kind}`,
    originating: question,
    tool: question,
    server,
    text: `The question is ${question}`,
  });
  return async () => {
    const answer = await world.ask("/sampling", { body });
    const { result, error } = rpcOf(answer);
    if (result !== undefined)
      return {
        end: { how: "completed", texts: [textOf(result.content)], runs: [result._meta?.["countersign/run"]?.id ?? ""], at: Date.now() },
      };
    if (error?.data?.["outcome"] === "rejected") return { end: { how: "denied", text: answer.text } };
    return isPassing(answer, error?.code) ? "again" : { end: { how: "failed", text: answer.text.slice(0, 300) } };
  };
}

/**
 * While it starts, or after a crash, the gateway may say that it is broken, busy or has no
 * configuration yet: one tries again.
 */
const isPassing = ({ status }: Answer, code: number | undefined): boolean =>
  status >= 500 || status === 429 || code === -32603 || code === -32017 || code === undefined;

function controlCaller(world: World, question: string): Ask {
  const body = {
    protocol_version: "1.0",
    request_id: question,
    model: { name: "first" },
    task: { type: "text_generation", parameters: { prompt: `The question is ${question}` } },
  };
  return async () => {
    const answer = await world.ask("/control", { body });
    const { status, result, run } = (answer.json ?? {}) as { status?: string; result?: unknown; run?: string }; // the contract's
    if (status === "completed") return { end: { how: "completed", texts: [textOf(result)], runs: [run ?? ""], at: Date.now() } };
    if (status === undefined || ["error", "unavailable", "rate_limited"].includes(status)) return "again";
    return { end: { how: "failed", text: answer.text.slice(0, 300) } };
  };
}

let ids = 0;

/**
 * A client of 2026-07-28: it sends its request again with the state that it has, or as at first
 * where its connection broke.
 */
function relayCaller(world: World, question: string): Ask {
  let state: string | undefined;
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  const headers = {
    Accept: "application/json, text/event-stream",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": question,
  };
  return async () => {
    ids += 1;
    const params = { name: question, arguments: {}, ...(state === undefined ? {} : { requestState: state }), _meta };
    const { text } = await world.ask("/mcp/modern", { headers, body: { jsonrpc: "2.0", id: `k-${ids}`, method: "tools/call", params } });
    const given = /"requestState":"([^"]+)"/.exec(text)?.[1];
    if (given !== undefined && text.includes('"input_required"')) {
      state = given;
      return "again";
    }
    if (/outcome is unknown/.test(text)) return { end: { how: "unknown" } };
    if (text.includes('"resultType":"complete"') && !text.includes('"isError":true'))
      return { end: { how: "completed", texts: [text], runs: [], at: Date.now() } };
    if (/"code":-32603|"code":-32017|cannot be reached/.test(text) || !text.includes('"jsonrpc"')) return "again";
    return { end: { how: "failed", text: text.slice(0, 300) } };
  };
}
