// A receiver of webhooks that trusts nothing: it verifies each signature with the Standard Webhooks
// package, as a real one would, and takes each id once. Web types only, so that it answers inside
// workerd and behind a socket alike.

import { Webhook } from "standardwebhooks";

export type WebhookStep =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | "silent"
  | "disconnected";

export type TakenWebhook = {
  readonly id: string;
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
};

export type WebhookReceiver = {
  /** Verified and new, oldest first. */
  readonly taken: TakenWebhook[];
  readonly requests: {
    readonly url: string;
    readonly method: string;
    readonly headers: Headers;
    readonly body: string;
    readonly redirect: string;
  }[];
  readonly script: (...steps: readonly WebhookStep[]) => void;
  /**
   * 204 for what it takes or has taken, 401 for a signature that is not of its secret or too old.
   */
  readonly answer: (request: Request) => Promise<Response>;
};

export function createWebhookReceiver(secret: string): WebhookReceiver {
  const steps: WebhookStep[] = [];
  const receiver: WebhookReceiver = {
    taken: [],
    requests: [],
    script: (...more) => void steps.push(...more),
    answer: async (request) => {
      const body = await request.text();
      const { url, method, redirect } = request;
      receiver.requests.push({ url, method, redirect, headers: new Headers(request.headers), body });
      const step = steps.shift();
      if (step === "disconnected") throw new TypeError("Network connection lost.");
      if (step === "silent") {
        return new Promise((_, reject) => {
          request.signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
        });
      }
      let event: unknown;
      try {
        event = new Webhook(secret).verify(body, Object.fromEntries(request.headers));
      } catch {
        return new Response("bad signature", { status: 401 });
      }
      if (step !== undefined) return new Response(step.body ?? null, { status: step.status, headers: step.headers ?? {} });
      const id = request.headers.get("webhook-id") ?? "";
      if (!receiver.taken.some((each) => each.id === id)) receiver.taken.push({ id, event: event as TakenWebhook["event"] });
      return new Response(null, { status: 204 });
    },
  };
  return receiver;
}
