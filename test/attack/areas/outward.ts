// Requests sent on through every address that we take: numbers that are hosts, IPv6, names that
// lead inside, redirects.

import { expect } from "vitest";
import { until } from "../../outside/support/raw-client.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { askedByWebhook } from "../channels.ts";
import { insideHosts } from "../inside-hosts.ts";
import { envelope, rpcOf, sample } from "../people.ts";
import { initialize } from "../relay-client.ts";
import { type World, secrets } from "../world.ts";

const inDocuments: readonly [string, (url: string) => [string, object]][] = [
  ["an MCP server", (url) => ["servers", { servers: { evil: { url: `${url}/mcp` } } }]],
  ["a provider", (url) => ["routing", { providers: { evil: { kind: "openai", baseUrl: `${url}/v1`, keyless: true } }, models: [] }]],
  [
    "an issuer's keys",
    (url) => ["issuers", { issuers: [{ name: "evil", issuer: url, audience: "us", jwksUrl: `${url}/jwks.json`, scopes: ["control"] }] }],
  ],
];

const addresses: Attack[] = insideHosts.map((host) => ({
  name: `the host ${JSON.stringify(host)} is the address of no MCP server, provider or issuer`,
  run: async (world: World) => {
    for (const [what, documentOf] of inDocuments) {
      const [name, document] = documentOf(`https://${host}`);
      const answer = await world.put(name, document);
      expect(answer.status, `${what}: the status`).toBe(400);
    }
  },
}));

const schemes: Attack[] = [
  "http://example.com",
  "ftp://example.com",
  "file:///etc/passwd",
  "data:text/plain,x",
  "javascript:1",
  "//example.com",
  "https://user:pass@example.com",
  "https://example.com?x=1",
  "https://example.com#x",
].map((url) => ({
  name: `${url} is the address of no MCP server`,
  run: async (world: World) => expect((await world.put("servers", { servers: { evil: { url } } })).status, "the status").toBe(400),
}));

const imageAddresses = [
  ...insideHosts.slice(0, 30).map((host) => `https://${host}/a.png`),
  "https://images.example.com.evil.example.net/a.png",
  "https://images.example.com@evil.example.net/a.png",
  "https://evil.example.net/images.example.com/a.png",
  "https://images.example.com:8443/a.png",
  "http://images.example.com/a.png",
  "https://IMAGES.example.com./a.png",
  "data:image/png;base64,AAAA",
  "file:///etc/passwd",
  "https://images.example.com\\@127.0.0.1/a.png",
];

const images: Attack[] = imageAddresses.map((value) => ({
  name: `an image at ${JSON.stringify(value)} is not fetched`,
  run: async (world: World) => {
    const parameters = { prompt: "Look.", images: [{ type: "url", value }] };
    const answer = await world.ask("/control", {
      body: { ...envelope(), protocol_version: "2.0", task: { type: "multimodal_generation", parameters } },
    });
    expect(answer.status >= 400 && answer.status < 500, `the answer is ${answer.status}: ${answer.text.slice(0, 200)}`).toBe(true);
    expect(world.model.requests.length, "calls of the model").toBe(0);
  },
}));

const imageHosts: Attack = {
  name: "the policy takes no address, pattern or inside host as a host of images",
  run: async (world) => {
    const { json } = await world.admin("/policy");
    for (const host of [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "*.example.com",
      "https://example.com",
      "example.com:8080",
      "169.254.169.254",
      "2130706433",
      "user@example.com",
    ]) {
      const answer = await world.put("policy", { ...(json as object), imageHosts: [host] });
      expect(answer.status, `${host}: the status`).toBe(400);
    }
  },
};

const redirects: Attack[] = [
  ...eachOf([301, 302, 303, 307, 308], (status) => ({
    name: `a server's redirect ${status} to a place inside is not followed, and takes no credential there`,
    run: async (world: World) => {
      const answer = await world.ask(`/mcp/leads-inside-${status}`, {
        headers: { Accept: "application/json, text/event-stream" },
        body: initialize(),
      });
      expect(answer.text, "the client's answer").not.toContain("from-inside");
      expect(answer.headers.get("location"), "the client is sent on").toBe(null);
      expect(world.trap.reached, "what reached the server inside").toEqual([]);
    },
  })),
  ...eachOf([301, 302, 307, 308], (status) => ({
    name: `a provider's redirect ${status} to a place inside is not followed`,
    run: async (world: World) => {
      for (let attempts = 0; attempts < 4; attempts += 1) world.model.script({ answer: "redirect", location: `${world.trap.url}/latest` });
      const answer = await sample(world);
      expect(rpcOf(answer).error, "it was answered").toBeDefined();
      expect(answer.text, "the client's answer").not.toContain("from-inside");
    },
  })),
  {
    name: "a webhook's redirect takes its link nowhere",
    run: async (world) => {
      world.webhooks.script({ status: 307, headers: { Location: `${world.trap.url}/hook` } });
      const before = world.webhooks.requests.length;
      const asked = askedByWebhook(world).catch(() => null);
      await until("the webhook", () => world.webhooks.requests.length > before);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(world.trap.reached, "what reached the server inside").toEqual([]);
      void asked;
    },
  },
];

const credentials: Attack[] = [
  {
    name: "a document names the gateway's own secrets as a server's credential",
    run: async (world) => {
      for (const secret of [
        "ADMIN_TOKEN",
        "LINK_KEY",
        "LINK_KEY_PREVIOUS",
        "DEV_API_KEY",
        "SLACK_SIGNING_SECRET",
        "SLACK_BOT_TOKEN",
        "RESEND_API_KEY",
        "CONTENT_KEY",
        "CONTENT_KEY_PREVIOUS",
        "PUBLIC_URL",
      ]) {
        const answer = await world.put("servers", { servers: { evil: { url: "https://evil.example.net/mcp", secret } } });
        expect(answer.status, `${secret}: the status`).toBe(400);
        const routed = await world.put("routing", {
          providers: { evil: { kind: "openai", baseUrl: "https://evil.example.net/v1", secret } },
          models: [],
        });
        expect(routed.status, `${secret} of a provider: the status`).toBe(400);
      }
    },
  },
  {
    name: "no answer for operators has a secret in it",
    run: async (world) => {
      for (const path of ["/servers", "/routing", "/policy", "/issuers", "/keys", "/notices", "/runs", "/record"]) {
        const { text } = await world.admin(path);
        for (const secret of Object.values(secrets)) expect(text, `/admin${path}`).not.toContain(secret);
        expect(text, `/admin${path}`).not.toContain(world.ann.key);
      }
      for (const secret of Object.values(secrets))
        expect((await world.admin("/doctor", { method: "POST", body: {} })).text, "the doctor").not.toContain(secret);
    },
  },
];

export const outward: Area = {
  name: "outward",
  about: "requests sent on through every address that the gateway takes",
  attacks: [...addresses, ...schemes, ...images, imageHosts, ...redirects, ...credentials],
};
