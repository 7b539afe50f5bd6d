// OpenAI's SDK as this gateway uses it: it writes requests. Retries, time limits and the reading of answers are the sender's.

import OpenAI from "openai";
import { providerFetch } from "../provider-fetch.ts";
import type { Ready } from "../ready.ts";

/** Longer than any attempt: the sender cuts an attempt itself, headers and body together. */
const neverMs = 86_400_000;

/** More addresses and credentials than a routing table has in practice; a rotated credential must not grow the list for ever. */
const mostClients = 100;

/** Clients by address and credential, kept for as long as the returned function lives. */
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
    // Never from the environment: on Workers every binding is in `process.env` too.
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
