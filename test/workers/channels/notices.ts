// A notice as the RunObject makes it, for channels.

import { vi } from "vitest";
import { doctorText } from "../../../shared/words/doctor.ts";
import { isChannelSetting } from "../../../shared/notice-channels.ts";
import type { ChannelFinding, Notice } from "../../../workers/channels/channel.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { env as bindings } from "../support/gateway.ts";
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
