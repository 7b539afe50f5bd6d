// OpenAI's SDK client as this gateway uses it.

import OpenAI from "openai";
import type { Ready } from "../ready.ts";
import { type Built, neverMs, redirect, withoutErrorBody } from "../sdk-client.ts";

type Fetch = typeof fetch;

export class OpenAIClient extends OpenAI {
  readonly #built = new Map<string, Built>();
  readonly #fetch: Fetch;

  constructor(ready: Ready, fetch: Fetch) {
    super({
      apiKey: ready.apiKey ?? "none",
      baseURL: ready.baseUrl ?? "https://api.openai.com/v1",
      // Never from the environment: on Workers every binding is in `process.env` too.
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      maxRetries: 0,
      timeout: neverMs,
      logLevel: "off",
      fetch,
      ...(ready.apiKey === undefined ? { defaultHeaders: { authorization: null } } : {}),
    });
    this.#fetch = fetch;
  }

  override async buildRequest(...args: Parameters<OpenAI["buildRequest"]>): ReturnType<OpenAI["buildRequest"]> {
    const [{ path, method, body, signal }] = args;
    let built = this.#built.get(path);
    if (built === undefined) {
      const { req, url } = await super.buildRequest(...args);
      built = { url, headers: req.headers };
      this.#built.set(path, built);
    }
    const req = { method, headers: built.headers, body: JSON.stringify(body), redirect, ...(signal ? { signal } : {}) } as const;
    return { req, url: built.url, timeout: neverMs };
  }

  override async fetchWithTimeout(...[url, init]: Parameters<OpenAI["fetchWithTimeout"]>): Promise<Response> {
    const send = this.#fetch;
    return withoutErrorBody(await send(url, init));
  }
}
