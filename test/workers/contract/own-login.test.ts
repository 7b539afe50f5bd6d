// A person's own login at a server behind the relay: how they connect it, that their requests carry
// it and no others do, and what becomes of it when it expires, is refused or is attacked.

import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { inboxNameOf } from "../../../shared/review/inbox.ts";
import { clientDocumentUrl, inboxUrl, loginReturnUrl } from "../../../workers/platform/urls.ts";
import { loginStub } from "../../../workers/stubs/stubs.ts";
import { createKey, env, eventually, gateway, gatewayWith, publicUrl, travel } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox } from "../support/inbox.ts";
import { loginOrigin, scriptLoginServer } from "../support/login-server.ts";
import { configureServers, upstreamOrigin } from "../support/mcp-server.ts";
import { answerAt } from "../support/provider.ts";
import {
  ada,
  auth,
  bearerOf,
  begin,
  client,
  comeBack,
  connect,
  connected,
  disconnect,
  key,
  login,
  prepareOwnLogin,
  resource,
  upstream,
  url,
} from "../support/own-login.ts";
import { StatelessClient } from "../support/stateless.ts";

const brief: typeof gateway = (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init);

beforeEach(prepareOwnLogin);

describe("a person connects a server", () => {
  test("by the server's own metadata, as a client that registers itself, and their requests carry their token alone", async () => {
    expect(await ada.text("/inbox/connections")).toContain("not connected");
    const { to } = await begin();
    const asked = new URL(to ?? "");
    expect(asked.origin + asked.pathname).toBe(`${loginOrigin}/authorize`);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: "code",
      client_id: "client-1",
      code_challenge_method: "S256",
      redirect_uri: `${publicUrl}/inbox/connections/return/own`,
      resource: url,
      scope: "read",
    });
    const back = login.visit(to ?? "");
    // On a loopback host the session's cookie is for another address.
    const hop = await gateway(back.pathname + back.search, { key: null });
    expect([hop.status, hop.headers.get("Location")]).toEqual([303, `${ada.home}/connections/return/own${back.search}`]);
    expect(login.asked).toEqual([]);
    expect((await comeBack(back)).html).toContain("is connected");
    expect(await ada.text("/inbox/connections")).toMatch(/connected<\/span>[\s\S]*ada-l<\/bdi> · <bdi class="name">read/);
    expect((await (await connected()).call(1)).status).toBe(200);
    expect(new Set(upstream.calls.map(bearerOf))).toEqual(login.good);
    expect(upstream.calls.some(({ headers }) => [...headers.values()].some((value) => value.includes(key)))).toBe(false);
  });

  test("as the client that it was registered as there, for the entry's own scopes; without its secret not at all", async () => {
    const byHand = { ...auth, clientId: "by-hand", issuer: loginOrigin };
    await configureServers({ own: { url, auth: { ...byHand, scopes: ["write"] } } });
    // The server is not asked where that is: one of its own would get the code, and the secret.
    resource["authorization_servers"] = ["https://other-auth.example.com"];
    const { to } = await begin();
    expect(new URL(to ?? "").origin).toBe(loginOrigin);
    expect(Object.fromEntries(new URL(to ?? "").searchParams)).toMatchObject({ client_id: "by-hand", scope: "write" });
    expect((await comeBack(login.visit(to ?? ""))).html).toContain("is connected");
    expect(login.registered).toEqual([]);
    await configureServers({ own: { url, auth: { ...byHand, secret: "OWN_CLIENT_SECRET" } } });
    travel(60_000);
    expect((await begin()).html).toContain("Ask the operator");
  });

  describe("as a client that registers itself", () => {
    const clientOf = (to: string | null): string | null => new URL(to ?? "").searchParams.get("client_id");

    test("it registers once, and is the same client from then on", async () => {
      await connect();
      await disconnect();
      const { to } = await begin();
      expect([clientOf(to), login.registered.length]).toEqual(["client-1", 1]);
      expect((await comeBack(login.visit(to ?? ""))).html).toContain("is connected");
      // What the gateway is there is stored as its tokens are.
      const stored = await runInDurableObject(loginStub(env, inboxNameOf("Ada"), "own"), (_, { storage }) =>
        storage.sql.exec<{ value: string }>("SELECT value FROM entry WHERE name = 'registered'").toArray(),
      );
      expect(stored).toHaveLength(1);
    });

    test("at another issuer it is another client, and neither hears of the other", async () => {
      const other = scriptLoginServer("https://other-auth.example.com");
      await connect();
      resource["authorization_servers"] = ["https://other-auth.example.com"];
      travel(60_000);
      const { to } = await begin();
      expect([new URL(to ?? "").origin, other.registered.length]).toEqual(["https://other-auth.example.com", 1]);
      expect((await comeBack(other.visit(to ?? ""))).html).toContain("is connected");
      resource["authorization_servers"] = [loginOrigin];
      expect(new URL((await begin()).to ?? "").origin).toBe(loginOrigin);
      expect([login.registered.length, other.asked.every((body) => body.get("client_id") === "client-1")]).toEqual([2, true]);
    });

    test("where the issuer has forgotten it, it registers once more for the next sign-in", async () => {
      await connect();
      await disconnect();
      login.forgotten.add("client-1");
      const { to } = await begin();
      expect((await comeBack(login.visit(to ?? ""))).html).toContain("its sign-in said no");
      const again = await begin();
      expect([clientOf(again.to), login.registered.length]).toEqual(["client-2", 2]);
      expect((await comeBack(login.visit(again.to ?? ""))).html).toContain("is connected");
    });

    test("and where the issuer kept the browser, which alone was told so", async () => {
      await connect();
      expect(clientOf((await begin()).to)).toBe("client-1");
      expect(clientOf((await begin()).to)).toBe("client-2");
    });

    test("a renewal that is refused for the client ends the login, and the next sign-in registers it anew", async () => {
      await connect();
      const made = await connected();
      login.forgotten.add("client-1");
      travel(3_600_000);
      expect(await (await made.call(1)).text()).toContain("not signed in");
      const { to } = await begin();
      expect(clientOf(to)).toBe("client-2");
    });
  });

  test("its own document says who it is", async () => {
    const document = (await (await gateway("/oauth/clients/own", { key: null })).json()) as object;
    expect(document).toMatchObject({
      client_id: `${publicUrl}/oauth/clients/own`,
      redirect_uris: [`${publicUrl}/inbox/connections/return/own`],
      token_endpoint_auth_method: "none",
    });
    expect((await gatewayWith({ PUBLIC_URL: "" }, "/oauth/clients/own", { key: null })).status).toBe(404);
    expect((await gateway("/oauth/clients/plain", { key: null })).status).toBe(404);
  });

  test("who takes client metadata documents reads who it is by the rules of their draft, and registers nobody", async () => {
    const https = "https://countersign.example.com";
    const at = { PUBLIC_URL: https };
    login.metadata = { client_id_metadata_document_supported: true };
    const id = clientDocumentUrl(https, "own");
    const begun = await loginStub(env, inboxNameOf("Ada"), "own").beginLogin({
      entry: { server: { url, headers: {}, allowPrivate: false, secret: null }, binding: "" },
      bound: "",
      scopes: null,
      client: null,
      clientUrl: id,
      redirectUri: loginReturnUrl(inboxUrl(https), "own"),
      state: "",
    });
    expect(new URL(begun.kind === "goOn" ? begun.to : "").searchParams.get("client_id")).toBe(id);
    const { protocol, pathname, search, hash, username, password } = new URL(id);
    expect([protocol, search, hash, username, password]).toEqual(["https:", "", "", "", ""]);
    expect([new URL(id).href, pathname.split("/").some((part) => part === "." || part === "..")]).toEqual([id, false]);
    const answer = await gatewayWith(at, pathname, { key: null });
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "application/json"]);
    const text = await answer.text();
    const document = JSON.parse(text) as Record<string, unknown>;
    expect(document["client_id"]).toBe(id);
    expect(text.length).toBeLessThan(5_000);
    expect(Object.keys(document).filter((name) => name.startsWith("client_secret"))).toEqual([]);
    expect(document["token_endpoint_auth_method"]).toBe("none");
    expect(new URL(String(document["client_uri"])).origin).toBe(new URL(id).origin);
    expect(document["redirect_uris"]).toEqual([`${https}/inbox/connections/return/own`]);
    expect(login.registered).toEqual([]);
  });

  test("and disconnects it: nothing is sent with it from then on, and nothing by another form", async () => {
    await connect();
    const made = await connected();
    const form = await ada.form("/inbox/connections");
    form.set("disconnect", "own");
    const forged = new URLSearchParams(form);
    forged.set("nonce", "x");
    expect((await ada.post("/inbox/connections/servers", forged)).status).toBe(403);
    expect((await made.call(1)).status).toBe(200);
    expect(await (await ada.post("/inbox/connections/servers", form)).text()).toContain("is disconnected");
    const sent = upstream.calls.length;
    expect(await (await made.call(2)).json()).toMatchObject({ result: { isError: true } });
    expect(upstream.calls).toHaveLength(sent);
  });

  test("and the server is told, once more where it fails; a server without an endpoint for that is not", async () => {
    await connect();
    await disconnect();
    login.metadata = { revocation_endpoint: `${loginOrigin}/revoke` };
    await connect();
    const [refresh, access] = [[...login.refresh].at(-1), [...login.good].at(-1)];
    login.revokeFails = 1;
    expect(await disconnect()).toContain("is disconnected");
    await eventually("the revocation", async () => login.revoked.length === 2);
    expect(login.revoked).toEqual([refresh, access]);
    expect(await ada.text("/inbox/connections")).toContain("not connected");
  });

  test("what its sign-in refuses is not connected", async () => {
    const { to } = await begin();
    const back = login.visit(to ?? "");
    back.searchParams.delete("code");
    back.searchParams.set("error", "access_denied");
    expect(await ada.text(back.pathname + back.search)).not.toContain("You signed in there");
    expect((await comeBack(back)).html).toContain("its sign-in said no");
    expect(login.asked).toEqual([]);
  });
});

