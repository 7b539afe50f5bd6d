// Telegram's Bot API, scripted: it takes what the documentation lets it take, and refuses
// everything else in the service's words. Source: https://core.telegram.org/bots/api, and
// Client.cpp at github.com/tdlib/telegram-bot-api. Web types only.

type Value = Record<string, unknown>;
type Entity = { readonly type: string; readonly offset: number; readonly length: number; readonly url?: string };

export type TelegramShown = {
  readonly chat: string;
  readonly id: number;
  readonly text: string;
  readonly entities: readonly Entity[];
  /** The addresses that its buttons and its words open. */
  readonly links: readonly string[];
  readonly repliesTo: number | null;
};

export type TelegramStep =
  | { readonly status: number; readonly body?: object; readonly headers?: Readonly<Record<string, string>> }
  | "disconnected";

const errorOf = (status: number, description: string, parameters?: object): Response =>
  Response.json({ ok: false, error_code: status, description, ...(parameters === undefined ? {} : { parameters }) }, { status });

/** A button must be an address that others can open. */
const isButtonUrl = (text: string): boolean => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes(".") && !/^[\d.]+$/.test(url.hostname);
};

export class ScriptedTelegram {
  /** The messages of all chats as they are now, oldest first. */
  readonly shown: TelegramShown[] = [];
  readonly calls: { readonly url: string; readonly method: string; readonly params: Value; readonly redirect: string }[] = [];
  readonly #token: string;
  readonly #chats: ReadonlySet<string>;
  readonly #steps: TelegramStep[] = [];

  constructor({ token, chats }: { token: string; chats: readonly string[] }) {
    this.#token = token;
    this.#chats = new Set(chats);
  }

  script(...steps: readonly TelegramStep[]): void {
    this.#steps.push(...steps);
  }

  /** A person deletes a message, which no bot can change then. */
  delete(id: number): void {
    this.shown.splice(
      this.shown.findIndex((each) => each.id === id),
      1,
    );
  }

  readonly answer = async (request: Request): Promise<Response> => {
    const body = await request.text();
    const { url, redirect } = request;
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(new URL(url).pathname) ?? [];
    const params = JSON.parse(body === "" ? "{}" : body) as Value; // an error of the test where it is none
    this.calls.push({ url, method, params, redirect });
    const step = this.#steps.shift();
    if (step === "disconnected") throw new TypeError("Network connection lost.");
    if (step !== undefined) return Response.json(step.body ?? {}, { status: step.status, headers: step.headers ?? {} });
    if (token === undefined) return errorOf(404, "Not Found");
    if (token !== this.#token) return errorOf(401, "Unauthorized");
    if (method === "getMe") return Response.json({ ok: true, result: { id: 1, is_bot: true, username: "reviews_bot" } });
    if (method !== "sendMessage" && method !== "editMessageText") return errorOf(404, "Not Found: method not found");
    return this.#write(method, params);
  };

  #write(method: "sendMessage" | "editMessageText", params: Value): Response {
    const {
      chat_id: chat,
      message_id: id,
      text,
      entities = [],
      reply_markup: markup,
      reply_parameters: reply,
    } = params as {
      chat_id: string;
      message_id?: number;
      text: string;
      entities?: readonly Entity[];
      reply_markup?: { inline_keyboard: readonly (readonly { text: string; url: string }[])[] };
      reply_parameters?: { message_id: number };
      parse_mode?: string;
    }; // a wrong shape fails below
    if (!this.#chats.has(chat)) return errorOf(400, "Bad Request: chat not found");
    if (text.trim() === "") return errorOf(400, "Bad Request: message text is empty");
    if (text.length > 4_096) return errorOf(400, "Bad Request: message is too long");
    if ("parse_mode" in params) return errorOf(400, "Bad Request: can't parse entities");
    if (entities.some(({ offset, length }) => length < 1 || offset < 0 || offset + length > text.length))
      return errorOf(400, "Bad Request: ENTITY_BOUNDS_INVALID");
    const buttons = (markup?.inline_keyboard ?? []).flat();
    const wrong = buttons.find(({ url }) => !isButtonUrl(url));
    if (wrong !== undefined) return errorOf(400, `Bad Request: inline keyboard button URL '${wrong.url}' is invalid: Wrong HTTP URL`);
    const links = [...buttons.map(({ url }) => url), ...entities.flatMap(({ url }) => url ?? [])];
    const repliesTo = reply?.message_id ?? null;
    const at = method === "editMessageText" ? this.shown.findIndex((each) => each.chat === chat && each.id === id) : -1;
    const before = this.shown[at];
    if (method === "editMessageText") {
      if (before === undefined) return errorOf(400, "Bad Request: message to edit not found");
      const after = { ...before, text, entities, links };
      if (JSON.stringify(after) === JSON.stringify(before))
        return errorOf(
          400,
          "Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
        );
      this.shown.splice(at, 1, after);
      return Response.json({ ok: true, result: { message_id: after.id, chat: { id: Number(chat) }, text } });
    }
    const next = (this.shown.at(-1)?.id ?? 100) + 1;
    this.shown.push({ chat, id: next, text, entities, links, repliesTo });
    return Response.json({ ok: true, result: { message_id: next, chat: { id: Number(chat) }, text } });
  }
}
