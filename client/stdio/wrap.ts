// Runs a stdio MCP server behind this process's own stdin and stdout, and gives it sampling:
// `countersign stdio`.

import type { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { parseJson } from "../../shared/json/values.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import { requestApproval, returnResult, withdrawApproval } from "../approval.ts";
import { createSamplingHandler } from "../sampling-handler.ts";
import { platformTiming } from "../timing.ts";
import { warner } from "../warnings.ts";
import type { StdioCommand } from "./command-line.ts";
import { errorLine } from "./client-line.ts";
import { LineCutter, type Piece } from "./lines.ts";
import { END_BYTES, answeredByLong } from "./long-line.ts";
import { ReviewedCalls, type ReviewedCallsSettings } from "./reviewed-calls.ts";
import { Outlet } from "./outlet.ts";
import { refusedCall, withShownTools } from "./shown-tools.ts";
import { type End, startServer, withoutKey } from "./server-process.ts";
import { decoded } from "./stateless-lines.ts";
import { TranslatingRelay } from "./translating-relay.ts";

/**
 * A longer line passes unparsed. Far more than a gateway accepts, and far below the longest string.
 */
const LINE_LIMIT_BYTES = 64 * 1024 * 1024;
/** A server with more unread answers than this is not read further. */
const OWN_BACKLOG_BYTES = 16 * 1024 * 1024;
/** Servers time out after 60 s, and hear before that of a gateway that is down. */
const CONNECT_MILLISECONDS = 30_000;
const GOODBYE_MILLISECONDS = 1_500;
/** After the server's end its children may still write to its stdout. */
const TRAIL_MILLISECONDS = 500;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs until the server has ended and all its output has passed.
 * @returns how the server ended: 126 or 127 where it could not be started, as in a shell.
 * @throws TypeError, at once, where the gateway's address or key, or the server's name, is not
 *   valid.
 */
export function wrap(options: StdioCommand, env: Readonly<Record<string, string | undefined>>): Promise<End> {
  const { server, url, apiKey, association, tokenUsd } = options;
  process.stderr.on("error", () => undefined);
  const warn = warner((line) => void process.stderr.write(`${line}\n`));
  const onError = ({ message }: Error): void => warn(message);
  const sampling = createSamplingHandler({
    url,
    apiKey,
    association,
    connectMilliseconds: CONNECT_MILLISECONDS,
    onProgress: ({ origin, message }) => relay?.waiting(origin.id, message),
    onHeartbeat: ({ origin }) => relay?.stillWaiting(origin.id),
    onError,
  });
  const withdrawing = new Set<Promise<void>>();
  const asking: Running["asking"] = {
    decide: (call, id, signal) => requestApproval(call, { url, apiKey, id, signal, onError }),
    withdraw: (id) => {
      const withdrawn = withdrawApproval(id, { url, apiKey, onError }).finally(() => withdrawing.delete(withdrawn));
      withdrawing.add(withdrawn);
    },
    bring: async (run, result, signal) => {
      const delivery = await returnResult({ id: run }, result, { url, apiKey, signal, onError });
      return { result: delivery.result as JsonObject }; // parsed from JSON
    },
  };
  const { connection } = sampling.connection({ server, ...(tokenUsd === undefined ? {} : { v1Tokens: { maxUsd: tokenUsd } }) });
  let relay: TranslatingRelay | undefined;
  const start: Running["start"] = (toClient, toServer) => {
    relay = new TranslatingRelay({
      ...options,
      connection,
      toServer,
      toClient,
      holdMilliseconds: options.holdSeconds * 1_000,
      now: Date.now,
      sleep: platformTiming.sleep,
      onError,
    });
    return relay;
  };
  return run({ options, env, warn, start, asking, flush: () => Promise.all([sampling.flush(), ...withdrawing]) });
}

const encoder = new TextEncoder();

type Running = {
  readonly options: StdioCommand;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: (message: string) => void;
  readonly start: (toClient: (line: string) => void, toServer: (line: string) => void) => TranslatingRelay;
  /** Asks people about a call, and about its result. */
  readonly asking: Pick<ReviewedCallsSettings, "decide" | "withdraw" | "bring">;
  /** Resolves when the gateway has every notice of what ended. */
  readonly flush: () => Promise<unknown>;
};

async function run({ options, env, warn, start, asking, flush }: Running): Promise<End> {
  const { command, args, shownTools } = options;
  const child = await startServer(command, args, withoutKey(env));
  if ("why" in child) {
    warn(`${command}: ${child.why}`);
    return { code: child.code };
  }
  const forward = (signal: NodeJS.Signals): void => {
    // A terminal sends Ctrl-C to every process of the group, so the server has it already.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, forward);

  // Where one end has closed, the other end's pipe is closed too: its next write fails as it would
  // without us.
  const toServer = new Outlet(child.stdin, () => process.stdin.destroy());
  const toClient = new Outlet(process.stdout, () => child.stdout.destroy());
  const relay = start(
    (line) => {
      const passed = outward(encoder.encode(line));
      if (passed !== undefined) toClient.say(decoded(passed));
    },
    (line) => toServer.say(line),
  );

  /** A line of the client that was not judged does not pass. */
  const refuse = (code: number, message: string, line: Uint8Array = new Uint8Array()): void =>
    toClient.say(errorLine({ code, message, value: parseJson(new TextDecoder().decode(line)) }));
  const calls = !options.reviewsCalls
    ? null
    : new ReviewedCalls({
        server: options.server,
        holdMilliseconds: options.holdSeconds * 1_000,
        ...asking,
        sleep: platformTiming.sleep,
        approved: (line) => {
          const passed = relay.fromClient(line);
          if (passed !== undefined) toServer.say(decoded(passed));
        },
        toClient: (line) => toClient.say(line),
      });
  /** What the client gets of a line for it, of the server's or of the relay's. */
  const outward = (line: Uint8Array): Uint8Array | undefined => (calls === null ? line : calls.fromServer(line));
  const flow = { chunks: 0, isPassing: false };
  const inward = pass(process.stdin, toServer, {
    look: (line) => {
      const refused = shownTools === null ? null : refusedCall(line, shownTools);
      if (refused !== null) return void toClient.say(refused);
      const judged = calls === null ? line : calls.fromClient(line);
      return judged === undefined ? undefined : relay.fromClient(judged);
    },
    onLong: () => {
      refuse(-32_600, `Invalid Request: over ${LINE_LIMIT_BYTES / 1024 / 1024} MiB`);
      return false;
    },
    onUnreadable: (line) => {
      warn("a line of the client could not be read here, and is refused.");
      refuse(-32_603, "Internal error", line);
      return undefined;
    },
  }).then(() => {
    toServer.end();
    const dropped = calls?.undelivered ?? 0;
    if (dropped > 0)
      warn(`the client has closed while the results of ${dropped} calls that were sent to the server wait for review; they are dropped.`);
    // Answers can no longer reach the server.
    calls?.closed();
    relay.closed();
  });
  const fromServer = pass(child.stdout, toClient, {
    look: (line) => {
      const passed = relay.fromServer(shownTools === null ? line : withShownTools(line, shownTools));
      return passed === undefined ? undefined : outward(passed);
    },
    onLong: () => {
      if (calls?.keepsResults === true) {
        warn("a line of the server is too long, and is not passed on while a result is reviewed.");
        return false;
      }
      warn(
        `a line of the server is over ${LINE_LIMIT_BYTES / 1024 / 1024} MiB; it is passed on unread, and sampling in it is not answered here.`,
      );
      return true;
    },
    onLongEnded: (head, tail) => {
      relay.longFromServer(head, tail);
      calls?.tooLong(answeredByLong(head, tail));
    },
    onUnreadable: (line) => {
      if (calls?.keepsResults === true) return undefined;
      warn("a line could not be read here; it is passed on as it came.");
      return line;
    },
    afterLine: () => toServer.ownBacklogBelow(OWN_BACKLOG_BYTES),
    flow,
  });

  const end = await child.ended;
  // The server has ended: from here on signals end this process.
  for (const signal of SIGNALS) process.off(signal, forward);
  await Promise.race([fromServer, quiet(flow)]);
  calls?.closed();
  relay.closed();
  await Promise.all([toClient.flushed(), Promise.race([flush(), pause(GOODBYE_MILLISECONDS)])]);
  void inward;
  return end;
}

type Flow = { chunks: number; isPassing: boolean };

type Passing = {
  /** Returns what passes in place of a line, if anything. */
  readonly look: (line: Uint8Array) => Uint8Array | undefined;
  /** `look` threw: an error of ours. Returns what passes in place of the line, if anything. */
  readonly onUnreadable: (line: Uint8Array) => Uint8Array | undefined;
  /** A line over the limit begins. Returns whether it passes, unread. */
  readonly onLong: () => boolean;
  /** Both ends of a line that was too long. */
  readonly onLongEnded?: (head: string, tail: string) => void;
  readonly afterLine?: () => Promise<void>;
  readonly flow?: Flow;
};

/** Passes a stream on, line by line, until it ends or breaks. */
async function pass(from: Readable, to: Outlet, { look, onUnreadable, onLong, onLongEnded, afterLine, flow }: Passing): Promise<void> {
  const cutter = new LineCutter(LINE_LIMIT_BYTES);
  let head = "";
  let tail: Uint8Array = new Uint8Array();
  let longPasses = true;
  const passLong = async ({ bytes, begins, ends }: Extract<Piece, { kind: "part" }>): Promise<void> => {
    if (begins) {
      longPasses = onLong();
      head = Buffer.from(bytes.subarray(0, END_BYTES)).toString();
    }
    tail = Buffer.concat([tail, bytes.subarray(-END_BYTES)]).subarray(-END_BYTES);
    if (longPasses) await to.pass(bytes, ends);
    if (!ends) return;
    onLongEnded?.(head, Buffer.from(tail).toString());
    tail = new Uint8Array();
  };
  const passLine = async (line: Uint8Array): Promise<void> => {
    let bytes: Uint8Array | undefined;
    try {
      bytes = look(line);
    } catch {
      bytes = onUnreadable(line);
    }
    if (bytes !== undefined) await to.pass(bytes, true);
    await afterLine?.();
  };
  const passAll = async (pieces: readonly Piece[]): Promise<void> => {
    for (const piece of pieces) await (piece.kind === "part" ? passLong(piece) : passLine(piece.bytes));
  };
  try {
    for await (const chunk of from) {
      if (flow !== undefined) {
        flow.chunks += 1;
        flow.isPassing = true;
      }
      await passAll(cutter.push(chunk as Uint8Array)); // bytes, since no encoding is set
      if (flow !== undefined) flow.isPassing = false;
    }
    await passAll(cutter.end());
  } catch {
    // The stream was closed, by us where the other side has closed.
  }
}

/**
 * Resolves after `TRAIL_MILLISECONDS` without output: a child of the server may keep its stdout
 * open for ever.
 */
async function quiet(flow: Readonly<Flow>): Promise<void> {
  for (let seen = -1; flow.isPassing || seen !== flow.chunks; await pause(TRAIL_MILLISECONDS)) seen = flow.chunks;
}
