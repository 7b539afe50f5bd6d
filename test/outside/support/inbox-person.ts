// A person's browser, as far as an inbox needs one: cookies, redirects to our own pages, and forms.

import { readForm } from "../../../scripts/page-form.ts";
import type { MailApi } from "../../support/mail-api.ts";
import { until } from "./raw-client.ts";

export class InboxPerson {
  readonly #url: string;
  readonly #publicUrl: string;
  readonly #cookies = new Map<string, string>();
  #home = "/inbox";

  /** @param publicUrl PUBLIC_URL, where it is another address than the gateway's. */
  constructor(url: string, publicUrl = url) {
    this.#url = url;
    this.#publicUrl = publicUrl;
  }

  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const at = path.replace(/^\/inbox(?=$|[/?])(?!\/~)/, this.#home);
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(init.headers as Record<string, string> | undefined), Cookie: cookie };
    const answer = await fetch(this.#url + at, { redirect: "manual", ...init, headers });
    for (const each of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      this.#cookies.set(name, value);
      this.#home = /; Path=(\/inbox\/~[\w-]+)/.exec(each)?.[1] ?? this.#home;
    }
    return answer;
  }

  /** The form of a page, to be sent with `post`. */
  async form(path: string): Promise<URLSearchParams> {
    const form = readForm(await (await this.send(path)).text(), this.#url);
    if (form === null) throw new Error(`no form at ${path}`);
    return form.fields;
  }

  post(path: string, fields: URLSearchParams, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const own = { "Content-Type": "application/x-www-form-urlencoded", Origin: this.#publicUrl };
    return this.send(path, { method: "POST", body: fields.toString(), headers: { ...own, ...headers } });
  }

  /** Sends the page's form with these fields, to where it leads. */
  async submit(path: string, fields: Readonly<Record<string, string>>): Promise<Response> {
    const form = readForm(await (await this.send(path)).text(), this.#url);
    if (form === null) throw new Error(`no form at ${path}`);
    for (const [name, value] of Object.entries(fields)) form.fields.set(name, value);
    const { pathname, search } = new URL(form.action);
    return this.post(pathname + search, form.fields);
  }

  async signIn(mail: MailApi, address: string): Promise<void> {
    const before = mail.taken.length;
    await this.submit("/inbox", { email: address });
    const sent = await until("the sign-in email", async () =>
      mail.taken.slice(before).find(({ subject, to }) => subject === "Sign in to Countersign" && to.includes(address)),
    );
    const link = /https?:\S+\/inbox\/sign-in\/[\w-]+/.exec(sent.text)?.[0] ?? "";
    const entered = await this.submit(new URL(link).pathname, {});
    if (entered.status !== 303) throw new Error(`sign-in: ${entered.status}`);
  }

  /** Where the authorization endpoint leads, and what pressing Allow there leads to. */
  async allow(asked: URL): Promise<URL> {
    const led = await this.send(asked.pathname + asked.search);
    if (led.status !== 303) throw new Error(`authorize: ${led.status}`);
    const page = new URL(led.headers.get("Location") ?? "");
    return leadsTo(await this.submit(page.pathname + page.search, { act: "allow" }));
  }
}

/** Where a page of consent sends the browser on to; throws where it stays. */
export const leadsTo = ({ headers }: Response): URL => new URL((headers.get("Refresh") ?? "").replace(/^0; url=/, ""));
