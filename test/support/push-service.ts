// A push service, and the browsers behind it, scripted: it checks what RFC 8030, 8291 and 8292 ask
// of whoever sends a message, decrypts it with the browser's keys, and answers as it is told. It
// shares no code with the gateway. Web types only.

const utf8 = new TextEncoder();
const text = new TextDecoder();
const point = { name: "ECDH", namedCurve: "P-256" };
const longestBody = 4_096;

export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
export const bytesOf = (value: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(value.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

const hkdf = async (secret: BufferSource, salt: BufferSource, info: BufferSource, length: number): Promise<ArrayBuffer> =>
  crypto.subtle.deriveBits(
    { name: "HKDF", hash: "SHA-256", salt, info },
    await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]),
    length * 8,
  );

const joined = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => Uint8Array.from(parts.flatMap((each) => [...each]));

type BrowserKeys = { readonly privateKey: CryptoKey; readonly p256dh: Uint8Array; readonly auth: Uint8Array };

/** What the browser reads of a message's body; throws where it is not sealed for it. */
export async function openMessage(body: Uint8Array, { privateKey, p256dh, auth }: BrowserKeys): Promise<string> {
  const salt = body.slice(0, 16);
  const size = new DataView(body.buffer, body.byteOffset).getUint32(16);
  const length = body[20] ?? 0;
  const sender = body.slice(21, 21 + length);
  const record = body.slice(21 + length);
  if (length !== 65 || record.length > size) throw new Error("not one record of aes128gcm");
  const key = await crypto.subtle.importKey("raw", sender, point, false, []);
  const agreement = { name: "ECDH", public: key }; // the types of workerd call it $public
  const shared = await crypto.subtle.deriveBits(agreement, privateKey, 256);
  const secret = await hkdf(shared, joined(auth), joined(utf8.encode("WebPush: info\0"), p256dh, sender), 32);
  const cek = await hkdf(secret, salt, utf8.encode("Content-Encoding: aes128gcm\0"), 16);
  const iv = await hkdf(secret, salt, utf8.encode("Content-Encoding: nonce\0"), 12);
  const opener = await crypto.subtle.importKey("raw", cek, "AES-GCM", false, ["decrypt"]);
  const opened = new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv }, opener, record));
  const end = opened.findLastIndex((byte) => byte !== 0);
  if (opened[end] !== 2) throw new Error("not the last record");
  return text.decode(opened.subarray(0, end));
}

/** As the service worker gets it. */
export type PushedNotice = {
  readonly title: string;
  readonly body: string;
  readonly lang: string;
  readonly url: string;
  readonly tag: string;
  readonly quiet: boolean;
};

export type Taken = {
  readonly device: string;
  readonly notice: PushedNotice;
  readonly topic: string;
  readonly ttl: number;
  readonly urgency: string | null;
  /** Of the encrypted body. */
  readonly bytes: number;
};

/** `body`: what comes with the answer. */
type Step = { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string } | "away" | "slow";

export type PushDevice = {
  readonly name: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly keys: BrowserKeys;
};

export class ScriptedPushService {
  origin: string;
  /** What browsers were shown, oldest first. */
  readonly taken: Taken[] = [];
  /** Each request, whatever was answered: the path and the body. */
  readonly requests: { readonly url: string; readonly redirect: string; readonly headers: Headers; readonly body: Uint8Array }[] = [];
  /** Why a request was refused that a real service would refuse. */
  readonly faults: string[] = [];
  readonly #devices = new Map<string, PushDevice>();
  readonly #steps = new Map<string, Step[]>();
  /** The public key that each subscription was made for, where it was said. */
  readonly #keys = new Map<string, string>();
  readonly #now: () => number;

  constructor(origin: string, now: () => number = () => Date.now()) {
    this.origin = origin;
    this.#now = now;
  }

