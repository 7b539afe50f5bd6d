// An ntfy server, scripted: it takes what the documentation lets it take, and refuses everything
// else as the service does. A message with a sequence id replaces the one before it, where the
// server knows sequences (2.16). Source: https://docs.ntfy.sh/publish/, and
// server/errors.go at github.com/binwiederhier/ntfy. Web types only.

type Value = Record<string, unknown>;

export type NtfyNotification = {
  readonly topic: string;
  readonly title: string;
  readonly message: string;
  readonly priority: number;
  readonly click: string | null;
  readonly links: readonly string[];
  readonly sequence: string | null;
};

type Step = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: object } | "disconnected";

/** Members of `publishMessage` that we use, with what each must be. */
const members: Readonly<Record<string, (value: unknown) => boolean>> = {
  topic: (value) => typeof value === "string" && /^[-_A-Za-z0-9]{1,64}$/.test(value),
  title: (value) => typeof value === "string",
  message: (value) => typeof value === "string",
  priority: (value) => [1, 2, 3, 4, 5].includes(value as number),
  click: (value) => typeof value === "string" && URL.canParse(value),
  actions: (value) =>
    Array.isArray(value) &&
    value.length <= 3 &&
    value.every((each: Value) => each["action"] === "view" && typeof each["label"] === "string" && URL.canParse(String(each["url"]))),
  sequence_id: (value) => typeof value === "string" && /^[-_A-Za-z0-9]{1,64}$/.test(value),
};

const errorOf = (http: number, code: number, error: string): Response =>
  new Response(`${JSON.stringify({ code, http, error })}\n`, { status: http, headers: { "Content-Type": "application/json" } });

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export class ScriptedNtfy {
  /** What a device shows, oldest first. */
  readonly shown: NtfyNotification[] = [];
  readonly requests: {
    readonly url: string;
    readonly method: string;
    readonly headers: Headers;
    readonly body: string;
    readonly redirect: string;
  }[] = [];
  readonly #steps: Step[] = [];
  readonly #tokens: ReadonlySet<string>;
  readonly #knowsSequences: boolean;

  /** @param tokens Where there are any, each topic may be written with one of these alone. */
  constructor({ tokens = [], knowsSequences = true }: { tokens?: readonly string[]; knowsSequences?: boolean } = {}) {
    this.#tokens = new Set(tokens);
    this.#knowsSequences = knowsSequences;
  }

  script(...steps: readonly Step[]): void {
    this.#steps.push(...steps);
  }

  readonly answer = async (request: Request): Promise<Response> => {
    const body = await request.text();
    const { url, method, headers, redirect } = request;
    this.requests.push({ url, method, body, redirect, headers: new Headers(headers) });
    const step = this.#steps.shift();
    if (step === "disconnected") throw new TypeError("Network connection lost.");
    if (step !== undefined) return Response.json(step.body ?? {}, { status: step.status, headers: step.headers ?? {} });
    const token = /^Bearer (.+)$/.exec(headers.get("Authorization") ?? "")?.[1];
    if (token !== undefined && !this.#tokens.has(token)) return errorOf(401, 40101, "unauthorized");
    const { pathname } = new URL(url);
    if (method === "GET" && pathname === "/v1/account") return Response.json({ username: token === undefined ? "*" : "gateway" });
    if (method !== "POST" || pathname !== "/") return errorOf(404, 40401, "page not found");
    if (this.#tokens.size > 0 && token === undefined) return errorOf(403, 40301, "forbidden");
    return this.#publish(body);
  };

  #publish(body: string): Response {
    if (bytesOf(body) > 2 * 4_096) return errorOf(413, 41303, "JSON body too large");
    const given = JSON.parse(body) as Value; // an error of the test where it is none
    const wrong = Object.entries(given).find(([name, value]) => members[name]?.(value) !== true);
    if (wrong !== undefined) return errorOf(400, 40024, "invalid request: request body must be valid JSON");
    const {
      topic,
      title = "",
      message = "",
      priority = 3,
      click = null,
      actions = [],
      sequence_id: id = null,
    } = given as Partial<{
      topic: string;
      title: string;
      message: string;
      priority: number;
      click: string | null;
      actions: readonly { readonly url: string }[];
      sequence_id: string | null;
    }>; // `members` judged each
    // Longer messages become an attachment, which this server does not allow.
    if (bytesOf(message) > 4_096) return errorOf(400, 40014, "invalid request: attachments not allowed");
    const sequence = this.#knowsSequences ? id : null;
    const notification = {
      topic: topic ?? "",
      title,
      message: message === "" ? "triggered" : message,
      priority,
      click,
      links: actions.map(({ url }) => url),
      sequence,
    };
    const before = sequence === null ? -1 : this.shown.findIndex((each) => each.sequence === sequence && each.topic === topic);
    if (before >= 0) this.shown.splice(before, 1, notification);
    else this.shown.push(notification);
    return Response.json({ id: `m${this.requests.length}`, event: "message", topic, message });
  }
}
