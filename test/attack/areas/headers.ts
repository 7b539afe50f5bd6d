// Header and host games: what a request says of its own host, method, origin and length changes
// nothing.

import { expect } from "vitest";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { envelope, formOf, isUndecided, opened, openedBy, pathOf, postForm, press, rpcOf, samplingMessage } from "../people.ts";
import { rawBytes, rawRequest } from "../raw-http.ts";
import { type World, secrets } from "../world.ts";

const evil = "evil.example.net";

const hosts: readonly [string, Readonly<Record<string, string>>][] = [
  ["Host", { Host: evil }],
  ["Host with our port", { Host: `${evil}:8787` }],
  ["Host with a user name", { Host: `localhost@${evil}` }],
  ["X-Forwarded-Host", { "X-Forwarded-Host": evil, "X-Forwarded-Proto": "http" }],
  ["Forwarded", { Forwarded: `host=${evil};proto=http;for=127.0.0.1` }],
  ["X-Original-URL", { "X-Original-URL": "/admin/keys", "X-Rewrite-URL": "/admin/keys", "X-Original-Host": evil }],
  [
    "X-Host and X-HTTP-Host-Override",
    { "X-Host": evil, "X-HTTP-Host-Override": evil, "X-Forwarded-Server": evil, "X-Forwarded-Prefix": `//${evil}` },
  ],
];

const named = eachOf(hosts, ([what, headers]) => ({
  name: `${what} names another host: no link, page, redirect or cookie leads there`,
  run: async (world) => {
    const body = JSON.stringify(samplingMessage({ server: "request-gate" }));
    const asking = { ...headers, Authorization: `Bearer ${world.ann.key}`, "Content-Type": "application/json" };
    const review = await openedBy(world, async () => {
      const { status, text } = await rawRequest(world.port, { method: "POST", path: "/sampling", headers: asking, body });
      return { status, text, headers: new Headers(), json: undefined };
    });
    expect(review.link, "the link").not.toContain(evil);
    expect(review.link.startsWith(`${world.url}/r/`), `the link is ${review.link}`).toBe(true);
    const page = await rawRequest(world.port, { path: pathOf(review.link), headers });
    expect(page.text + JSON.stringify(page.headers), "the page").not.toContain(evil);
    const fields = (await formOf(world, review.link)) ?? new URLSearchParams();
    fields.set("act", "deny");
    const form = { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" };
    const posted = await rawRequest(world.port, {
      method: "POST",
      path: pathOf(review.link),
      headers: { ...headers, ...form },
      body: String(fields),
    });
    expect(posted.status, "the form's status").toBe(303);
    expect(JSON.stringify(posted.headers), "the redirect").not.toContain(evil);
    await review.answer;
  },
}));

const formHeaders: readonly [string, Readonly<Record<string, string>>][] = [
  ["from another site", { "Sec-Fetch-Site": "cross-site" }],
  ["from another host of the same site", { "Sec-Fetch-Site": "same-site" }],
  ["by no page", { "Sec-Fetch-Site": "none" }],
  ["with the Origin of another site", { Origin: `https://${evil}` }],
  ["with Origin: null, as a sandboxed frame sends it", { Origin: "null" }],
  ["without Sec-Fetch-Site and Origin", {}],
  ["with an Origin that begins as ours", { Origin: `http://localhost.${evil}` }],
  ["from another site that claims our Origin", { "Sec-Fetch-Site": "cross-site", Origin: "OURS" }],
];

const crossSite = eachOf(formHeaders, ([what, headers]) => ({
  name: `the form of a review, posted ${what}, decides nothing`,
  run: async (world) => {
    const review = await opened(world);
    const fields = (await formOf(world, review.link)) ?? new URLSearchParams();
    fields.set("act", "approve:0");
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === "OURS" ? world.url : value]));
    expect((await postForm(world, review.link, fields, sent)).status, "the status").toBe(403);
    expect(await isUndecided(world, review), "it was decided").toBe(true);
    await press(world, review.link, "deny");
  },
}));

const formTypes = ["application/json", "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded-but-not"];

const types = eachOf(formTypes, (type) => ({
  name: `the form of a review, sent as ${type}, decides nothing`,
  run: async (world) => {
    const review = await opened(world);
    const fields = (await formOf(world, review.link)) ?? new URLSearchParams();
    fields.set("act", "approve:0");
    const answer = await postForm(world, review.link, fields, { "Sec-Fetch-Site": "same-origin", "Content-Type": type });
    expect(answer.status, "the status").toBe(415);
    expect(await isUndecided(world, review), "it was decided").toBe(true);
    await press(world, review.link, "deny");
  },
}));

const overrides = eachOf(["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"], (header) => ({
  name: `${header} makes no decision of a GET`,
  run: async (world) => {
    const review = await opened(world);
    const fields = (await formOf(world, review.link)) ?? new URLSearchParams();
    fields.set("act", "approve:0");
    const query = `${pathOf(review.link)}?_method=POST&${fields}`;
    await rawRequest(world.port, { path: query, headers: { [header]: "POST", "Sec-Fetch-Site": "same-origin" } });
    expect(await isUndecided(world, review), "it was decided").toBe(true);
    await press(world, review.link, "deny");
  },
}));