  /** A browser that subscribes. `key`: the application server's. */
  async subscribe(name: string, key?: string): Promise<PushDevice> {
    const pair = (await crypto.subtle.generateKey(point, true, ["deriveBits"])) as CryptoKeyPair;
    const p256dh = new Uint8Array((await crypto.subtle.exportKey("raw", pair.publicKey)) as ArrayBuffer);
    const auth = crypto.getRandomValues(new Uint8Array(16));
    const path = `/push/${name}-${base64url(crypto.getRandomValues(new Uint8Array(12)))}`;
    const keys = { privateKey: pair.privateKey, p256dh, auth };
    const device = { name, endpoint: this.origin + path, p256dh: base64url(p256dh), auth: base64url(auth), keys };
    this.#devices.set(path, device);
    if (key !== undefined) this.#keys.set(path, key);
    return device;
  }

  /** Its next answers, in place of 201. */
  script({ endpoint }: PushDevice, ...steps: readonly Step[]): void {
    const path = new URL(endpoint).pathname;
    this.#steps.set(path, [...(this.#steps.get(path) ?? []), ...steps]);
  }

  /** What this browser shows now: of each tag the newest. */
  shown({ name }: PushDevice): PushedNotice[] {
    return [...new Map(this.taken.filter(({ device }) => device === name).map(({ notice }) => [notice.tag, notice])).values()];
  }

  readonly answer = async (request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer());
    const { pathname } = new URL(request.url);
    this.requests.push({ url: request.url, redirect: request.redirect, headers: new Headers(request.headers), body });
    const device = this.#devices.get(pathname);
    if (device === undefined) return new Response(null, { status: 404 });
    const step = this.#steps.get(pathname)?.shift();
    if (step === "away") throw new TypeError("Network connection lost.");
    if (step === "slow")
      return new Promise((_, reject) => {
        request.signal.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError")));
      });
    if (step !== undefined && step.status >= 300)
      return new Response(step.body ?? "<html>", { status: step.status, headers: step.headers ?? {} });
    const fault = await this.#faultIn(request, body, this.#keys.get(pathname));
    if (fault !== null) {
      this.faults.push(fault);
      return new Response(fault, { status: fault === "too large" ? 413 : fault.startsWith("vapid") ? 403 : 400 });
    }
    const { headers } = request;
    this.taken.push({
      device: device.name,
      notice: JSON.parse(await openMessage(body, device.keys)) as PushedNotice,
      topic: headers.get("Topic") ?? "",
      ttl: Number(headers.get("TTL")),
      urgency: headers.get("Urgency"),
      bytes: body.length,
    });
    return new Response(step?.body ?? null, { status: 201 });
  };

  async #faultIn({ method, headers }: Request, body: Uint8Array, key: string | undefined): Promise<string | null> {
    if (method !== "POST") return "no POST";
    if (body.length > longestBody) return "too large";
    if (headers.get("Content-Encoding") !== "aes128gcm") return "not aes128gcm";
    if (!/^\d{1,9}$/.test(headers.get("TTL") ?? "")) return "no TTL";
    if (!/^[\w-]{1,32}$/.test(headers.get("Topic") ?? "")) return "no Topic";
    return this.#vapidFault(headers.get("Authorization") ?? "", key);
  }

  async #vapidFault(authorization: string, expected: string | undefined): Promise<string | null> {
    const [, head = "", claims = "", signature = "", key = ""] =
      /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
    if (key === "") return "vapid is missing";
    if (expected !== undefined && key !== expected) return "vapid of another key";
    const publicKey = await crypto.subtle.importKey("raw", bytesOf(key), { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
    const ecdsa = { name: "ECDSA", hash: "SHA-256" };
    if (!(await crypto.subtle.verify(ecdsa, publicKey, bytesOf(signature), utf8.encode(`${head}.${claims}`)))) return "vapid is not signed";
    const { alg } = JSON.parse(text.decode(bytesOf(head))) as { alg?: string };
    const { aud, exp = 0, sub = "" } = JSON.parse(text.decode(bytesOf(claims))) as { aud?: string; exp?: number; sub?: string };
    if (alg !== "ES256" || aud !== this.origin) return "vapid for another service";
    const left = exp - this.#now() / 1_000;
    if (left <= 0 || left > 86_400) return "vapid of another time";
    return /^(?:https:|mailto:)./.test(sub) ? null : "vapid of nobody";
  }
}
