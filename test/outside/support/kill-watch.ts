// What is looked at when a gateway is killed: its reviews, its model's requests and its record.

import { type Answer, type Caller, type ExportedEvent, type Killable, pause } from "./killable-gateway.ts";

export type OpenedRun = { readonly caller: Caller; readonly run: string; readonly link: string };

export const factsOf = (events: readonly ExportedEvent[], run: string, kind: string): ExportedEvent[] =>
  events.filter((event) => event.run === run && event.fact.kind === kind);

export async function until<T>(what: string, look: () => Promise<T | null> | T | null): Promise<T> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look();
    if (found !== null) return found;
    await pause(100);
  }
  throw new Error(`never seen: ${what}`);
}

export const runIn = (answer: Answer | null): string | undefined => answer?.result?._meta["countersign/run"].id;

/** A new caller's run, whose review is open at this gate. */
export async function opened(gateway: Killable, name: string, server: string, gate: "request" | "response"): Promise<OpenedRun> {
  const known = new Set((await gateway.notices()).map(({ run }) => run));
  const caller = gateway.ask(name, server);
  const { run, link } = await until(
    "its review",
    async () => (await gateway.notices()).find((each) => each.gate === gate && !known.has(each.run)) ?? null,
  );
  if (link === null) throw new Error("a notice without a link");
  return { caller, run, link };
}

/** How often the model was asked a caller's question. */
export const callsFor = (gateway: Killable, name: string): number =>
  gateway.model.requests.filter(({ body }) => JSON.stringify(body).includes(`The question of ${name}"`)).length;
