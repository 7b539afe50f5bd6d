// OpenAI's SDK, which writes the requests. Retries, timeouts and reading the answers are the sender's.

import OpenAI from "openai";
import { providerFetch } from "../provider-fetch.ts";
import type { Ready } from "../ready.ts";

/** Longer than any attempt: the sender aborts attempts itself, headers and body together. */
const neverMs = 86_400_000;

/** More addresses and credentials than a routing table has in practice. Rotated credentials must not grow the map without bound. */
const mostClients = 100;

/** Makes clients, and keeps them by address and credential as long as the returned function lives. */
export function keptOpenAIClients(fetch: typeof globalThis.fetch): (ready: Ready) => OpenAI {
  const clients = new Map<string, OpenAI>();
  const send = providerFetch(fetch);
  return (ready) => {
    const key = `${ready.baseUrl ?? ""}\n${ready.apiKey ?? ""}`;
    let client = clients.get(key);
    if (client === undefined) {
      if (clients.size >= mostClients) clients.clear();
      client = newClient(ready, send);
      clients.set(key, client);
    }
    return client;
  };
}

const newClient = ({ apiKey, baseUrl }: Ready, fetch: typeof globalThis.fetch): OpenAI =>
  new OpenAI({
    apiKey: apiKey ?? "none",
    baseURL: baseUrl ?? "https://api.openai.com/v1",
    // Not from the environment: on Workers `process.env` has every variable and secret.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: neverMs,
    logLevel: "off",
    fetch,
    ...(apiKey === undefined ? { defaultHeaders: { authorization: null } } : {}),
  });
