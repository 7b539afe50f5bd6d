// The WebSockets that look at a run: its callers, who wait for the answer, and the review pages that are open. Both only
// listen; both hibernate, so that the object sleeps while a person thinks. Losing one changes nothing.

import type { Gate } from "../../../shared/model/gate.ts";
import type { RunState } from "../../../shared/run/lifecycle.ts";
import { progressOf } from "../../../shared/run/present.ts";

/** A page's link: what it hears of is this gate, as it stands to this reviewer. */
export type PageWindow = { readonly gate: Gate; readonly reviewer: number; readonly link: string };

/** More pages than this of one run are not told live; they work all the same. */
const mostPages = 100;

export class RunWindows {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Takes a caller's socket. `first` is what it hears at once. */
  acceptCaller(first: string): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, ["caller"]);
    server.send(first);
    return new Response(null, { status: 101, webSocket: client });
  }

  acceptPage(page: PageWindow, first: string): Response {
    if (this.#open("page").length >= mostPages) return new Response(null, { status: 503 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server, ["page"]);
    server.serializeAttachment(page);
    server.send(first);
    return new Response(null, { status: 101, webSocket: client });
  }

  callers(): number {
    return this.#open("caller").length;
  }

  isPage(socket: WebSocket): boolean {
    return socket.deserializeAttachment() !== null;
  }

  tellCallers(message: string): void {
    for (const socket of this.#open("caller")) say(socket, message);
  }

  /** Tells each open page what `message` makes for its link; null leaves it alone. */
  tellPages(message: (page: PageWindow) => string | null): void {
    for (const socket of this.#open("page")) {
      const text = message(socket.deserializeAttachment() as PageWindow); // written by acceptPage
      if (text !== null) say(socket, text);
    }
  }

  #open(tag: "caller" | "page"): WebSocket[] {
    return this.#ctx.getWebSockets(tag).filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}

/** What a caller's window hears: that the run is over, or how far it is. */
export const endedMessage = JSON.stringify({ kind: "ended" });
export const progressMessage = (state: RunState): string => JSON.stringify({ kind: "progress", state: progressOf(state) });

function say(socket: WebSocket, message: string): void {
  try {
    socket.send(message);
  } catch {
    // A window that closes in this moment loses nothing: it asks again.
  }
}
