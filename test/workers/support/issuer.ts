// An issuer of tokens with real keys, and a control endpoint that is nothing but its credentials.

import { createExecutionContext } from "cloudflare:test";
import { Hono } from "hono";
import { type CryptoKey as JoseKey, type JWK, SignJWT, exportJWK, generateKeyPair } from "jose";
import { describeRefusal } from "../../../shared/wire/describe.ts";
import type { Env } from "../../../workers/platform/env.ts";
import type { App } from "../../../workers/endpoints/app-context.ts";
import { type ControlAuth, callerOfControl } from "../../../workers/endpoints/control/control-auth.ts";
import { env } from "./gateway.ts";
import { neverLogged } from "./logs.ts";
import { answerAt } from "./provider.ts";

export const audience = "countersign";
export const issuerName = "https://idp.example.com/";
export const keyHost = "https://keys.example.com";

export type SigningPair = { readonly algorithm: string; readonly privateKey: JoseKey; readonly jwk: JWK };

export async function signingPair(algorithm: string, kid?: string): Promise<SigningPair> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return { algorithm, privateKey, jwk: { ...(await exportJWK(publicKey)), ...(kid === undefined ? {} : { kid }) } };
}

export type Claims = Readonly<Record<string, unknown>>;

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** Claims that are good; a member that is undefined is left out. */
export const claims = (more: Claims = {}): Claims =>
  Object.fromEntries(
    Object.entries({ iss: issuerName, aud: audience, sub: "ada", exp: nowSeconds() + 300, ...more }).filter(
      ([, value]) => value !== undefined,
    ),
  );

/** A token as an issuer makes it. It is never to be seen in a log. */
export async function tokenBy(
  { algorithm, privateKey, jwk }: Pick<SigningPair, "algorithm"> & { readonly privateKey: JoseKey | Uint8Array; readonly jwk?: JWK },
  payload: Claims = claims(),
  header: Record<string, unknown> = {},
): Promise<string> {
  const kid = jwk?.kid === undefined ? {} : { kid: jwk.kid };
  return hidden(await new SignJWT({ ...payload }).setProtectedHeader({ alg: algorithm, ...kid, ...header }).sign(privateKey));
}

/** The token, watched for: whole, its claims and its signature. */
export function hidden(token: string): string {
  for (const part of [token, ...token.split(".").slice(1)]) if (part.length > 8) neverLogged(part);
  return token;
}

const encoded = (value: unknown): string =>
  btoa(typeof value === "string" ? value : JSON.stringify(value))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** A token put together by hand. */
export const madeUp = (header: unknown, payload: unknown, signature = "c2lnbmF0dXJl"): string =>
  hidden(`${encoded(header)}.${encoded(payload)}.${signature}`);

/** A token with any header, its signature right for an RS256 key. */
export async function signedAsItIs({ privateKey }: SigningPair, header: unknown, payload: unknown): Promise<string> {
  const input = `${encoded(header)}.${encoded(payload)}`;
  const signature = await crypto.subtle.sign("RSASSA-PKCS1-v1_5", privateKey as CryptoKey, new TextEncoder().encode(input)); // made by WebCrypto
  return hidden(`${input}.${encoded(String.fromCharCode(...new Uint8Array(signature)))}`);
}

let addresses = 0;

/** A key set at an address of its own; what it answers can be changed. */
export function keyServer(set: () => Response | Promise<Response>): { readonly url: string; readonly asked: Request[] } {
  addresses += 1;
  const path = `/set-${addresses}.json`;
  const asked: Request[] = [];
  answerAt(keyHost, (request) => {
    if (new URL(request.url).pathname !== path) return new Response("No such set", { status: 404 });
    asked.push(request);
    return set();
  });
  return { url: `${keyHost}${path}`, asked };
}

const endpoint = new Hono<App>().post("/control", async (c) => {
  const caller = await callerOfControl(c, await c.req.json<ControlAuth>());
  if (caller.kind === "key") return c.json({ key: caller.record.id });
  const { status, ...described } = describeRefusal(caller.refusal);
  const why = "why" in caller.refusal ? caller.refusal.why : caller.refusal.kind;
  return new Response(JSON.stringify({ why, ...described }), { status });
});

export type Presented = ControlAuth & {
  readonly bearer?: string;
  readonly header?: string;
  readonly authorization?: string;
  readonly address?: string;
};

/**
 * What the endpoint says of these credentials: `200 <key id>`, or the status and why not. Nothing
 * of them is in its answer.
 */
export async function enter(
  { bearer, header, authorization, address, ...auth }: Presented,
  variables: Partial<Env> & Record<string, unknown> = {},
): Promise<string> {
  const headers = new Headers({ "Content-Type": "application/json" });
  if (bearer !== undefined) headers.set("Authorization", `Bearer ${bearer}`);
  if (authorization !== undefined) headers.set("Authorization", authorization);
  if (header !== undefined) headers.set("X-Countersign-Key", header);
  if (address !== undefined) headers.set("CF-Connecting-IP", address);
  const request = new Request("http://localhost:8787/control", { method: "POST", headers, body: JSON.stringify(auth) });
  const response = await endpoint.fetch(request, { ...env, ...variables }, createExecutionContext());
  const text = await response.text();
  for (const secret of [bearer, header, auth.apiKey, auth.token])
    for (const part of secret?.split(".") ?? [])
      if (part.length > 8 && text.includes(part)) throw new Error("a credential is in the answer");
  const { key, why } = JSON.parse(text) as { key?: string; why?: string };
  return `${response.status} ${key ?? why}`;
}
