// A reviewer's browser at the inbox: it keeps cookies, follows what the pages say, and reads the
// reviewer's email.

import { readForm } from "../../../scripts/page-form.ts";
import { type MailApi, createMailApi } from "../../support/mail-api.ts";
import { configure, eventually, gateway, policy, publicUrl, sample, travel } from "./gateway.ts";
import { neverLogged } from "./logs.ts";
import { answerAt } from "./provider.ts";

export const addresses = { Ada: "ada@example.org", Grace: "grace@example.org" } as const;
for (const address of Object.values(addresses)) neverLogged(address);

/** The mail API of the test that runs. */
export let mail: MailApi;

export type Person = { readonly name: string; readonly email?: string; readonly language?: string };

/** Who reviews, and by which rule. To be called before each test. */
export async function configureInbox(
  more: object = {},
  people: readonly Person[] = [{ name: "Ada", email: addresses.Ada }],
): Promise<void> {
  mail = createMailApi();
  answerAt("https://mail.example.com", mail.answer);
  await configure("policy", {
    ...policy,
    rules: [],
    default: { ...policy.default, response: "allow", deadlineSeconds: 7_200, ...more },
    reviewers: { everyone: people },
  });
}

let asked = 0;

/** A request that waits: its run's id. */
export async function waits(text = "What is the capital of France?", server = "notes", params: object = {}): Promise<string> {
  asked += 1;
  const messages = [{ role: "user", content: { type: "text", text: `${text} (${asked})` } }];
  const response = await sample({ server, originating: asked, params: { messages, ...params } }, { headers: { Prefer: "respond-async" } });
  return (response.headers.get("Location") ?? "").slice("/runs/".length);
}

/** A person's second: a form that is posted sooner is shown again. */
export const readFor = (milliseconds = 1_500): void => travel(milliseconds);

/** What is sent from now on comes sooner than that, however slow the machine is. */
export const beforeThePage = (): void => travel(-60_000);

const linkIn = (text: string): string => {
  const link = /http:\/\/localhost:8787\/inbox\/sign-in\/([\w-]+)/.exec(text);
  neverLogged(link?.[1] ?? "no link in the email");
  return link?.[0] ?? "";
};

/** The links of all sign-in emails to this address, oldest first. */
export const signInLinks = (email: string): string[] =>
  mail.taken.filter(({ to, subject }) => to.includes(email) && subject === "Sign in to Countersign").map(({ text }) => linkIn(text));

/** Waits for so many sign-in emails to this address, and returns the last one's link. */
export const newestSignInLink = (email: string, count = 1): Promise<string> =>
  eventually("a sign-in email", async () => (signInLinks(email).length >= count ? signInLinks(email).at(-1) : null));

export class InboxBrowser {
  readonly cookies = new Map<string, string>();
  /** The path of the inbox for this browser: a session on a loopback host has its own. */
  home = "/inbox";

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0) headers.set("Cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const answer = await gateway(this.at(path), { key: null, ...init, headers });
    for (const each of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === "" || /max-age=0/i.test(each)) this.cookies.delete(name);
      else this.cookies.set(name, value);
      if (value !== "") neverLogged(value);
      this.home = /; Path=(\/inbox\/~[\w-]+)/.exec(each)?.[1] ?? this.home;
    }
    return answer;
  }

  /** Where this browser has a page of the inbox. */
  at(path: string): string {
    return path.replace(/^\/inbox(?=$|[/?])(?!\/~)/, this.home);
  }

  get(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#send(path, init);
  }

  post(path: string, fields: URLSearchParams | string, headers: Record<string, string> = { Origin: publicUrl }): Promise<Response> {
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    return this.#send(path, { method: "POST", body: fields.toString(), headers: { ...type, ...headers } });
  }

  /** The fields of a page's form: the first, or the one with this class. */
  async form(path: string, of?: string): Promise<URLSearchParams> {
    const page = await this.get(path);
    const html = await page.text();
    const from = of === undefined ? html : html.slice(html.indexOf(`<form class="${of}"`));
    const form = readForm(from, publicUrl + path);
    if (form === null) throw new Error(`no form at ${path}: ${page.status}`);
    return form.fields;
  }

  /** Asks for a link, as a person does. `from`: the page that has the form. */
  async ask(email: string, from = "/inbox"): Promise<Response> {
    const fields = await this.form(from);
    fields.set("email", email);
    return this.post("/inbox/sign-in", fields);
  }

  /** Opens a link from an email and presses its button. */
  async enter(link: string): Promise<Response> {
    const { pathname } = new URL(link);
    const fields = await this.form(pathname);
    return this.post(pathname, fields);
  }

  /** Signs in by email. */
  async signIn(email: string): Promise<void> {
    const before = signInLinks(email).length;
    await this.ask(email);
    const answer = await this.enter(await newestSignInLink(email, before + 1));
    if (answer.status !== 303) throw new Error(`not signed in: ${answer.status}`);
  }

  async text(path: string): Promise<string> {
    return (await (await this.get(path)).text()).replaceAll(this.home, "/inbox");
  }

  /** The reviews that the list shows, in order: the values of their boxes. */
  async keys(path = "/inbox"): Promise<string[]> {
    return [...(await this.text(path)).matchAll(/<li data-key="([^"]+)"/g)].map(([, key]) => key ?? "");
  }

  /** Waits until the list has so many on its page. */
  async lists(count: number): Promise<string[]> {
    return eventually(`${count} in the inbox`, async () => {
      const keys = await this.keys();
      return keys.length === count ? keys : null;
    });
  }
}
