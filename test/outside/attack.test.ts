// A sample of `npm run attack`: some attacks of every area, and three kills. The whole takes minutes.

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { areas } from "../attack/areas.ts";
import { runKills } from "../attack/kills/run-kills.ts";
import { mustBeDistinct, runAttacks } from "../attack/run-attacks.ts";
import { type World, startWorld } from "../attack/world.ts";

/** The kills wait for leases most of the time: they run beside the attacks. */
const kills = inject("builtWorkers");
let world: World;
let killing: ReturnType<typeof runKills>;
beforeAll(async () => {
  killing = runKills({ workers: kills }, { kills: 3, seed: 14, load: 7, brief: true });
  killing.catch(() => {});
  world = await startWorld({ workers: kills });
});
afterAll(() => world?.close());

const sample = [
  "keys: a key knows the id of another key's run",
  "keys: a key asks for another key's cached reply",
  "keys: a key uses the relay session of another key",
  "shapes: a hundred thousand",
  "shapes: a message with a member twice",
  "headers: Host names another host",
  "headers: the form of a review, posted",
  "links: a token with any one of its bits",
  "links: a form with",
  "deciding: 10 approvals and 10 denials",
  "deciding: the bytes that a model gets",
  "deciding: a grant does not cover a request with another tool",
  "scripts: a script element in every field",
  'outward: the host "127',
  "outward: a server's redirect",
  "relay: a client that answers its server's sampling itself",
  "slack: a press with no signature",
  "slack: a signed press by another member",
  "exhaustion: a schema with a pattern",
  "faults: a provider closes the connection",
];

describe("npm run attack", () => {
  test("names each attack once, and has more than 200 of them", () => {
    expect(() => mustBeDistinct(areas)).not.toThrow();
    expect(areas.flatMap(({ attacks }) => attacks).filter(({ isFault }) => isFault !== true).length).toBeGreaterThan(200);
  });

  test("of a sample of the attacks none gets through", async () => {
    const tried = await runAttacks(world, areas, { only: sample });
    expect(tried.length).toBeGreaterThan(sample.length);
    expect(tried.filter(({ verdict }) => verdict !== "refused")).toEqual([]);
  });

  test("three kills under a mixed load lose nothing, double nothing, and pay nothing twice without a line", async () => {
    const judged = await killing;
    expect(judged).toMatchObject({ kills: 3, lost: [], doubled: [], paidTwiceUnrecorded: [] });
    expect(judged.requests).toBe(21);
  });
});
