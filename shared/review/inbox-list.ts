// One page of a reviewer's inbox as a value: what the inbox object makes and the page shows.

import type { Gate } from "../model/gate.ts";
import type { InboxFacts } from "./inbox-facts.ts";

export const inboxFilters = ["all", "prompts", "replies", "warnings", "last"] as const;
export type InboxFilter = (typeof inboxFilters)[number];

export type InboxItem = {
  readonly run: string;
  readonly gate: Gate;
  readonly deadlineAt: number;
  readonly warnings: number;
  readonly facts: InboxFacts;
  /** How many are alike, of which this is the first on the page; null for any other. */
  readonly alike: number | null;
  /** Whether any other is alike. */
  readonly isGrouped: boolean;
};

export type InboxList = {
  readonly counts: Readonly<Record<InboxFilter, number>>;
  readonly page: number;
  readonly pages: number;
  readonly items: readonly InboxItem[];
};
