import { describe, expect, test } from "vitest";
import { toBase64url, utf8ToBytes } from "../../../shared/encoding.ts";
import { accountIn, isTokenRefusal, loginEntry, loginState, loginStep, mayAct, parseLoginState } from "../../../shared/relay/login.ts";
import { type Server, parseServers } from "../../../shared/relay/servers.ts";
import { signingKey } from "../../../shared/sealed-id.ts";

const now = 1_800_000_000_000;
const tokens = { access: "a", refresh: "r", issuedAt: now - 600_000, expiresAt: now + 600_000 };

describe("an access token that a request needs", () => {
  test.each<[string, object, string | null, string]>([
    ["is used until half a minute before it expires", { expiresAt: now + 30_001 }, null, "use"],
    ["is renewed from then on", { expiresAt: now + 30_000 }, null, "renew"],
    ["is used where its server did not say how long it lasts", { expiresAt: null }, null, "use"],
    ["is renewed once the server has refused it", {}, "a", "renew"],
    ["is used where the server refused the one before it", {}, "b", "use"],
    ["is given up where it was issued just now and is refused already", { issuedAt: now - 9_999 }, "a", "end"],
    ["is used to its end where nothing renews it", { refresh: null, expiresAt: now + 1 }, null, "use"],
    ["is given up at its end where nothing renews it", { refresh: null, expiresAt: now }, null, "end"],
    ["is given up where it is refused and nothing renews it", { refresh: null }, "a", "end"],
  ])("%s", (_, of, refused, step) => {
    expect(loginStep({ ...tokens, ...of }, refused, now)).toBe(step);
  });
});

test("a state comes back whole, and only sealed by this gateway", () => {
  const [keys, others] = [signingKey("a".repeat(40)), signingKey("b".repeat(40))];
  const state = { server: "notes", home: "/inbox/~x", random: "r" };
  expect(parseLoginState([keys], loginState([keys], state))).toEqual(state);
  expect(parseLoginState([keys], loginState([others], state))).toBeUndefined();
  expect(parseLoginState([keys], "made up")).toBeUndefined();
});

test("a login is for an address, a way to sign in and a person, and for nothing else of an entry", () => {
  const entry = (of: object): Server => {
    const parsed = parseServers({ servers: { notes: { url: "https://notes.example.com/mcp", auth: { kind: "oauth" }, ...of } } });
    if (!parsed.ok || parsed.value.servers["notes"] === undefined) throw new Error("not valid");
    return parsed.value.servers["notes"];
  };
  const bindingOf = (of: object, person = "ann"): string => loginEntry(entry(of), person, () => undefined).binding;
  const own = bindingOf({});
  expect(bindingOf({ receipts: true, headers: { "X-A": "b" } })).toBe(own);
  expect(bindingOf({ url: "https://notes.example.com/other" })).not.toBe(own);
  expect(bindingOf({ auth: { kind: "oauth", scopes: ["all"] } })).not.toBe(own);
  expect(bindingOf({}, "another")).not.toBe(own);
  const secret = { auth: { kind: "oauth", clientId: "us", issuer: "https://login.example.com", secret: "NOTES_CLIENT" } };
  expect(loginEntry(entry(secret), "ann", (name) => `${name}'s `).server.secret).toBe("NOTES_CLIENT's");
});

test("an account is what an ID token calls it, or nothing", () => {
  const token = (claims: object): string => `x.${toBase64url(utf8ToBytes(JSON.stringify(claims)))}.y`;
  expect(accountIn(token({ sub: "1", email: "ann@example.org", preferred_username: "ann-k" }))).toBe("ann-k");
  expect(accountIn(token({ sub: "1", email: " " }))).toBe("1");
  for (const none of [undefined, "", "opaque", "x.!.y", token({ sub: 1 })]) expect(accountIn(none)).toBeNull();
});

describe("a server's 401", () => {
  test.each([
    ["Bearer", true],
    ['Bearer resource_metadata="https://a.example/x", scope="read"', true],
    ['bearer error="invalid_token", error_description="expired"', true],
    ["Bearer error=invalid_token", true],
    ['Basic realm="x", Bearer realm="y", error="invalid_token"', true],
    ['Bearer error="insufficient_scope"', false],
    ['Bearer error="invalid_request"', false],
    ['Bearer realm="a \\" b", error="use_other"', false],
    ['Basic realm="of the backend, Bearer error=invalid_token"', false],
    ["DPoP", false],
    ["BearerX", false],
    ["Negotiate", false],
    ["", false],
    [null, false],
  ])("%s refuses the token before anything is done: %s", (challenge, isRefusal) => {
    expect(isTokenRefusal(challenge)).toBe(isRefusal);
  });

  const request = (method: string): object => ({ jsonrpc: "2.0", id: 1, method });
  test.each([
    [request("tools/list"), false],
    [request("initialize"), false],
    [request("tools/call"), true],
    [request("resources/read"), true],
    [{ jsonrpc: "2.0", id: 1, result: {} }, true],
    [[request("tools/list"), request("tools/call")], true],
    [[request("tools/list"), request("ping")], false],
    ["no JSON-RPC", true],
  ])("%j may have acted: %s", (message, acts) => {
    expect([mayAct(JSON.stringify(message)), mayAct(utf8ToBytes(JSON.stringify(message)))]).toEqual([acts, acts]);
  });

  test("a request without a body asks only", () => expect(mayAct(undefined)).toBe(false));
});
