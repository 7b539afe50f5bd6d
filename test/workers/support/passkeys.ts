// A reviewer's browser with a passkey, at the pages of the inbox.

import { Authenticator, type Faults } from "../../support/authenticator.ts";
import { publicUrl } from "./gateway.ts";
import type { InboxBrowser } from "./inbox.ts";

const path = "/inbox/passkeys";

/** The options of a page's script, as the page has them; null where it has none. */
function optionsIn(html: string, name: "create" | "confirm"): { readonly challenge: string } | null {
  const [, json] = new RegExp(`data-${name}="([^"]*)"`).exec(html) ?? [];
  return json === undefined ? null : (JSON.parse(json.replaceAll("&quot;", '"').replaceAll("&amp;", "&")) as { challenge: string }); // our own
}

export type Adding = { readonly faults?: Faults; readonly by?: Authenticator; readonly byFaults?: Faults };

/** The form that adds a passkey, filled as the page's script does. */
export async function addingForm(
  browser: InboxBrowser,
  passkey: Authenticator,
  { faults, by, byFaults }: Adding = {},
): Promise<URLSearchParams> {
  const html = await browser.text(path);
  const [create, confirm] = [optionsIn(html, "create"), optionsIn(html, "confirm")];
  const fields = await nonceOf(html);
  fields.set("passkey-made", create === null ? "" : await passkey.create(create, faults));
  fields.set("passkey", confirm === null || by === undefined ? "" : await by.get(confirm, byFaults));
  return fields;
}

async function nonceOf(html: string): Promise<URLSearchParams> {
  const [, nonce = ""] = /class="card stack" method="post"[\s\S]*?name="nonce" value="([^"]*)"/.exec(html) ?? [];
  return new URLSearchParams({ nonce, name: "My phone" });
}

export const addPasskey = async (browser: InboxBrowser, passkey: Authenticator, adding: Adding = {}): Promise<Response> =>
  browser.post(path, await addingForm(browser, passkey, adding));

/** Adds a passkey for whoever is signed in there. */
export async function withPasskey(browser: InboxBrowser): Promise<Authenticator> {
  const passkey = await Authenticator.at(publicUrl);
  const answer = await addPasskey(browser, passkey);
  if (answer.status !== 303) throw new Error(`no passkey: ${answer.status}`);
  return passkey;
}

/** The form of a review, with what was pressed and changed. */
export async function decisionForm(
  browser: InboxBrowser,
  page: string,
  change: Readonly<Record<string, string>>,
): Promise<URLSearchParams> {
  const fields = await browser.form(page);
  for (const [name, value] of Object.entries(change)) fields.set(name, value);
  return fields;
}

/** What the page's script is told to have signed for this form. */
export async function questionFor(
  browser: InboxBrowser,
  page: string,
  fields: URLSearchParams,
): Promise<{ readonly nonce: string; readonly options: { readonly challenge: string } }> {
  const answer = await browser.post(`${page}/passkey`, fields);
  if (answer.status !== 200) throw new Error(`no question: ${answer.status}`);
  return await answer.json();
}

/** The form with what this passkey signed for it, as the page's script does. */
export async function confirmedForm(
  browser: InboxBrowser,
  page: string,
  fields: URLSearchParams,
  passkey: Authenticator,
  faults: Faults = {},
): Promise<URLSearchParams> {
  const { nonce, options } = await questionFor(browser, page, fields);
  const confirmed = new URLSearchParams(fields);
  confirmed.set("passkey", await passkey.get(options, faults));
  confirmed.set("passkey-nonce", nonce);
  return confirmed;
}
