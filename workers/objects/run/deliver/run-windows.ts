// The WebSockets on a run: its callers, which wait for the outcome, and the open review pages. Both
// only listen; both hibernate, so that the object sleeps while a person thinks. Losing one changes
// nothing.

import type { Outcome } from "../../../../shared/model/outcome.ts";
import type { JsonOf } from "../../../../shared/json/json-of.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import type { RunState } from "../../../../shared/run/lifecycle.ts";
import { progressOf } from "../../../../shared/run/present.ts";

/** A page's link: its messages are about this gate's review, for this reviewer. */
export type PageWindow = {
  readonly gate: Gate;
  readonly reviewer: number;
  readonly link: string;
  /** Whether it is in the browser that approved the request, which it leads on to the reply. */
  readonly follows: boolean;
};

type Attachment = PageWindow & { readonly openedAt: number };

/**
 * A page that leads on says every 15 seconds that it is there: one that was silent for so long may
 * be of a phone that sleeps.
 */
const silenceMs = 40_000;

/** Further pages of one run get no live messages; they work without them. */
const mostPages = 100;

export class RunWindows {
  readonly #ctx: DurableObjectState;
  /** What the callers were told last, those that came since in their first message. */
  #told: string | null = null;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Accepts a caller's socket. `first`: the message that it gets at once. */
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
    server.serializeAttachment({ ...page, openedAt: Date.now() } satisfies Attachment);
    server.send(first);
    return new Response(null, { status: 101, webSocket: client });
  }

  callers(): number {
    return this.#open("caller").length;
  }

  isPage(socket: WebSocket): boolean {
    return socket.deserializeAttachment() !== null;
  }

  /** Whether this reviewer has a page open that leads on to the reply. */
  isFollowed(reviewer: number): boolean {
    return this.#open("page").some((socket) => {
      const page = socket.deserializeAttachment() as Attachment; // written by acceptPage
      const heardAt = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? page.openedAt;
      return page.follows && page.reviewer === reviewer && Date.now() - heardAt < silenceMs;
    });
  }

  tellCallers(message: string): void {
    if (message === this.#told) return;
    this.#told = message;
    for (const socket of this.#open("caller")) say(socket, message);
  }

  /** Passes an event of a task's server on to the callers. */
  passOn(event: string): void {
    for (const socket of this.#open("caller")) say(socket, JSON.stringify({ kind: "event", event }));
  }

  /** Tells all callers that their client waits no longer. */
  dismissCallers(): void {
    for (const socket of this.#open("caller")) say(socket, dismissedMessage);
  }

  /** Sends each open page the message for its link; null: none. */
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

/**
 * A longer outcome is fetched with a call of its own: the platform bounds a WebSocket's message.
 */
const longestSent = 100_000;

/**
 * The messages to a caller's window: the run has ended, with its outcome where that is not long;
 * its state; or that its client waits no longer.
 */
export const endedMessage = (outcome: JsonOf<Outcome> | undefined): string =>
  outcome === undefined || outcome.length > longestSent ? '{"kind":"ended"}' : `{"kind":"ended","outcome":${outcome}}`;
const dismissedMessage = '{"kind":"dismissed"}';
export const progressMessage = (state: RunState): string => JSON.stringify({ kind: "progress", state: progressOf(state) });

function say(socket: WebSocket, message: string): void {
  try {
    socket.send(message);
  } catch {
    // A window that closes at this moment loses nothing: it is opened again.
  }
}