describe("who is not signed in", () => {
  test("is told where to sign in: as the tool's result, and as an error of anything else", async () => {
    const refused = (await (await client().connect()).json()) as { error: { message: string } };
    expect(refused.error.message).toContain(`${publicUrl}/inbox/connections`);
    await connect();
    const made = await connected();
    login.good.clear();
    login.refresh.clear();
    await made.call(1);
    const { result } = (await (await made.call(2)).json()) as { result: { isError: boolean; content: { text: string }[] } };
    expect(result).toMatchObject({ isError: true, _meta: { "countersign/call": "signIn" } });
    expect(result.content[0]?.text).toContain(`Ask them to open ${publicUrl}/inbox/connections and connect own`);
    expect(await ada.text("/inbox/connections")).toContain("sign in again");
  });

  test("a key without an owner reaches nothing", async () => {
    const { key: nobodys } = await createKey({ name: "nobody" });
    expect(JSON.stringify(await (await client({ key: nobodys }).connect()).json())).toContain("no owner who could sign in");
  });

  test("a client with URL elicitation is offered the page, and the same call goes on once they are connected", async () => {
    await connect();
    const made = await connected({ elicitation: { url: {} } });
    login.good.clear();
    login.refresh.clear();
    await made.call(1);
    const answer = await made.call(2);
    const reader = (answer.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (what: string): Promise<void> => {
      while (!text.includes(what)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`ended before ${what}: ${text}`);
        text += value;
      }
    };
    await until("elicitation/create");
    expect(text).toContain(`"url":"${publicUrl}/inbox/connections"`);
    const sent = upstream.calls.length;
    await connect();
    await until('"text":"done"');
    expect(text).toContain("notifications/elicitation/complete");
    expect(upstream.calls.slice(sent).map(({ message }) => message.id)).toEqual([2]);
  });
});

