// A notice as the RunObject makes it, for channels.

import { AsyncLocalStorage } from "node:async_hooks";
import { expect, vi } from "vitest";
import { doctorText } from "../../../shared/words/doctor.ts";
import { isChannelSetting } from "../../../shared/notice-channels.ts";
import type { ChannelFinding, Notice } from "../../../workers/channels/channel.ts";
import { exchangeTimeoutMs } from "../../../workers/channels/channel-exchange.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { env as bindings, eventually } from "../support/gateway.ts";
import { neverLogged } from "../support/logs.ts";

export const token = "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2";
neverLogged(token);

export const noticeOf = (changes: Partial<Notice> = {}): Notice => ({
  run: openRequest.run,
  link: {
    id: "AAECAwQFBgcICQoL",
    gate: "request",
    reviewer: 3,
    channel: "email",
    expiresAtSeconds: Math.floor(openRequest.deadlineAt / 1000) + 86_400,
    revokedAt: null,
    notice: "queued",
    receipt: null,
  },
  url: `https://reviews.example.com/r/${token}`,
  reviewer: { name: "Ada Lovelace", email: "ada@example.org", webhook: "TEAMS" },
  why: "asked",
  view: openRequest,
  excerpt: "none",
  mustSignIn: false,
  receipt: null,
  idempotencyKey: "AAECAwQFBgcICQoL-17",
  ...changes,
});

/** What a channel says of its setup, in English. */
export async function heard(finding: Promise<ChannelFinding>): Promise<{ readonly ok: boolean; readonly text: string }> {
  const { ok, says } = await finding;
  return { ok, text: doctorText(says) };
}

const isChannel = (name: string): boolean => name === "EMAIL" || isChannelSetting(name);

/** The gateway's environment without any channel, and these variables. */
export function envWith(variables: object): Env {
  const env: Env = { ...bindings };
  for (const name of Object.keys(env).filter(isChannel)) Reflect.deleteProperty(env, name);
  return { ...env, ...variables };
}

/** Every request of the Worker goes to `answer`. */
export function network(answer: (request: Request) => Promise<Response>): void {
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => answer(new Request(input, init)));
}

const timersOf = new AsyncLocalStorage<(() => void)[]>();

/**
 * What comes of something that gets no answer for ten seconds, as if they were over. Its own timer
 * alone: objects of other tests have theirs in this runtime, which must not run outside of them.
 */
export async function unanswered<T>(start: () => Promise<T>): Promise<T> {
  const held: (() => void)[] = [];
  const { setTimeout: real } = globalThis;
  const hold = (then: () => void, ms?: number): unknown =>
    timersOf.getStore() === held && ms === exchangeTimeoutMs ? void held.push(then) : real(then, ms);
  const spied = vi.spyOn(globalThis, "setTimeout").mockImplementation(hold as typeof setTimeout); // of which one overload is used
  let isOver = false;
  const came = timersOf.run(held, start).finally(() => {
    isOver = true;
  });
  await eventually("the timer", async () => held.length > 0);
  spied.mockRestore();
  expect([isOver, exchangeTimeoutMs]).toEqual([false, 10_000]);
  for (const then of held) then();
  return came;
}
