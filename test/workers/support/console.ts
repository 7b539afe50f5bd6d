// An operator's browser at the console: it keeps the session's cookie, reads a page's forms, and
// sends them as a browser does.

import { adminToken, env, gateway, gatewayWith, publicUrl } from "./gateway.ts";
import type { Env } from "../../../workers/platform/env.ts";

export class ConsoleBrowser {
  readonly #variables: Partial<Env>;
  readonly #headers: Readonly<Record<string, string>>;
  cookie = "";
  /**
   * The path of the console for this browser: a session on a loopback host has its own. What is
   * read has `/console` in its place.
   */
  home = "/console";
  #formToken = "";

  /** `headers`: of every request, such as the one of Cloudflare Access. */
  constructor(variables: Partial<Env> = {}, headers: Readonly<Record<string, string>> = {}) {
    this.#variables = variables;
    this.#headers = headers;
  }

  async #send(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers({ ...this.#headers, ...(init.headers as Record<string, string> | undefined) });
    if (this.cookie !== "") headers.set("Cookie", this.cookie);
    const asked = { ...init, headers, key: null };
    // A request of its own where it can be: what the gateway lends the pages Worker ends with it.
    const isPlain = Object.keys(this.#variables).length === 0;
    const answer = await (isPlain ? gateway(path, asked) : gatewayWith(this.#variables, path, asked));
    const set = answer.headers.get("Set-Cookie");
    if (set !== null) this.cookie = /Max-Age=0\b/.test(set) ? "" : (set.split(";")[0] ?? "");
    this.home = /; Path=(\/console\/~[\w-]+)/.exec(set ?? "")?.[1] ?? this.home;
    return answer;
  }

  #plain(text: string): string {
    return text.replaceAll(this.home, "/console");
  }

  /** A page, as text. Its forms' token is kept for `post`. */
  async get(page: string): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
    const answer = await this.#send(page === "" ? this.home : `${this.home}/${page}`, {});
    const text = this.#plain(await answer.text());
    this.#formToken = /name="session" value="([^"]+)"/.exec(text)?.[1] ?? this.#formToken;
    return { status: answer.status, text, headers: answer.headers };
  }

  /** Sends a form as the page that was read last would. `more`: other headers, or another token. */
  async post(
    page: string,
    fields: Readonly<Record<string, string | readonly string[]>>,
    more: { readonly headers?: Readonly<Record<string, string>>; readonly formToken?: string } = {},
  ): Promise<{ readonly status: number; readonly text: string; readonly location: string | null; readonly headers: Headers }> {
    const answer = await this.#send(`${this.home}/${page}`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: publicUrl, "Sec-Fetch-Site": "same-origin", ...more.headers },
      body: new URLSearchParams([["session", more.formToken ?? this.#formToken], ...controlsOf(fields)]).toString(),
    });
    const location = answer.headers.get("Location");
    return {
      status: answer.status,
      text: this.#plain(await answer.text()),
      location: location === null ? null : this.#plain(location),
      headers: answer.headers,
    };
  }

  async signIn(token: string = this.#variables.ADMIN_TOKEN ?? adminToken): Promise<this> {
    await this.get("");
    await this.post("sign-in", { token });
    return this;
  }
}

/** Each value of a field is one control. */
const controlsOf = (fields: Readonly<Record<string, string | readonly string[]>>): [string, string][] =>
  Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, value]));

/** A browser that is signed in by the admin token. */
export const atConsole = (variables: Partial<Env> = {}): Promise<ConsoleBrowser> => new ConsoleBrowser(variables).signIn();

/** Another admin token of this gateway. */
export const otherToken = `${env.ADMIN_TOKEN ?? ""}-changed`;

/** The value of an input of a page, as its reader has it; "" where there is none. */
export function contentOf(page: string, name: string): string {
  const input = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(page)?.[0] ?? "";
  return (/ value="([^"]*)"/.exec(input)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");
}
