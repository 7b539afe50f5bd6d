// The WebSockets of open inbox pages. They only listen, and hibernate. A message has names of
// reviews and their number, and nothing of any.

import type { Visitor, WindowVisitor } from "../../stubs/inbox-calls.ts";

const mostWindows = 50;
/** "Policy violation" (RFC 6455, 7.4.1): the page does not connect again. */
const signedOut = 1008;

export class InboxWindows {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  accept(visitor: WindowVisitor, first: string): Response {
    if (this.#open().length >= mostWindows) return new Response(null, { status: 503 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#ctx.acceptWebSocket(server);
    server.serializeAttachment(visitor);
    server.send(first);
    return new Response(null, { status: 101, webSocket: client });
  }

  /**
   * Tells each window what its visitor may know, and closes those whose visitor is no longer signed
   * in.
   */
  tell(isGood: (visitor: WindowVisitor) => boolean, message: (visitor: Visitor) => string): void {
    for (const socket of this.#open()) {
      const visitor = socket.deserializeAttachment() as WindowVisitor; // written by accept
      if (!isGood(visitor)) close(socket);
      else say(socket, message(visitor));
    }
  }

  closeUnless(isGood: (visitor: WindowVisitor) => boolean): void {
    for (const socket of this.#open()) if (!isGood(socket.deserializeAttachment() as WindowVisitor)) close(socket); // written by accept
  }

  /** When the first window's time is over. */
  nextEnd(): number | null {
    const times = this.#open().map((socket) => (socket.deserializeAttachment() as WindowVisitor).until); // written by accept
    return times.length === 0 ? null : Math.min(...times);
  }

  #open(): WebSocket[] {
    return this.#ctx.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN);
  }
}

function close(socket: WebSocket): void {
  try {
    socket.close(signedOut, "signed out");
  } catch {
    // It closes at this moment.
  }
}

function say(socket: WebSocket, message: string): void {
  try {
    socket.send(message);
  } catch {
    // A window that closes at this moment opens again, and hears all of it.
  }
}