const paths = [
  "//admin/keys",
  "/admin//keys",
  "/ADMIN/keys",
  "/admin/keys/",
  "/admin/keys;x=/healthz",
  "/admin%2Fkeys",
  "/healthz/../admin/keys",
  "/healthz/%2e%2e/admin/keys",
  "/healthz/..%2fadmin/keys",
  "/healthz/..;/admin/keys",
  "/./admin/keys",
  "/admin/keys?/healthz",
  "/admin/keys%00",
  "/admin/keys#/healthz",
  "/\\admin\\keys",
  "http://localhost/admin/keys",
  "http://evil.example.net/admin/keys",
];

const spelled = eachOf(paths, (path) => ({
  name: `the operator's keys are not listed at ${JSON.stringify(path)} without the admin token`,
  run: async (world) => {
    const answer = await rawRequest(world.port, { path }).catch(() => null);
    expect(
      answer === null || [301, 302, 307, 308, 400, 401, 404, 405].includes(answer.status),
      `the status is ${answer?.status}: ${answer?.text}`,
    ).toBe(true);
    expect(answer?.text ?? "", "the answer").not.toContain(world.ann.id);
  },
}));

const origins = eachOf(["/admin/keys", "/sampling", "/control", "/runs/run_x", "/mcp/notes"], (path) => ({
  name: `a web page of another origin gets no leave to read ${path}`,
  run: async (world) => {
    const asked = await rawRequest(world.port, {
      method: "OPTIONS",
      path,
      headers: {
        Origin: `https://${evil}`,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
      },
    });
    const got = await rawRequest(world.port, { path, headers: { Origin: `https://${evil}`, Authorization: `Bearer ${world.ann.key}` } });
    for (const { headers } of [asked, got]) {
      const allowed = headers["access-control-allow-origin"];
      expect(allowed === undefined || allowed === "null", `Access-Control-Allow-Origin is ${allowed}`).toBe(true);
      expect(headers["access-control-allow-credentials"], "credentials are allowed").toBeUndefined();
    }
  },
}));

const atRelay: readonly Attack[] = [
  {
    name: "a request to the relay with the Origin of a page that is not listed, as after DNS rebinding, reaches no server",
    run: async (world) => {
      const before = world.mcp.calls.length;
      const answer = await world.ask("/mcp/notes", {
        headers: { Origin: `https://${evil}` },
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" },
      });
      expect([answer.status, world.mcp.calls.length], "the status, and requests to the server").toEqual([403, before]);
    },
  },
  {
    name: "the server behind the relay gets neither the gateway's key nor headers that the client adds",
    run: async (world) => {
      await world.ask("/mcp/notes", {
        headers: {
          Cookie: "session=secret",
          "X-Countersign-Key": world.ann.key,
          "X-Forwarded-For": "10.0.0.1",
          "X-Evil": "1",
          Accept: "application/json, text/event-stream",
        },
        body: {
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
        },
      });
      const { headers } = world.mcp.calls.at(-1) ?? { headers: {} };
      const text = JSON.stringify(headers);
      for (const part of [world.ann.key, "session=secret", "x-evil", "10.0.0.1"]) expect(text, "the server's request").not.toContain(part);
      expect((headers as Record<string, string>)["authorization"], "the server's credential").toBe(`Bearer ${secrets.server}`);
    },
  },
  {
    name: "a client's own Authorization is sent on only to a server whose entry says so, and our key never",
    run: async (world) => {
      const body = {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } },
      };
      await world.ask("/mcp/passing", {
        key: null,
        headers: {
          Authorization: "Bearer of-the-upstream",
          "X-Countersign-Key": world.ann.key,
          Accept: "application/json, text/event-stream",
        },
        body,
      });
      expect(world.mcp.calls.at(-1)?.headers.authorization, "what the server got").toBe("Bearer of-the-upstream");
      const before = world.mcp.calls.length;
      const answer = await world.ask("/mcp/passing", {
        key: world.ann.key,
        headers: { Accept: "application/json, text/event-stream" },
        body,
      });
      expect([answer.status, world.mcp.calls.length], "our key in Authorization: the status, and requests to the server").toEqual([
        401,
        before,
      ]);
    },
  },
  {
    name: "a page of another origin listens to no review",
    run: async (world) => {
      const review = await opened(world);
      const upgrade = (origin: string): Promise<string> =>
        rawBytes(
          world.port,
          `GET ${pathOf(review.link)}/live HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: ${origin}\r\n\r\n`,
        );
      expect((await upgrade(world.url)).startsWith("HTTP/1.1 101"), "our own page cannot listen: the attack shows nothing").toBe(true);
      expect((await upgrade(`https://${evil}`)).startsWith("HTTP/1.1 101"), "the socket was opened").toBe(false);
      await press(world, review.link, "deny");
    },
  },
];

