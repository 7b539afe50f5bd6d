// The playground's form as the request that it stands for: what POST /admin/routing/explain takes.

import { axes, type Axis } from "../../../../shared/routing/rank.ts";
import type { ListedKey } from "../../../endpoints/admin/answers/keys.ts";

export const needs = ["images", "audio", "tools"] as const;
type Need = (typeof needs)[number];

/** What was entered, as it was entered. */
export type Entered = {
  readonly hints: string;
  readonly priorities: Readonly<Record<Axis, string>>;
  readonly maxTokens: string;
  readonly prompt: string;
  readonly key: string;
  readonly server: string;
  readonly named: string;
  readonly task: "chat" | "embedding";
  readonly needs: readonly Need[];
};

const initial: Entered = {
  hints: "",
  priorities: { cost: "0.2", speed: "0.7", intelligence: "0.3" },
  maxTokens: "200",
  prompt: "1000",
  key: "",
  server: "",
  named: "",
  task: "chat",
  needs: [],
};

/** `form`: null before anything was entered. */
export function enteredIn(form: URLSearchParams | null): Entered {
  if (form === null || !form.has("maxTokens")) return initial;
  const text = (name: string): string => form.get(name)?.trim() ?? "";
  return {
    hints: text("hints"),
    priorities: { cost: text("cost"), speed: text("speed"), intelligence: text("intelligence") },
    maxTokens: text("maxTokens"),
    prompt: text("prompt"),
    key: text("key"),
    server: text("server"),
    named: text("named"),
    task: form.get("task") === "embedding" ? "embedding" : "chat",
    needs: needs.filter((need) => form.getAll("needs").includes(need)),
  };
}

const mostCharacters = 400_000;

const wholeIn = (text: string, least: number, most: number): number | null => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
};

/** One pixel, and a moment of silence: routing looks at what kind of content there is. */
const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABc3UBGAAAAABJRU5ErkJggg==";
const audio = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/** The body of the question; null where a number is none. */
export function questionOf(entered: Entered, keys: readonly ListedKey[], table: unknown): object | null {
  const [maxTokens, prompt] = [wholeIn(entered.maxTokens, 1, 10_000_000), wholeIn(entered.prompt, 0, mostCharacters)];
  if (maxTokens === null || prompt === null) return null;
  const hints = entered.hints
    .split(/[,，\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const priorities = axes.flatMap((axis) => {
    const value = Number(entered.priorities[axis]);
    return value > 0 && value <= 1 ? [[`${axis}Priority`, value] as const] : [];
  });
  const wants = (need: Need): boolean => entered.needs.includes(need);
  const content = [
    { type: "text", text: "x".repeat(prompt) },
    ...(wants("images") ? [{ type: "image", data: image, mimeType: "image/png" }] : []),
    ...(wants("audio") ? [{ type: "audio", data: audio, mimeType: "audio/wav" }] : []),
  ];
  const key = keys.find(({ id }) => id === entered.key);
  return {
    params: {
      messages: [{ role: "user", content }],
      maxTokens,
      modelPreferences: { hints: hints.map((name) => ({ name })), ...Object.fromEntries(priorities) },
      ...(wants("tools") ? { tools: [{ name: "tool", inputSchema: { type: "object" } }] } : {}),
    },
    task: entered.task,
    ...(entered.named === "" ? {} : { namedModel: { name: entered.named } }),
    ...(entered.server === "" ? {} : { server: entered.server }),
    ...(key === undefined ? {} : { key: { id: key.id, name: key.name, ...(key.models === undefined ? {} : { models: key.models }) } }),
    ...(table === undefined ? {} : { table }),
  };
}
