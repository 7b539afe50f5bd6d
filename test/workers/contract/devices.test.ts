// Push notices from a press in the inbox to the decision: which devices are on and for whom, what
// the policy says of it, and what a review's notice is and becomes.

import { beforeEach, describe, expect, test } from "vitest";
import { addressDigest, inboxNameOf } from "../../../shared/review/inbox.ts";
import { configStub, inboxStub } from "../../../workers/stubs/stubs.ts";
import { type PushDevice, ScriptedPushService, base64url } from "../../support/push-service.ts";
import { recordOf } from "../objects/inside.ts";
import { configure, env, eventually, gateway, gatewayWith, adminToken, jsonBody, policy, publicUrl } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox, waits } from "../support/inbox.ts";
import { promptMarker } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";
import { press } from "../support/reviewer.ts";

const origin = "https://push.example.com";
const { Ada: ada, Grace: grace } = addresses;
const both = [
  { name: "Ada", email: ada, notify: ["email"] },
  { name: "Grace", email: grace },
];
let service: ScriptedPushService;
let browser: InboxBrowser;

beforeEach(async () => {
  service = new ScriptedPushService(origin);
  await configureInbox({ noticeExcerpt: "start" }, both);
  answerAt(origin, service.answer);
  browser = new InboxBrowser();
  await browser.signIn(ada);
});

const secretOf = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

async function nonceIn(of: InboxBrowser): Promise<string> {
  const html = await of.text("/inbox");
  return /id="devices".*?name="nonce" value="([^"]+)"/s.exec(html)?.[1] ?? "";
}

/** Presses the button of the inbox with this subscription: what the inbox then says of it. */
async function turnOn(of: InboxBrowser, subscription: Partial<PushDevice>, secret = secretOf()): Promise<string> {
  const { endpoint = "", p256dh = "", auth = "" } = subscription;
  const fields = new URLSearchParams({ nonce: await nonceIn(of), act: "on", endpoint, p256dh, auth, secret });
  const answer = await of.post("/inbox/devices", fields, {
    Origin: publicUrl,
    "User-Agent": "Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0",
  });
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get("Location") ?? "").searchParams.get("device") ?? "";
}

async function subscribe(name: string): Promise<PushDevice> {
  return service.subscribe(name, await configStub(env).pushKey());
}

const entryOf = async (name: string): Promise<Record<string, unknown> | undefined> => {
  const current = await configStub(env).current("policy");
  const written = JSON.parse(current?.text ?? "{}") as { reviewers: Record<string, Record<string, unknown>[]> };
  return written.reviewers["everyone"]?.find((each) => each["name"] === name);
};
const devicesIn = async (of: InboxBrowser): Promise<string[]> =>
  [...(await of.text("/inbox")).matchAll(/<li data-device="([^"]+)"/g)].map(([, id]) => id ?? "");

test("the gateway's key is made by the press that asks for it, and by no look at the inbox", async () => {
  expect(await browser.text("/inbox")).toContain('id="device-on"');
  const nonce = await nonceIn(browser);
  expect(await configStub(env).hasPushKey()).toBe(false);
  expect((await browser.post("/inbox/devices", new URLSearchParams({ nonce: "x", act: "key" }))).status).toBe(403);
  expect(await configStub(env).hasPushKey()).toBe(false);
  const answer = await browser.post("/inbox/devices", new URLSearchParams({ nonce, act: "key" }));
  expect([answer.status, await answer.text()]).toEqual([200, await configStub(env).pushKey()]);
});

