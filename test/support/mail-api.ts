// A mail API of Resend's shape, as documented: what it refuses is refused here too, with the
// documented name and status, and a failure comes when the script says so. Web types only, so that
// it answers inside workerd and behind a socket alike.

/** Source: resend.com/docs/api-reference/errors, July 2026. One name stands under two statuses. */
export const documentedErrors = [
  [400, "invalid_idempotency_key"],
  [400, "validation_error"],
  [401, "missing_api_key"],
  [401, "restricted_api_key"],
  [403, "invalid_api_key"],
  [403, "validation_error"],
  [404, "not_found"],
  [405, "method_not_allowed"],
  [409, "invalid_idempotent_request"],
  [409, "concurrent_idempotent_requests"],
  [422, "invalid_attachment"],
  [422, "invalid_from_address"],
  [422, "invalid_access"],
  [422, "invalid_parameter"],
  [422, "invalid_region"],
  [422, "missing_required_field"],
  [422, "validation_error"],
  [429, "rate_limit_exceeded"],
  [429, "daily_quota_exceeded"],
  [429, "monthly_quota_exceeded"],
  [451, "security_error"],
  [500, "application_error"],
  [500, "internal_server_error"],
] as const;

export type MailStep =
  | { readonly status: number; readonly name: string; readonly headers?: Readonly<Record<string, string>> }
  /** Exactly this. */
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  /** The mail is taken, and the answer never comes: until the caller gives up. */
  | "takenAndSilent"
  | "silent"
  | "disconnected";

export type TakenMail = {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
};

export type MailApi = {
  /** Full access, and sending only. */
  readonly keys: { readonly full: string; readonly sending: string };
  /** What was taken, oldest first; each once. */
  readonly taken: TakenMail[];
  /** Every request, oldest first. */
  readonly requests: { readonly method: string; readonly path: string; readonly headers: Headers; readonly body: string }[];
  readonly domains: { name: string; status: string }[];
  readonly script: (...steps: readonly MailStep[]) => void;
  readonly answer: (request: Request) => Promise<Response>;
};

export function createMailApi(): MailApi {
  const steps: MailStep[] = [];
  const seen = new Map<string, { readonly body: string; readonly id: string }>();
  const api: MailApi = {
    keys: { full: "re_full_0123456789abcdef", sending: "re_send_0123456789abcdef" },
    taken: [],
    requests: [],
    domains: [{ name: "example.com", status: "verified" }],
    script: (...more) => void steps.push(...more),
    answer: async (request) => {
      const { pathname } = new URL(request.url);
      const body = await request.text();
      api.requests.push({ method: request.method, path: pathname, headers: new Headers(request.headers), body });
      const step = steps.shift();
      if (step === "disconnected") throw new TypeError("Network connection lost.");
      if (step === "silent") return silence(request);
      if (step !== undefined && step !== "takenAndSilent") {
        if ("name" in step) return failure(step.status, step.name, step.headers);
        return new Response(step.body, { status: step.status, headers: step.headers ?? {} });
      }
      const refused = refusal(api, request);
      if (refused !== undefined) return failure(...refused);
      if (pathname === "/domains") return Response.json({ object: "list", data: api.domains });
      const key = request.headers.get("Idempotency-Key");
      if (key !== null && (key.length < 1 || key.length > 256)) return failure(400, "invalid_idempotency_key");
      const earlier = key === null ? undefined : seen.get(key);
      if (earlier !== undefined)
        return earlier.body === body ? Response.json({ id: earlier.id }) : failure(409, "invalid_idempotent_request");
      const mail = readMail(body);
      if (typeof mail === "string") return failure(422, mail);
      const id = crypto.randomUUID();
      if (key !== null) seen.set(key, { body, id });
      api.taken.push({ ...mail, id, idempotencyKey: key });
      return step === "takenAndSilent" ? silence(request) : Response.json({ id });
    },
  };
  return api;
}

function refusal({ keys }: MailApi, request: Request): [number, string] | undefined {
  const { pathname } = new URL(request.url);
  // A request without this header does not even reach the API: the page of the firewall has no
  // name.
  if (!request.headers.has("User-Agent")) return [403, "error code: 1010"];
  const key = /^Bearer (.+)$/.exec(request.headers.get("Authorization") ?? "")?.[1];
  if (key === undefined) return [401, "missing_api_key"];
  if (key !== keys.full && key !== keys.sending) return [403, "invalid_api_key"];
  if (pathname === "/emails") return request.method === "POST" ? undefined : [405, "method_not_allowed"];
  if (pathname !== "/domains") return [404, "not_found"];
  if (request.method !== "GET") return [405, "method_not_allowed"];
  return key === keys.full ? undefined : [401, "restricted_api_key"];
}

function readMail(body: string): Omit<TakenMail, "id" | "idempotencyKey"> | string {
  let mail: Partial<Record<string, unknown>>;
  try {
    mail = JSON.parse(body) as typeof mail;
  } catch {
    return "validation_error";
  }
  const { from, to, subject, text, html, headers = {} } = mail;
  if (from === undefined || to === undefined || subject === undefined || (text === undefined && html === undefined))
    return "missing_required_field";
  if (typeof from !== "string" || !/^(?:"?[^<>"]*"? )?<?[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+>?$/.test(from)) return "invalid_from_address";
  if (!Array.isArray(to) || to.length === 0 || to.length > 50) return "validation_error";
  return {
    from,
    to: to.map(String),
    subject: String(subject),
    text: String(text),
    html: String(html),
    headers: headers as Record<string, string>,
  };
}

/** What an answer's message holds must come to nobody's eyes: it is the API's free text. */
export const apiWords = "free text of the mail API about ada@example.org";

function failure(status: number, name: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ statusCode: status, name, message: apiWords }, { status, headers });
}

const silence = (request: Request): Promise<Response> =>
  new Promise((_, reject) => {
    request.signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
  });
