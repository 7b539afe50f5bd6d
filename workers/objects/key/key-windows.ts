// The hibernating WebSockets on a key: one for each response or call that has to end with it. They
// keep nothing awake.
//
// Those of open responses are counted exactly, also where their Workers are cut off, and are closed
// when their session ends.

import { revokedCode, fullStatus, sessionEndedCode, sessionHeader, mostHeader } from "../../stubs/key-calls.ts";

const openResponse = "held";
const ofSession = (session: string): string => `session ${session}`;
/** The window of a response that began before its session ended opens at most this much later. */
const endedKnownMs = 60_000;
const mostEnded = 1_000;

export class KeyWindows {
  readonly #ctx: DurableObjectState;
  readonly #now: () => number;
  /** Sessions that ended a moment ago, and when. */
  readonly #ended = new Map<string, number>();

  constructor(ctx: DurableObjectState, now: () => number) {
    this.#ctx = ctx;
    this.#now = now;
  }

  open(headers: Headers): Response {
    const session = headers.get(sessionHeader);
    const most = headers.get(mostHeader);
    if (most !== null && this.#open(openResponse).length >= Number(most)) return new Response(null, { status: fullStatus });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, session === null ? [] : [openResponse, ...(session === "" ? [] : [ofSession(session)])]);
    if (session !== null && this.#now() - (this.#ended.get(session) ?? 0) < endedKnownMs) close(server, sessionEndedCode);
    return new Response(null, { status: 101, webSocket: client });
  }

  endSession(session: string): void {
    if (this.#ended.size >= mostEnded) this.#ended.clear();
    this.#ended.set(session, this.#now());
    for (const socket of this.#open(ofSession(session))) close(socket, sessionEndedCode);
  }

  /** The key was revoked. */
  endAll(): void {
    for (const socket of this.#open()) close(socket, revokedCode);
  }

  #open(tag?: string): WebSocket[] {
    return this.#ctx.getWebSockets(tag).filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}

function close(socket: WebSocket, code: number): void {
  try {
    socket.close(code);
  } catch {
    // A window that breaks at this moment is opened again, and answered then.
  }
}