/**
 * A second request that hides in the first one's body must never be answered as another request's.
 */
const smuggled = (world: World): string => `GET /admin/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${world.ann.key}\r\n\r\n`;

const framings: readonly [string, (world: World) => string][] = [
  [
    "both Content-Length and Transfer-Encoding",
    (world) => `POST /sampling HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled(world)}`,
  ],
  [
    "two Content-Lengths",
    (world) => `POST /sampling HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 90\r\n\r\n${smuggled(world)}`,
  ],
  [
    "an unknown Transfer-Encoding",
    (world) => `POST /sampling HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n${smuggled(world)}`,
  ],
  [
    "a Transfer-Encoding behind a tab",
    (world) =>
      `POST /sampling HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\tchunked, identity\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${smuggled(world)}`,
  ],
  [
    "a chunk of no hexadecimal length",
    (world) => `POST /sampling HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n${smuggled(world)}0\r\n\r\n`,
  ],
  ["no HTTP at all", () => "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
  ["a header line of 2 MB", () => `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"a".repeat(2_000_000)}\r\n\r\n`],
  [
    "20,000 headers",
    () => `GET /healthz HTTP/1.1\r\nHost: x\r\n${Array.from({ length: 20_000 }, (_, index) => `X-${index}: 1\r\n`).join("")}\r\n`,
  ],
  ["a header that is folded", (world) => `GET /admin/keys HTTP/1.1\r\nHost: x\r\nAuthorization:\r\n Bearer ${world.ann.key}\r\n\r\n`],
];

const framed = eachOf(framings, ([what, bytes]) => ({
  name: `a request with ${what} gets nothing of the operator's`,
  run: async (world) => {
    const text = await rawBytes(world.port, bytes(world));
    expect(text, "what came back").not.toContain(world.ann.id);
  },
}));

const injected: readonly Attack[] = [
  ...eachOf(["MCP-Protocol-Version", "Accept", "Prefer", "Last-Event-ID", "Mcp-Session-Id", "traceparent", "If-Match"], (header) => ({
    name: `${header} of any text is refused or ignored, and is in no header of the answer`,
    run: async (world: World) => {
      for (const value of [
        "__proto__",
        "constructor",
        "9999-99-99",
        "x".repeat(8_000),
        "\u00ff\u00fe",
        "../../etc/passwd",
        "%0d%0aSet-Cookie: a=b",
      ]) {
        for (const [path, body] of [
          ["/sampling", samplingMessage()],
          ["/mcp/notes", { jsonrpc: "2.0", id: 1, method: "tools/list" }],
        ] as const) {
          const answer = await world.ask(path, { body, headers: { [header]: value } });
          expect(answer.status, `${path}: ${answer.status} ${answer.text.slice(0, 200)}`).toBeLessThan(500);
          expect(answer.headers.get("set-cookie"), "a cookie was set").toBe(null);
        }
      }
    },
  })),
  {
    name: "an address that is made up in X-Forwarded-For and the like is in no count: wrong keys are counted by Cloudflare's header alone",
    run: async (world) => {
      for (let tries = 0; tries < 30; tries += 1) {
        const answer = await world.ask("/sampling", {
          key: "csk_wrong",
          headers: { "X-Forwarded-For": "203.0.113.9", "X-Real-IP": "203.0.113.9" },
          body: {},
        });
        expect(answer.status, "the status").toBe(401);
      }
      expect(
        rpcOf(await world.ask("/sampling", { body: samplingMessage(), headers: { "X-Forwarded-For": "203.0.113.9" } })).result,
        "refused",
      ).toBeDefined();
    },
  },
  {
    name: "no answer of any endpoint may be framed, sniffed or stored by a browser",
    run: async (world) => {
      const review = await opened(world);
      const page = await world.ask(pathOf(review.link), { key: null });
      const policy = page.headers.get("content-security-policy") ?? "";
      for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
        expect(policy, `the page's policy lacks ${part}`).toContain(part);
      expect(policy, "scripts of any origin").not.toMatch(/script-src[^;]*('unsafe-inline'|'unsafe-eval'|\*)/);
      for (const [name, value] of [
        ["cache-control", "no-store"],
        ["x-content-type-options", "nosniff"],
        ["referrer-policy", "same-origin"],
      ] as const)
        expect(page.headers.get(name), name).toEqual(value);
      expect(page.headers.get("set-cookie"), "a GET's cookie").toBe(null);
      const answer = await world.ask("/control", { body: envelope() });
      expect(answer.headers.get("cache-control"), "the control endpoint's Cache-Control").toBe("no-store");
      await press(world, review.link, "deny");
    },
  },
];

export const headers: Area = {
  name: "headers",
  about: "header, host, path and framing games",
  attacks: [...named, ...crossSite, ...types, ...overrides, ...spelled, ...origins, ...atRelay, ...framed, ...injected],
};
