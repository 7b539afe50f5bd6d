// A witness after C2SP `tlog-witness`, written from the specification and RFC 6962 alone: it
// verifies each checkpoint's signature and that the log goes on from what it cosigned before.

type Bytes = Uint8Array<ArrayBuffer>;

const utf8 = new TextEncoder();
const bytesOf = (base64: string): Bytes => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
const base64Of = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes));

function joined(...parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const sha256 = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
const node = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(joined(Uint8Array.of(1), left, right));
const keyId = async (name: string, typed: Bytes): Promise<Bytes> =>
  (await sha256(joined(new Uint8Array(utf8.encode(`${name}\n`)), typed))).slice(0, 4);

type Roots = { readonly old: Bytes; readonly now: Bytes };

/**
 * The roots of the first `m` and of all `n` leaves that a proof leads to, as `SUBPROOF` of RFC 6962
 * takes it apart: from its end, where the largest subtree's hash stands.
 */
async function rootsOf(m: number, n: number, isWhole: boolean, proof: Bytes[], oldRoot: Bytes): Promise<Roots> {
  if (m === n) {
    const hash = isWhole ? oldRoot : proof.pop();
    if (hash === undefined) throw new Error("the proof is too short");
    return { old: hash, now: hash };
  }
  let k = 1;
  while (k * 2 < n) k *= 2;
  const other = proof.pop();
  if (other === undefined) throw new Error("the proof is too short");
  if (m <= k) {
    const { old, now } = await rootsOf(m, k, isWhole, proof, oldRoot);
    return { old, now: await node(now, other) };
  }
  const { old, now } = await rootsOf(m - k, n - k, false, proof, oldRoot);
  return { old: await node(other, old), now: await node(other, now) };
}

async function goesOn(from: Seen, to: Seen, proof: readonly Bytes[]): Promise<boolean> {
  if (from.size === 0 || from.size === to.size) return proof.length === 0;
  const rest = [...proof];
  try {
    const { old, now } = await rootsOf(from.size, to.size, true, rest, bytesOf(from.root));
    return rest.length === 0 && base64Of(old) === from.root && base64Of(now) === to.root;
  } catch {
    return false;
  }
}

type Seen = { readonly size: number; readonly root: string };

const sizeAnswer = (size: number): Response => new Response(`${size}\n`, { status: 409, headers: { "Content-Type": "text/x.tlog.size" } });

export class TestWitness {
  /** The logs that it knows, each by the text by which its key is handed on. */
  readonly logs: string[] = [];
  /** What it cosigned last of each log. */
  readonly seen = new Map<string, Seen>();
  readonly #name: string;
  readonly #keys: CryptoKeyPair;
  readonly #publicKey: Bytes;
  /** When it signs, in Unix seconds. */
  now = 1_790_000_000;

  private constructor(name: string, keys: CryptoKeyPair, publicKey: Bytes) {
    this.#name = name;
    this.#keys = keys;
    this.#publicKey = publicKey;
  }

  static async make(name = "witness.example/w1"): Promise<TestWitness> {
    const keys = (await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"])) as CryptoKeyPair; // Ed25519 makes a pair
    const raw = (await crypto.subtle.exportKey("raw", keys.publicKey)) as ArrayBuffer; // of a public key
    return new TestWitness(name, keys, new Uint8Array(raw));
  }

  /** Its key, as it is handed on. */
  async key(): Promise<string> {
    const typed = joined(Uint8Array.of(4), this.#publicKey);
    const id = [...(await keyId(this.#name, typed))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${this.#name}+${id}+${base64Of(typed)}`;
  }

  /** The answer to `add-checkpoint` with this body. */
  async add(body: string): Promise<Response> {
    const [, old = "", proof = "", note = ""] = /^old (0|[1-9]\d*)\n((?:[A-Za-z0-9+/]{43}=\n){0,63})\n([^]*)$/.exec(body) ?? [];
    const [, text = "", signatures = ""] = /^([^]*\n)\n((?:\u2014 \S+ \S+\n)+)$/.exec(note) ?? [];
    const [origin = "", size = "", root = ""] = text.split("\n");
    if (old === "" || !/^(?:0|[1-9]\d*)$/.test(size) || Number(old) > Number(size)) return new Response(null, { status: 400 });
    const known = this.logs.filter((each) => each.startsWith(`${origin}+`));
    if (known.length === 0) return new Response(null, { status: 404 });
    const isSigned = await Promise.all(known.map((key) => this.#isSigned(text, signatures, key)));
    if (!isSigned.includes(true)) return new Response(null, { status: 403 });
    const before = this.seen.get(origin) ?? { size: 0, root: "" };
    const seen = { size: Number(size), root };
    if (Number(old) !== before.size) return sizeAnswer(before.size);
    if (before.size === seen.size && before.size > 0 && before.root !== root) return sizeAnswer(before.size);
    const hashes = proof.split("\n").slice(0, -1).map(bytesOf);
    if (!(await goesOn(before, seen, hashes))) return new Response(null, { status: 422 });
    this.seen.set(origin, seen);
    return new Response(await this.#cosignature(text), { headers: { "Content-Type": "text/plain; charset=utf-8" } });
  }

  async #isSigned(text: string, signatures: string, key: string): Promise<boolean> {
    // Base64 has plus signs too.
    const [, name = "", encoded = ""] = /^([^+]+)\+[^+]+\+(.+)$/.exec(key) ?? [];
    const typed = bytesOf(encoded);
    const id = base64Of(await keyId(name, typed));
    for (const line of signatures.split("\n").slice(0, -1)) {
      const [, whose, signature = ""] = line.split(" ");
      const bytes = bytesOf(signature);
      if (whose !== name || base64Of(bytes.slice(0, 4)) !== id) continue;
      const publicKey = await crypto.subtle.importKey("raw", typed.slice(1), "Ed25519", false, ["verify"]);
      return crypto.subtle.verify("Ed25519", publicKey, bytes.slice(4), utf8.encode(text));
    }
    return false;
  }

  async #cosignature(text: string): Promise<string> {
    const signed = utf8.encode(`cosignature/v1\ntime ${this.now}\n${text}`);
    const signature = new Uint8Array(await crypto.subtle.sign("Ed25519", this.#keys.privateKey, signed));
    const time = new Uint8Array(8);
    new DataView(time.buffer).setBigUint64(0, BigInt(this.now));
    const id = await keyId(this.#name, joined(Uint8Array.of(4), this.#publicKey));
    return `\u2014 ${this.#name} ${base64Of(joined(id, time, signature))}\n`;
  }
}
