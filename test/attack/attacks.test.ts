// The attacks and faults, one after the other against one gateway. `npm run attack` tries them all,
// `npm run test:rest` some of every area.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isWhole } from "../outside/support/whole.ts";
import { areas } from "./areas.ts";
import { type World, isAlive, startWorld } from "./world.ts";

/**
 * What `npm run test:rest` tries of each area: the attacks that have one of these in their names.
 */
const sample: Readonly<Record<string, readonly string[]>> = {
  keys: ["knows the id of another key's run", "asks for another key's cached reply", "uses the relay session of another key"],
  shapes: ["a hundred thousand", "a message with a member twice"],
  headers: ["Host names another host", "the form of a review, posted"],
  links: ["a token with any one of its bits", "a form with"],
  deciding: ["10 approvals and 10 denials", "the bytes that a model gets", "a grant does not cover a request with another tool"],
  calls: [
    "lets none pass with another value",
    "with another method behind it",
    "on the stand-alone stream",
    "by no address that its key reaches",
    "with the command twice",
  ],
  forms: ["answer no form in the owner's place"],
  scripts: ["a script element in every field"],
  outward: ['the host "127', "a server's redirect"],
  relay: ["a client that answers its server's sampling itself"],
  slack: ["a press with no signature", "a signed press by another member"],
  chats: ["in an ntfy message"],
  push: ['at "https://10.0.0.1/a"', "in another person's inbox", "hold the connection"],
  guardrails: ["a key without tokens", "an API key stops nothing"],
  tokens: ["a scoped token that was changed anywhere"],
  oauth: ["a host that begins as the client's", "one client's consent", "a stolen refresh token", "at 127.0.0.1"],
  passkeys: ["approves nothing a second time", "over a nonce", "no passkey beside the owner's", "a forwarded notice decides"],
  receipts: ["of another call", "puts into its own call"],
  console: ["/console/stops without signing in", "a form does nothing without its session's own token"],
  exhaustion: ["a schema with a pattern"],
  faults: ["a provider closes the connection"],
  resets: ["after a session was ended"],
};

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

for (const { name: area, about, attacks } of areas)
  describe(`${area}:`, () => {
    afterEach(async () => {
      const reached = world.trap.reached.splice(0);
      world.model.reset();
      expect(await isAlive(world), "the gateway is healthy").toBe(true);
      expect(reached, "requests that reached a server inside").toEqual([]);
    });

    for (const { name, isFault = false, run } of attacks) {
      if (!isWhole && !sample[area]?.some((part) => name.includes(part))) continue;
      test(name, { timeout: 120_000, meta: { attack: { area, about, isFault } } }, () => run(world));
    }
  });

test("each attack is there once", () => {
  const names = areas.flatMap(({ name: area, attacks }) => attacks.map(({ name }) => `${area}: ${name}`));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("the sample has nothing that is no attack", () => {
  const unknown = Object.entries(sample).flatMap(([area, parts]) => {
    const names = areas.find(({ name }) => name === area)?.attacks.map(({ name }) => name) ?? [];
    return parts.filter((part) => !names.some((name) => name.includes(part)));
  });
  expect(unknown).toEqual([]);
});