test("a client of 2026-07-28 without a login is led to sign in by a round, and its call goes on as it came", async () => {
  await configureServers({ own: { url, auth, protocol: "2026" } });
  const made = new StatelessClient("own", { key, send: brief });
  const options = { capabilities: { elicitation: { url: {} } } };
  const asked = (await made.call({}, options)).result;
  expect(asked).toMatchObject({ resultType: "input_required" });
  const [[name, offer] = ["", undefined]] = Object.entries(asked?.inputRequests ?? {});
  expect(offer).toMatchObject({ method: "elicitation/create", params: { mode: "url", url: `${publicUrl}/inbox/connections` } });
  const back = (action: string) => ({ requestState: asked?.requestState, inputResponses: { [name]: { action } } });
  expect((await made.call(back("decline"), options)).result).toMatchObject({ isError: true, _meta: { "countersign/call": "signIn" } });
  // It opened the page, and nobody has signed in yet: it comes back, with nothing to answer.
  const waits = (await made.call(back("accept"), options)).result;
  expect(waits).toMatchObject({ resultType: "input_required" });
  expect(waits).not.toHaveProperty("inputRequests");
  expect(upstream.calls).toEqual([]);
  await connect();
  const last = await made.call({ requestState: waits?.requestState }, options);
  expect(last.result).toMatchObject({ content: [{ text: "done" }] });
  expect(upstream.calls).toHaveLength(1);
  expect(upstream.calls[0]?.text).not.toMatch(/requestState|inputResponses/);
});

