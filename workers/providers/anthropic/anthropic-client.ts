// Anthropic's SDK client as this gateway uses it.

import Anthropic from "@anthropic-ai/sdk";
import { samplingParameters, versionWithSampling } from "../../../shared/provider/anthropic/anthropic-translation.ts";
import type { Ready } from "../ready.ts";
import { type Built, neverMs, redirect, withoutErrorBody } from "../sdk-client.ts";

type Fetch = typeof fetch;

export class AnthropicClient extends Anthropic {
  readonly #built = new Map<string, Built>();
  readonly #fetch: Fetch;

  constructor(ready: Ready, fetch: Fetch) {
    super({
      apiKey: ready.apiKey ?? "none",
      baseURL: ready.baseUrl ?? "https://api.anthropic.com",
      webhookKey: null,
      maxRetries: 0,
      // Also lets long answers through, which the SDK refuses without a stream where no timeout is given.
      timeout: neverMs,
      logLevel: "off",
      openTelemetry: false,
      fetch,
    });
    this.#fetch = fetch;
  }

  override async buildRequest(...args: Parameters<Anthropic["buildRequest"]>): ReturnType<Anthropic["buildRequest"]> {
    const [{ path, method, body, signal }] = args;
    const withSampling = typeof body === "object" && body !== null && samplingParameters.some((name) => name in body);
    const key = `${path} ${withSampling}`;
    let built = this.#built.get(key);
    if (built === undefined) {
      const { req, url } = await super.buildRequest(...args);
      if (withSampling) req.headers.set("anthropic-version", versionWithSampling);
      built = { url, headers: req.headers };
      this.#built.set(key, built);
    }
    const req = { method, headers: built.headers, body: JSON.stringify(body), redirect, ...(signal ? { signal } : {}) } as const;
    return { req, url: built.url, timeout: neverMs };
  }

  override async fetchWithTimeout(...[url, init]: Parameters<Anthropic["fetchWithTimeout"]>): Promise<Response> {
    const send = this.#fetch;
    return withoutErrorBody(await send(url, init));
  }
}
