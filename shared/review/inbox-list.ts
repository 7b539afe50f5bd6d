// One page of a reviewer's inbox as a value: what the inbox object makes and the page shows.

import type { Gate } from "../model/gate.ts";
import type { InboxFacts } from "./inbox-facts.ts";

export const inboxFilters = ["all", "prompts", "replies", "warnings", "last"] as const;
export type InboxFilter = (typeof inboxFilters)[number];

/** By deadline, or the highest risk first. */
export const inboxSorts = ["time", "risk"] as const;
type InboxSort = (typeof inboxSorts)[number];

/** Which stand together under one heading. */
export const inboxGroupings = ["alike", "server", "key", "none"] as const;
export type InboxGrouping = (typeof inboxGroupings)[number];

/** What part of the list is shown, and in which order. `page`: from 1. */
export type InboxQuery = {
  readonly filter: InboxFilter;
  readonly sort: InboxSort;
  readonly group: InboxGrouping;
  readonly page: number;
};

export type InboxItem = {
  readonly run: string;
  readonly gate: Gate;
  readonly deadlineAt: number;
  readonly warnings: number;
  readonly facts: InboxFacts;
  /** The size of its group, where it is the first of it on the page; null for any other. */
  readonly groupSize: number | null;
  /** Whether any other is of its group. */
  readonly isGrouped: boolean;
};

export type InboxList = {
  readonly counts: Readonly<Record<InboxFilter, number>>;
  readonly page: number;
  readonly pages: number;
  readonly items: readonly InboxItem[];
};
