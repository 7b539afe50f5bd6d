// The gateway killed again and again under a mixed load: fifty times in `npm run attack`, three
// times in `npm run test:rest`. KILLS is another number, and KILLS_SEED repeats the load and the
// moments of a run.

import { expect, test } from "vitest";
import { wholeOr } from "../outside/support/whole.ts";
import { runKills } from "./kills/run-kills.ts";

const seed = Number(process.env["KILLS_SEED"] ?? 14);
const chosen = wholeOr({ kills: Number(process.env["KILLS"] ?? 50), seed, load: 8 }, { kills: 3, seed, load: 7, brief: true });

test(
  "kills under a mixed load lose nothing, double nothing, and pay nothing twice without a line",
  { timeout: 3_600_000 },
  async ({ task }) => {
    const judged = await runKills(chosen);
    task.meta.kills = { ...judged, seed };
    expect(judged).toMatchObject({ kills: chosen.kills, requests: chosen.kills * chosen.load });
    const wrong = [
      ...judged.lost.map((each) => `lost: ${each}`),
      ...judged.doubled.map((each) => `doubled: ${each}`),
      ...judged.paidTwiceUnrecorded.map((each) => `paid twice without a line: ${each}`),
    ];
    expect(wrong, wrong.join("\n")).toEqual([]);
  },
);
