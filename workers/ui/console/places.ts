// The pages of the console that one can go to, as its navigation and its search have them.

import type { Icon } from "../icons.tsx";
import type { ConsoleWords } from "./console-words.ts";

export type Place = {
  readonly page: string;
  readonly name: Exclude<keyof ConsoleWords["nav"], "label" | "more">;
  readonly icon: Parameters<typeof Icon>[0]["of"];
};

/** On a phone these stand at the bottom, and the rest behind "More". */
export const firstPlaces: readonly Place[] = [
  { page: "", name: "overview", icon: "home" },
  { page: "requests", name: "requests", icon: "list" },
  { page: "routing", name: "routing", icon: "route" },
  { page: "policy", name: "policy", icon: "shield" },
];
export const otherPlaces: readonly Place[] = [
  { page: "keys", name: "keys", icon: "key" },
  { page: "servers", name: "servers", icon: "server" },
  { page: "reviewers", name: "reviewers", icon: "people" },
  { page: "grants", name: "grants", icon: "check" },
  { page: "budgets", name: "budgets", icon: "coin" },
  { page: "usage", name: "usage", icon: "bars" },
  { page: "decisions", name: "decisions", icon: "pencil" },
  { page: "record", name: "record", icon: "book" },
  { page: "stops", name: "stops", icon: "stop" },
];
export const places: readonly Place[] = [...firstPlaces, ...otherPlaces];
