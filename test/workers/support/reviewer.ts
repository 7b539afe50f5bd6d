// A reviewer with a link: reads the page, and posts its form as a browser does.

import { formNonce, nonceRandomLength } from "../../../shared/review/link.ts";
import { signingKey } from "../../../shared/sealed-id.ts";
import { pressButton, readForm } from "../../../scripts/page-form.ts";
import { type Notice, env, gateway, openNotice, publicUrl } from "./gateway.ts";

export const pathOf = (link: string): string => new URL(link).pathname;
export const tokenOf = (link: string): string => link.slice(link.lastIndexOf("/") + 1);

/** The page's form as it would be sent untouched. */
export async function formOf(link: string): Promise<URLSearchParams> {
  const page = await gateway(pathOf(link), { key: null });
  const form = readForm(await page.text(), link);
  if (form === null) throw new Error(`no form at this link: ${page.status}`);
  return form.fields;
}

/**
 * A nonce as a page that was made `agoMs` ago would carry: so that no test has to wait for a
 * person's second.
 */
export function nonceFor(link: string, fields: URLSearchParams, agoMs: number): string {
  const subject = { token: tokenOf(link), version: Number(fields.get("version")), digest: fields.get("digest") ?? "" };
  const random = crypto.getRandomValues(new Uint8Array(nonceRandomLength));
  return formNonce([signingKey(env.LINK_KEY ?? "")], subject, Date.now() - agoMs, random);
}

export const postForm = (
  link: string,
  fields: URLSearchParams,
  headers: Record<string, string> = { Origin: publicUrl },
): Promise<Response> =>
  gateway(pathOf(link), {
    method: "POST",
    body: fields.toString(),
    key: null,
    headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
  });

/**
 * The form as a pressed button sends it, five seconds after the page was made. Where `change`
 * presses another button, that one counts.
 */
export async function filledForm(
  link: string,
  act: string,
  change: (fields: URLSearchParams) => void = () => {},
): Promise<URLSearchParams> {
  const fields = await formOf(link);
  const untouched = new URLSearchParams(fields);
  fields.set("nonce", nonceFor(link, fields, 5_000));
  change(fields);
  if (!fields.has("act")) pressButton(act, untouched, fields);
  return fields;
}

/** Presses a button of the link's page, five seconds after it was made. */
export const press = async (
  link: string,
  act: "approve" | "answer" | "askModel" | "deny" | "preview",
  change?: (fields: URLSearchParams) => void,
): Promise<Response> => postForm(link, await filledForm(link, act, change));

/** Waits for the review to open, and decides it. */
export async function decide(
  gate: Notice["gate"],
  act: "approve" | "answer" | "deny",
  run?: string,
  change?: (fields: URLSearchParams) => void,
): Promise<Notice> {
  const notice = await openNotice(gate, run);
  const answer = await press(notice.link, act, change);
  if (answer.status !== 303) throw new Error(`not decided: ${answer.status}`);
  return notice;
}
