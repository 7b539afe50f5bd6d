import { describe, expect, test } from "vitest";
import { parseServers, serversJsonSchema } from "../../../shared/relay/servers.ts";

const document = (server: object, name = "notes"): object => ({ servers: { [name]: server } });
const pointersOf = (value: unknown): string[] => {
  const parsed = parseServers(value);
  return parsed.ok ? [] : parsed.error.map(({ pointer }) => pointer);
};

describe("a servers document", () => {
  test("needs no more than a URL, and is careful where nothing else is said", () => {
    expect(parseServers(document({ url: "https://notes.example.com/mcp" }))).toEqual({
      ok: true,
      value: {
        version: 0,
        servers: {
          notes: {
            url: "https://notes.example.com/mcp",
            headers: {},
            passAuthorization: false,
            allowPrivate: false,
            protocol: "auto",
            mode: "fulfil",
            elicitation: "forward",
            association: "auto",
            context: false,
            tools: true,
            trustAnnotations: false,
            receipts: false,
            pin: "off",
            tasks: true,
            functions: [],
            origins: [],
          },
        },
      },
    });
    expect(parseServers({})).toMatchObject({ ok: true, value: { servers: {} } });
  });

  test.each(["control", "CONTROL"])("keeps the name %s for the control endpoint", (name) => {
    expect(pointersOf(document({ url: "https://notes.example.com/mcp" }, name))).toEqual([`/servers/${name}`]);
    expect(pointersOf(document({ url: "https://notes.example.com/mcp" }, `${name}s`))).toEqual([]);
  });

  test.each<[string, string]>([
    ["no address", "notes server"],
    ["a relative one", "/mcp"],
    ["another scheme", "ftp://notes.example.com/mcp"],
    ["javascript", "javascript:alert(1)"],
    ["a user name", "https://user@notes.example.com/mcp"],
    ["a password", "https://user:secret@notes.example.com/mcp"],
    ["a query", "https://notes.example.com/mcp?key=secret"],
    ["a fragment", "https://notes.example.com/mcp#a"],
    ["plain http", "http://notes.example.com/mcp"],
    ["localhost", "https://localhost/mcp"],
    ["a name under localhost", "https://notes.localhost/mcp"],
    ["loopback", "https://127.0.0.1/mcp"],
    ["loopback in another notation", "https://2130706433/mcp"],
    ["loopback in hexadecimal", "https://0x7f.1/mcp"],
    ["loopback of IPv6", "https://[::1]/mcp"],
    ["loopback of IPv4 within IPv6", "https://[::ffff:127.0.0.1]/mcp"],
    ["a private address", "https://10.0.0.8/mcp"],
    ["another one", "https://192.168.1.1/mcp"],
    ["a link-local one", "https://169.254.169.254/latest/meta-data"],
    ["nothing at all", ""],
  ])("is refused with %s for a URL, at its place and without the value", (_name, url) => {
    const parsed = parseServers(document({ url }));
    expect(parsed).toMatchObject({ ok: false, error: [{ pointer: "/servers/notes/url" }] });
    if (url.length > 3) expect(JSON.stringify(parsed)).not.toContain(url);
  });

  test.each(["http://127.0.0.1:3001/mcp", "http://localhost:3001/mcp", "https://10.0.0.8/mcp", "http://[::1]:3001/mcp"])(
    "takes %s where the entry permits private addresses",
    (url) => {
      expect(pointersOf(document({ url, allowPrivate: true }))).toEqual([]);
    },
  );

  test.each<[string, object, string]>([
    ["an unknown member", { extra: 1 }, "/servers/notes/extra"],
    ["an unknown mode", { mode: "replace" }, "/servers/notes/mode"],
    ["an unknown association", { association: "any" }, "/servers/notes/association"],
    ["a secret that is no variable's name", { secret: "not a name" }, "/servers/notes/secret"],
    ["a secret beside the client's own credential", { secret: "NOTES_TOKEN", passAuthorization: true }, "/servers/notes/secret"],
    ["an origin with a path", { origins: ["https://app.example.com/"] }, "/servers/notes/origins/0"],
    ["every origin", { origins: ["*"] }, "/servers/notes/origins/0"],
    ["the origin of no place", { origins: ["null"] }, "/servers/notes/origins/0"],
    ["an empty tool name", { samplingTools: [""] }, "/servers/notes/samplingTools/0"],
    ["a function without a name", { functions: [""] }, "/servers/notes/functions/0"],
    ["a function listed twice", { functions: ["find", "find"] }, "/servers/notes/functions/1"],
    ["functions beside the client's own credential", { functions: ["find"], passAuthorization: true }, "/servers/notes/functions"],
    ["a login beside the client's own credential", { auth: { kind: "oauth" }, passAuthorization: true }, "/servers/notes/auth"],
    ["a login beside a secret", { auth: { kind: "oauth" }, secret: "NOTES_TOKEN" }, "/servers/notes/secret"],
    ["a login beside functions", { auth: { kind: "oauth" }, functions: ["find"] }, "/servers/notes/functions"],
    ["a login of another kind", { auth: { kind: "basic" } }, "/servers/notes/auth/kind"],
    ["a client's secret without the client", { auth: { kind: "oauth", secret: "NOTES_CLIENT" } }, "/servers/notes/auth"],
    ["a client without its issuer", { auth: { kind: "oauth", clientId: "us" } }, "/servers/notes/auth"],
    ["an issuer without a client", { auth: { kind: "oauth", issuer: "https://login.example.com" } }, "/servers/notes/auth"],
    ["a private issuer", { auth: { kind: "oauth", clientId: "us", issuer: "https://10.0.0.1" } }, "/servers/notes/auth/issuer"],
    ["two scopes in one", { auth: { kind: "oauth", scopes: ["read write"] } }, "/servers/notes/auth/scopes/0"],
    ["a header with a line break", { headers: { "X-A": "a\r\nX-B: b" } }, "/servers/notes/headers/X-A"],
  ])("is refused with %s", (_name, more, pointer) => {
    expect(pointersOf(document({ url: "https://notes.example.com/mcp", ...more }))).toContain(pointer);
  });

  test.each<[string, Record<string, string[]>, string[]]>([
    ["the same name", { a: ["find"], b: ["look", "find"] }, ["/servers/b/functions/1"]],
    ["a name that is the other's with its server", { a: ["find"], b: ["a/find"] }, ["/servers/b/functions/0"]],
    ["names that differ", { a: ["find"], b: ["Find", "b/find"] }, []],
  ])("is refused where two servers have functions of one name: %s", (_name, functions, pointers) => {
    const url = "https://notes.example.com/mcp";
    const servers = Object.fromEntries(Object.entries(functions).map(([name, own]) => [name, { url, functions: own }]));
    expect(pointersOf({ servers })).toEqual(pointers);
  });

  test.each([
    "Authorization",
    "authorization",
    "Cookie",
    "Host",
    "Origin",
    "Accept",
    "Content-Length",
    "Content-Type",
    "Transfer-Encoding",
    "Connection",
    "Mcp-Session-Id",
    "MCP-Protocol-Version",
    "Last-Event-ID",
    "X-Countersign-Key",
    "CF-Connecting-IP",
    "X-Forwarded-For",
    "Forwarded",
    "",
    "a b",
    "a:b",
    "a\r\nb",
  ])("is refused with a header that is the relay's own or none (%j)", (name) => {
    expect(pointersOf(document({ url: "https://notes.example.com/mcp", headers: { [name]: "x" } }))).not.toEqual([]);
  });

  test.each(["", "-notes", "../admin", "a/b", "a b", "ä", "a".repeat(65), "%2e"])("is refused with a server called %j", (name) => {
    expect(pointersOf(document({ url: "https://notes.example.com/mcp" }, name))).not.toEqual([]);
  });

  test("is refused whatever it is instead of a document", () => {
    for (const value of [null, [], "x", 1, { servers: [] }, { servers: { notes: null } }, { version: -1 }, { version: 1.5 }, { more: 1 }])
      expect(parseServers(value).ok).toBe(false);
  });
});

test("the schema for editors names every member that an entry may have", () => {
  const text = JSON.stringify(serversJsonSchema());
  const parsed = parseServers(document({ url: "https://notes.example.com/mcp" }));
  const members = parsed.ok ? Object.keys(parsed.value.servers["notes"] ?? {}) : [];
  for (const member of [...members, "url", "secret", "samplingTools"]) expect(text).toContain(`"${member}"`);
});