describe("a token", () => {
  test("is renewed before it expires, once for all calls that wait, and its refresh token with it", async () => {
    await connect();
    const made = await connected();
    travel(3_600_000);
    const held = Promise.withResolvers<void>();
    login.held = held.promise;
    const calls = [1, 2, 3, 4, 5].map((id) => made.call(id));
    await eventually("a renewal", async () => login.asked.length > 1);
    held.resolve();
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(login.asked.map((body) => body.get("grant_type"))).toEqual(["authorization_code", "refresh_token"]);
    expect(login.asked[1]?.get("resource")).toBe(url);
    travel(3_600_000);
    expect((await made.call(6)).status).toBe(200);
  });

  test("that the server refuses is renewed, and the call sent with the new one", async () => {
    await connect();
    const made = await connected();
    travel(60_000);
    login.good.clear();
    expect(await (await made.call(1)).json()).toMatchObject({ result: { content: [{ text: "done" }] } });
    expect(login.asked).toHaveLength(2);
  });

  test("outlives an authorization server that does not answer, and is good to its end", async () => {
    await connect();
    const made = await connected();
    login.fails = 503;
    travel(3_600_000 - 20_000);
    expect((await made.call(1)).status).toBe(200);
    travel(20_000);
    expect(await (await made.call(2)).text()).toContain("cannot be renewed now");
    login.fails = null;
    expect((await made.call(3)).status).toBe(200);
  });

  test("is not sent to an entry that was changed", async () => {
    await connect();
    const sent = upstream.calls.length;
    await configureServers({ own: { url: `${upstreamOrigin}/other`, auth } });
    travel(60_000);
    expect((await client().connect()).status).toBe(200);
    expect(upstream.calls).toHaveLength(sent);
    expect(await ada.text("/inbox/connections")).toContain("not connected");
  });

  test("is not sent after a redirect", async () => {
    await connect();
    const made = await connected();
    const elsewhere: string[] = [];
    answerAt("https://elsewhere.example.com", (request) => (elsewhere.push(request.url), new Response()));
    answerAt(upstreamOrigin, () => new Response(null, { status: 307, headers: { Location: "https://elsewhere.example.com/mcp" } }));
    expect((await made.call(1)).status).toBe(502);
    expect(elsewhere).toEqual([]);
  });
});