describe("a device", () => {
  test("that is turned on is in the policy and first of its person's channels; the last one that is turned off is not", async () => {
    expect(await turnOn(browser, await subscribe("phone"))).toBe("on");
    expect(await turnOn(browser, await subscribe("laptop"))).toBe("on");
    expect(await entryOf("Ada")).toMatchObject({ push: "on", notify: ["push", "email"] });
    expect(await browser.text("/inbox")).toContain("Firefox · Android");
    for (const id of await devicesIn(browser)) {
      expect(await entryOf("Ada")).toMatchObject({ push: "on" });
      const fields = new URLSearchParams({ nonce: await nonceIn(browser), act: "off", device: id });
      expect((await browser.post("/inbox/devices", fields)).headers.get("Location")).toContain("device=off");
    }
    expect(await devicesIn(browser)).toEqual([]);
    const entry = await entryOf("Ada");
    expect([entry?.["push"], entry?.["notify"]]).toEqual([undefined, ["email"]]);
  });

  test.each([
    ["no https", { endpoint: "http://push.example.com/a" }],
    ["a private address", { endpoint: "https://10.1.2.3/a" }],
    ["the machine's metadata", { endpoint: "https://169.254.169.254/latest" }],
    ["a private IPv6 address", { endpoint: "https://[fd00::1]/a" }],
    ["a name inside", { endpoint: "https://push.internal/a" }],
    ["another port", { endpoint: "https://push.example.com:8443/a" }],
    ["a user name", { endpoint: "https://user@push.example.com/a" }],
    ["no address", { endpoint: "javascript:alert(1)" }],
    ["a point that is on no curve", { p256dh: base64url(new Uint8Array(65).fill(4)) }],
    ["a short secret", { auth: "AAAA" }],
  ])("with %s is refused, and nothing is posted there", async (_what, wrong) => {
    expect(await turnOn(browser, { ...(await subscribe("phone")), ...wrong })).toBe("refused");
    expect([await devicesIn(browser), (await entryOf("Ada"))?.["push"], service.requests]).toEqual([[], undefined, []]);
  });

  test("is its person's alone: another sees none of it, turns none of it off, and 20 are the most", async () => {
    await turnOn(browser, await subscribe("phone"));
    const [id = ""] = await devicesIn(browser);
    const other = new InboxBrowser();
    await other.signIn(grace);
    expect(await devicesIn(other)).toEqual([]);
    await other.post("/inbox/devices", new URLSearchParams({ nonce: await nonceIn(other), act: "off", device: id }));
    // Nor with a nonce of her own page in Ada's browser, or from another site.
    for (const [nonce, headers] of [
      [await nonceIn(other), { Origin: publicUrl }],
      [await nonceIn(browser), { Origin: "https://evil.example" }],
    ] as const)
      expect((await browser.post("/inbox/devices", new URLSearchParams({ nonce, act: "off", device: id }), headers)).status).toBe(403);
    expect(await devicesIn(browser)).toEqual([id]);
    for (let n = 1; n < 20; n += 1) expect(await turnOn(browser, await subscribe(`device${n}`))).toBe("on");
    expect(await turnOn(browser, await subscribe("onetoomany"))).toBe("full");
    expect(await devicesIn(browser)).toHaveLength(20);
  });

  test("is neither listed nor changed for a session that there is not", async () => {
    await turnOn(browser, await subscribe("phone"));
    const [id = ""] = await devicesIn(browser);
    const stub = inboxStub(env, inboxNameOf("Ada"));
    const visitor = { address: addressDigest(ada), session: "none" };
    const { endpoint, p256dh, auth } = await subscribe("other");
    const device = { label: "", endpoint, p256dh, auth, secret: "s", key: "k" };
    expect(await Promise.all([stub.devices(visitor), stub.removeDevice(visitor, id), stub.addDevice(visitor, device)])).toEqual([
      null,
      null,
      null,
    ]);
    expect(await devicesIn(browser)).toEqual([id]);
  });

  test("gives a new subscription with its own secret, and with no other", async () => {
    const secret = secretOf();
    await turnOn(browser, await subscribe("phone"), secret);
    const next = await subscribe("renewed");
    const renew = async (token: string, { endpoint, p256dh, auth }: Partial<PushDevice> = next): Promise<number> => {
      const body = new URLSearchParams({ token, endpoint: endpoint ?? "", p256dh: p256dh ?? "", auth: auth ?? "" });
      return (await gateway("/inbox/devices/renew", { key: null, method: "POST", body, headers: { Origin: publicUrl } })).status;
    };
    const [inbox, other] = [inboxNameOf("Ada"), inboxNameOf("Grace")];
    expect(await Promise.all([`${inbox}.${secretOf()}`, `${other}.${secret}`, secret, ""].map((token) => renew(token)))).toEqual([
      404, 404, 404, 404,
    ]);
    expect(await renew(`${inbox}.${secret}`, { ...next, endpoint: "https://10.0.0.1/x" })).toBe(404);
    expect(await renew(`${inbox}.${secret}`)).toBe(204);
    expect(await devicesIn(browser)).toHaveLength(1);
    await waits();
    await eventually("the notice", async () => service.taken[0]?.device === "renewed");
  });

  test("is off once its person signs out everywhere", async () => {
    await turnOn(browser, await subscribe("phone"));
    const fields = await browser.form("/inbox", "leave");
    fields.set("act", "everywhere");
    await browser.post("/inbox/sign-out", fields);
    const again = new InboxBrowser();
    await again.signIn(ada);
    expect(await devicesIn(again)).toEqual([]);
  });
});

