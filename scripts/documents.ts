// The five documents of a gateway's configuration, as scripts read and write them.

import { z } from "zod";
import { Unasked } from "../client/subcommand.ts";
import type { Target } from "./target.ts";

/** In the order in which they are put back: the policy, which decides who may pass, is the last. */
export const documentNames = ["routing", "servers", "issuers", "budgets", "policy"] as const;
export type DocumentName = (typeof documentNames)[number];

export const document = z.looseObject({ version: z.number() });
export type Document = z.infer<typeof document>;

/** @throws Unasked where nothing answers. */
async function ask({ url, adminToken }: Target, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json", ...init.headers };
  try {
    return await fetch(`${url}/admin/${path}`, { ...init, headers, redirect: "manual", signal: AbortSignal.timeout(30_000) });
  } catch {
    throw new Unasked(`nothing answers at ${url}: check that the gateway is running and that the address is correct`);
  }
}

/** @throws Unasked where the gateway answers anything else than what the schema reads. */
export async function read<T>(target: Target, path: string, schema: z.ZodType<T>): Promise<T> {
  const response = await ask(target, path);
  if (response.status === 401) throw new Unasked("the gateway does not accept this ADMIN_TOKEN");
  const body = schema.safeParse(await response.json().catch(() => null));
  if (!response.ok || !body.success) throw new Unasked(`the gateway answered GET /admin/${path} with ${response.status}`);
  return body.data;
}

/** Writes a document over the version that was read. */
export const write = (target: Target, name: DocumentName, { version }: Document, next: object): Promise<Response> =>
  ask(target, name, { method: "PUT", headers: { "If-Match": String(version) }, body: JSON.stringify({ ...next, version }) });
