// People who decide whatever is open, now and then with a no, while the gateway comes and goes.

import { factsOf, formOf, notices, pathOf, postForm } from "../people.ts";
import { pause } from "../../outside/support/killable-gateway.ts";
import type { World } from "../world.ts";
import { questionIn } from "./counting-model.ts";
import type { Decided } from "./history.ts";
import type { Random } from "./random.ts";

export type Decider = {
  readonly decided: Decided[];
  readonly questionOf: Map<string, string>;
  readonly stop: () => Promise<void>;
};

/**
 * Decides until it is stopped. Reviews that were seen are left open now and then, so that some wait
 * while the process is killed.
 */
export function startDecider(world: World, random: Random): Decider {
  const decided: Decided[] = [];
  const questionOf = new Map<string, string>();
  const done = new Set<string>();
  const over = new AbortController();
  const looking = (async () => {
    while (!over.signal.aborted) {
      const open = await notices(world).catch(() => []);
      for (const { run, gate, link, state } of open) {
        if (link === null || done.has(`${gate} ${run}`) || (state !== "sent" && state !== "open")) continue;
        await decide(run, gate, link).catch(() => {}); // The gateway is away: the review is listed again when it is back.
      }
      await pause(60);
    }
  })();

  async function decide(run: string, gate: "request" | "response", link: string): Promise<void> {
    const page = await world.ask(pathOf(link), { key: null });
    const question = questionIn(page.text);
    if (question !== "") questionOf.set(run, question);
    // Somebody who looks, and thinks.
    if (random.next() < 0.3) return;
    const fields = await formOf(world, link);
    if (fields === null) return void done.add(`${gate} ${run}`);
    const act = random.next() < 0.12 ? "deny" : "approve";
    fields.set("act", act === "deny" ? "deny" : "approve:0");
    const { status } = await postForm(world, link, fields);
    if (status !== 303) return;
    decided.push({ question: questionOf.get(run) ?? "", run, gate, act });
    done.add(`${gate} ${run}`);
  }

  return {
    decided,
    questionOf,
    stop: async () => {
      over.abort();
      await looking;
    },
  };
}

/**
 * Waits until the record has the end of each of these runs, so that nothing is judged before it was
 * written.
 */
export async function settled(world: World, runs: Iterable<string>): Promise<void> {
  for (const run of runs) {
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await factsOf(world, run)).some(({ kind }) => kind === "finished")) break;
      await pause(100);
    }
  }
}