describe("a review", () => {
  test("is a notice on the device, with the content that notices may show, which opens it, and says at the end who decided", async () => {
    const phone = await subscribe("phone");
    await turnOn(browser, phone);
    const run = await waits(promptMarker);
    const shown = await eventually("the notice", async () => service.shown(phone)[0]);
    expect(shown.title).toMatch(/^notes · .+ asks /);
    expect(shown.body).toContain(promptMarker);
    expect((await press(shown.url, "approve")).status).toBe(303);
    const over = await eventually("the outcome", async () => service.shown(phone).find(({ quiet }) => quiet));
    expect(over).toMatchObject({ tag: shown.tag, url: `${publicUrl}/inbox` });
    expect([over.title.startsWith("Approved: "), over.body.includes("Ada")]).toEqual([true, true]);
    expect(service.shown(phone)).toHaveLength(1);
    await eventually("its lines in the record", async () =>
      (await recordOf(run)).some(({ fact }) => fact.kind === "noticed" && fact.channel === "push" && fact.state === "sent"),
    );
    // The push service saw nothing of it.
    for (const { body, url, headers } of service.requests) {
      const seen = url + JSON.stringify([...headers]) + new TextDecoder("latin1").decode(body);
      for (const hidden of [promptMarker, "notes", "/r/", run, "Ada"]) expect(seen).not.toContain(hidden);
    }
  });

  test("that only who is signed in may decide has no content in its notice, which opens the inbox's page", async () => {
    const phone = await subscribe("phone");
    await turnOn(browser, phone);
    const gate = { ...policy.default, response: "allow", deadlineSeconds: 7_200, identity: "signedIn" };
    await configure("policy", { ...policy, rules: [], default: gate, reviewers: { everyone: [{ name: "Ada", email: ada, push: "on" }] } });
    const run = await waits(promptMarker);
    const shown = await eventually("the notice", async () => service.shown(phone)[0]);
    expect(shown.body).not.toContain(promptMarker);
    expect(shown.url).toBe(`${publicUrl}/inbox/reviews/request/${run}`);
  });

  test("reaches by the next channel whom no device reaches any more", async () => {
    const phone = await subscribe("phone");
    await turnOn(browser, phone);
    service.script(phone, { status: 410 });
    const run = await waits();
    await eventually("the email", async () =>
      (await recordOf(run)).some(({ fact }) => fact.kind === "noticed" && fact.channel === "email" && fact.state === "sent"),
    );
    expect(await devicesIn(browser)).toEqual([]);
  });
});

test("an operator tests a reviewer's devices", async () => {
  const ask = async (): Promise<object> => {
    const answer = await gatewayWith({}, "/admin/channels/test", {
      ...jsonBody("POST", { reviewer: "Ada", channel: "push" }),
      key: adminToken,
    });
    return { status: answer.status, ...(await answer.json<object>()) };
  };
  expect(await ask()).toMatchObject({ status: 409 });
  await turnOn(browser, await subscribe("phone"));
  expect(await ask()).toMatchObject({ status: 200, state: "sent" });
  expect(service.taken[0]?.notice).toMatchObject({ title: "Test message from Countersign", url: `${publicUrl}/inbox` });
});

test("the app's files are the same for everybody, and the service worker stores nothing", async () => {
  const get = async (path: string) => {
    const answer = await gateway(path, { key: null });
    return { type: answer.headers.get("Content-Type"), cache: answer.headers.get("Cache-Control"), body: await answer.text() };
  };
  const worker = await get("/inbox/push.js");
  expect(worker).toMatchObject({ type: "text/javascript; charset=utf-8", cache: "no-cache" });
  expect(worker.body).not.toMatch(/caches|"fetch"/);
  const manifest = JSON.parse((await get("/inbox/app.webmanifest")).body) as { start_url: string; icons: { src: string }[] };
  expect(manifest.start_url).toBe("/inbox");
  for (const { src } of manifest.icons) expect((await get(src)).type).toBe("image/png");
  expect((await gateway("/inbox/icons/64.png", { key: null })).status).toBe(404);
});
