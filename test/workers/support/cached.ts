// Envelopes that ask for the cache, and a cache with a reply in it.

import { expect } from "vitest";
import { quiet } from "../objects/inside.ts";
import { type ControlAnswer, type Sent, asked, textEnvelope } from "./control.ts";
import { eventually } from "./gateway.ts";

export const cached = (members: object = {}, ttl = 60): Sent => textEnvelope({}, { control: { cache: { enable: true, ttl } }, ...members });
export const hits = ({ cache }: ControlAnswer): boolean => cache?.hit === true;

/**
 * Fills the cache. What follows may be cut off from the writing, which comes after the answer: so
 * it is looked for.
 */
export async function filled(make: () => Sent = cached, options: Parameters<typeof asked>[1] = {}): Promise<ControlAnswer> {
  const first = await asked(make(), options);
  expect(first.status).toBe("completed");
  expect(hits(first)).toBe(false);
  await eventually("a hit", async () => hits(await asked(make(), options)));
  return first;
}

/** The answer of a request that people decided about, once its run has told the cache of it too. */
export async function toldCache(run: string, answer: Promise<ControlAnswer>): Promise<ControlAnswer> {
  const ended = await answer;
  await quiet(run);
  return ended;
}
