// The webhook of a Teams workflow, scripted: it takes what the documentation lets it take, and
// refuses everything else as the service does (400, and 413 over 28 KB). Source:
// https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer, version 1.5, and
// https://learn.microsoft.com/en-us/connectors/teams/. Web types only.

type Value = Record<string, unknown>;
const isObject = (value: unknown): value is Value => typeof value === "object" && value !== null && !Array.isArray(value);

export type SeenCard = {
  readonly url: string;
  readonly summary: string;
  /** The words of the card, a line for each block. */
  readonly lines: readonly string[];
  /** Every address that the card opens. */
  readonly links: readonly string[];
};

type Step = { readonly status: number; readonly headers?: Readonly<Record<string, string>> } | "disconnected";

/**
 * Elements and their members, of those that we use: anything else is refused. `TextBlock`, which
 * has Markdown, is none of them.
 */
const members: Readonly<Record<string, readonly string[]>> = {
  AdaptiveCard: ["$schema", "type", "version", "lang", "fallbackText", "msteams", "body", "actions"],
  Container: ["type", "style", "bleed", "items"],
  RichTextBlock: ["type", "inlines"],
  TextRun: ["type", "text", "weight", "size", "fontType", "selectAction"],
  "Action.OpenUrl": ["type", "title", "url"],
};
const styles: Readonly<Record<string, readonly unknown[]>> = {
  weight: ["Bolder"],
  size: ["Large"],
  fontType: ["Monospace"],
  style: ["emphasis"],
};

/** Why the service would refuse this element, or nothing. */
function* problemsIn(value: unknown, at: string, allowed: readonly string[]): Generator<string> {
  if (!isObject(value)) return yield `${at} is no object`;
  const type = String(value["type"]);
  const known = members[type];
  if (known === undefined || !allowed.includes(type)) return yield `${at} is a ${type}`;
  for (const [name, each] of Object.entries(value)) {
    if (!known.includes(name)) yield `${at}/${name} is not known`;
    if (name in styles && !styles[name]?.includes(each)) yield `${at}/${name} has no such value`;
  }
  if (type === "TextRun" && (typeof value["text"] !== "string" || value["text"] === "" || !value["text"].isWellFormed()))
    yield `${at} has no text`;
  if (type === "Action.OpenUrl" && !URL.canParse(String(value["url"]))) yield `${at} opens nothing`;
  const lists: readonly (readonly [string, readonly string[]])[] = [
    ["body", ["RichTextBlock", "Container"]],
    ["actions", ["Action.OpenUrl"]],
    ["items", ["RichTextBlock"]],
    ["inlines", ["TextRun"]],
  ];
  for (const [name, inside] of lists) {
    if (!known.includes(name)) continue;
    const list = value[name];
    if (!Array.isArray(list) || (list.length === 0 && name !== "actions")) yield `${at}/${name} is no list`;
    else for (const [i, each] of list.entries()) yield* problemsIn(each, `${at}/${name}/${i}`, inside);
  }
  if (value["selectAction"] !== undefined) yield* problemsIn(value["selectAction"], `${at}/selectAction`, ["Action.OpenUrl"]);
}

/** Why the workflow would refuse this body; null where it takes it. */
export function teamsRefusal(body: string): string | null {
  if (new TextEncoder().encode(body).length > 28_000) return "too large";
  const message: unknown = JSON.parse(body);
  if (!isObject(message) || message["type"] !== "message" || !Array.isArray(message["attachments"])) return "no message";
  const [attachment, ...others] = message["attachments"] as unknown[];
  if (!isObject(attachment) || others.length > 0) return "not one attachment";
  if (attachment["contentType"] !== "application/vnd.microsoft.card.adaptive" || attachment["contentUrl"] !== null) return "no card";
  const { content } = attachment;
  if (!isObject(content) || content["version"] !== "1.5") return "another version";
  return problemsIn(content, "", ["AdaptiveCard"]).next().value ?? null;
}

const runsIn = (value: unknown): Value[] => {
  if (Array.isArray(value)) return value.flatMap(runsIn);
  if (!isObject(value)) return [];
  return value["type"] === "TextRun" ? [value] : Object.values(value).flatMap(runsIn);
};
const linksIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(linksIn);
  if (!isObject(value)) return [];
  return value["type"] === "Action.OpenUrl" ? [String(value["url"])] : Object.values(value).flatMap(linksIn);
};

/** What a reader sees of a message that Teams takes. */
export function seenIn(url: string, body: string): SeenCard {
  const message = JSON.parse(body) as { summary: string; attachments: { content: { body: Value[] } }[] }; // teamsRefusal took it
  const card = message.attachments[0]?.content;
  const blocks = (card?.body ?? []).flatMap((block) => (Array.isArray(block["items"]) ? (block["items"] as Value[]) : [block]));
  const lines = blocks.map((block) =>
    runsIn(block)
      .map(({ text }) => String(text))
      .join(""),
  );
  return { url, summary: message.summary, lines, links: linksIn(card) };
}

export class ScriptedTeams {
  /** Taken, oldest first. */
  readonly cards: SeenCard[] = [];
  readonly requests: { readonly url: string; readonly headers: Headers; readonly body: string; readonly redirect: string }[] = [];
  readonly #steps: Step[] = [];

  script(...steps: readonly Step[]): void {
    this.#steps.push(...steps);
  }

  readonly answer = async (request: Request): Promise<Response> => {
    const body = await request.text();
    const { url, redirect, headers } = request;
    this.requests.push({ url, body, redirect, headers: new Headers(headers) });
    const step = this.#steps.shift();
    if (step === "disconnected") throw new TypeError("Network connection lost.");
    if (step !== undefined && step.status >= 300) return new Response("<html>", { status: step.status, headers: step.headers ?? {} });
    const refusal = teamsRefusal(body);
    if (refusal !== null) return new Response(refusal, { status: refusal === "too large" ? 413 : 400 });
    this.cards.push(seenIn(url, body));
    // A workflow that has been triggered, and has not run yet.
    return new Response(null, { status: step?.status ?? 202 });
  };
}
