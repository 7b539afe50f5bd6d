// The outbox: notices are listed at /admin/notices for whoever has the admin token. For one's own machine, or where OUTBOX=on.

import type { Env } from "../env.ts";
import type { NoticeRow } from "../objects/ledger.ts";
import { ledgerShardOf, ledgerStub } from "../objects/names.ts";
import type { Channel, Notice } from "./channel.ts";

/** Reaches every reviewer: it needs no address. */
export function outboxChannel(env: Env): Channel {
  const list = async (notice: Notice, state: string): Promise<void> => {
    const { run, link, reviewer, at } = notice;
    const row: NoticeRow = {
      id: link.id,
      at,
      channel: "outbox",
      reviewer: reviewer.name,
      run,
      gate: link.gate,
      state,
      link: { reviewer: link.reviewer, expiresAtSeconds: link.expiresAtSeconds, random: link.id },
    };
    await ledgerStub(env, ledgerShardOf(run)).append(JSON.stringify([{ events: [], summary: null, notices: [row] }]));
  };
  return {
    name: "outbox",
    reaches: () => true,
    send: async (notice) => {
      await list(notice, "sent");
      return true;
    },
    ended: (notice, how) => list(notice, how),
  };
}