describe("attacks", () => {
  test("a code of another authorization server is sent to none: the issuer is another", async () => {
    const { to } = await begin();
    const back = login.visit(to ?? "");
    back.searchParams.set("iss", "https://evil.example.com");
    expect((await comeBack(back)).html).toContain("another server answered");
    const { to: again } = await begin();
    const without = login.visit(again ?? "");
    without.searchParams.delete("iss");
    expect((await comeBack(without)).html).toContain("another server answered");
    expect(login.asked).toEqual([]);
  });

  test("a state is good once, in the session that began it, and for its person alone", async () => {
    const { to } = await begin();
    const back = login.visit(to ?? "");
    const grace = new InboxBrowser();
    await grace.signIn(addresses.Grace);
    expect((await comeBack(back, grace)).html).toContain("Nothing was connected");
    const other = new InboxBrowser();
    await other.signIn(addresses.Ada);
    expect((await comeBack(back, other)).html).toContain("Nothing was connected");
    expect(login.asked).toEqual([]);
    expect((await comeBack(back)).html).toContain("is connected");
    expect((await comeBack(back)).html).toContain("Nothing was connected");
    expect((await ada.get("/inbox/connections/return/own?state=made-up&code=x")).status).toBe(404);
  });

  test("a code that an honest server gave never goes to the server that had a person fetch it (mix-up)", async () => {
    const evilOrigin = "https://evil.example.com";
    const evil = scriptLoginServer(evilOrigin);
    // Neither says who it is: nothing but the address that is come back to tells them apart.
    for (const each of [login, evil]) each.metadata = { authorization_response_iss_parameter_supported: undefined };
    const tools = "https://tools.example.com";
    await configureServers({ own: { url, auth }, evil: { url: `${tools}/mcp`, auth } });
    answerAt(tools, ({ url: asked }) =>
      asked.includes("/.well-known/")
        ? Response.json({ resource: `${tools}/mcp`, authorization_servers: [evilOrigin] })
        : new Response(null, { status: 401 }),
    );
    const honest = new URL((await begin()).to ?? "");
    const asked = new URL((await begin("evil")).to ?? "");
    expect(asked.origin).toBe(evilOrigin);
    // The attacker's sign-in leads on to the honest one, as the gateway's client there.
    honest.searchParams.set("state", asked.searchParams.get("state") ?? "");
    honest.searchParams.set("code_challenge", asked.searchParams.get("code_challenge") ?? "");
    const back = login.visit(honest.href);
    back.searchParams.delete("iss");
    expect((await ada.get(back.pathname + back.search)).status).toBe(404);
    // Nor where the form is sent by hand, past that page.
    const form = await ada.form("/inbox/connections");
    for (const name of ["state", "code"]) form.set(name, back.searchParams.get(name) ?? "");
    expect((await ada.post(back.pathname, form)).status).toBe(404);
    expect([login.asked, evil.asked]).toEqual([[], []]);
  });

  test("a login of one person is no other's, and of one server no other's", async () => {
    await configureServers({ own: { url, auth }, second: { url: `${upstreamOrigin}/second`, auth } });
    await connect();
    const sent = upstream.calls.length;
    const { key: graces } = await createKey({ name: "grace", owner: "Grace" });
    await client({ key: graces }).connect();
    await client({ server: "second" }).connect();
    expect(upstream.calls).toHaveLength(sent);
  });

  test("a login is not used for whoever has its person's name in the policy next, with another address", async () => {
    await connect();
    await connected();
    const successor = "successor@example.org";
    await configureInbox({}, [{ name: "Ada", email: successor }]);
    // The key is of the owner with that name, as before.
    const refusal = await eventually("the refusal", async () => {
      const text = await (await client().connect()).text();
      return text.includes(`${publicUrl}/inbox/connections`) ? text : null;
    });
    expect(refusal).not.toContain("ada-l");
    const next = new InboxBrowser();
    await next.signIn(successor);
    expect(await next.text("/inbox/connections")).toContain("not connected");
    const sent = upstream.calls.length;
    await client().connect();
    expect(upstream.calls).toHaveLength(sent);
  });

  test.each<[string, () => void]>([
    ["a token endpoint inside", () => (login.metadata = { token_endpoint: "https://10.0.0.1/token" })],
    ["a token endpoint without TLS", () => (login.metadata = { token_endpoint: "http://auth.example.com/token" })],
    ["an authorization endpoint that is a script", () => (login.metadata = { authorization_endpoint: "javascript:alert(1)" })],
    ["another issuer", () => (login.metadata = { issuer: "https://evil.example.com" })],
    ["no PKCE", () => (login.metadata = { code_challenge_methods_supported: undefined })],
    ["an authorization server inside", () => (resource["authorization_servers"] = ["https://192.168.0.1"])],
    ["another server's resource", () => (resource["resource"] = "https://other.example.com/mcp")],
  ])("metadata with %s leads nowhere", async (_, change) => {
    change();
    const { to, html } = await begin();
    expect(to).toBeNull();
    expect(html).toMatch(/cannot be used|another server answered/);
    expect(login.asked).toEqual([]);
  });
});
