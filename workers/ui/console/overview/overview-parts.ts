// What every part of the overview is made from.

import type { ShownUsage } from "../../../../shared/record/usage.ts";
import type { Overview } from "../../../endpoints/admin/answers/overview.ts";
import { fill } from "../../sentence.tsx";
import type { Numbers } from "../numbers.ts";
import type { Visit } from "../page.ts";
import type { OverviewWords } from "./overview-words.ts";

export type OverviewContext = {
  readonly visit: Visit;
  readonly overview: Overview;
  readonly texts: OverviewWords;
  readonly numbers: Numbers;
};

/** A sentence of which every value is a text. */
export const said = (sentence: string, values: Readonly<Record<string, string>>): string => fill(sentence, values).join("");

/** Denied by people, or by nobody in time. */
export const deniedIn = ({ outcomes: { denied, expired, undeliverable } }: Pick<ShownUsage, "outcomes">): number =>
  denied + expired + undeliverable;

/** What else went without a reply. */
export const otherIn = ({ outcomes: { failed, cancelled, refused } }: Pick<ShownUsage, "outcomes">): number => failed + cancelled + refused;
