// Push notices: somebody who has the gateway post to another place, or who wants another person's
// notices; and push services that redirect, hold on, or answer too much.

import { expect } from "vitest";
import { inboxNameOf } from "../../../shared/review/inbox.ts";
import { type PushDevice, base64url, openMessage } from "../../support/push-service.ts";
import { InboxPerson } from "../../outside/support/inbox-person.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { nextPlace } from "../channels.ts";
import { nameAt, pushAddress } from "../documents.ts";
import { insideHosts } from "../inside-hosts.ts";
import { type Opened, factsOf, opened, press, rpcOf, samplingMessage } from "../people.ts";
import { type World, startWorld } from "../world.ts";

type Fields = Readonly<Record<string, string>>;
type Owner = { readonly place: number; readonly name: string; readonly browser: InboxPerson };

const newSecret = (): string => base64url(crypto.getRandomValues(new Uint8Array(32)));

/** A reviewer whom no other attack notifies, signed in. */
async function newOwner(world: World, publicUrl?: string): Promise<Owner> {
  const place = nextPlace("push");
  const browser = new InboxPerson(world.url, publicUrl);
  await browser.signIn(world.mail, pushAddress(place));
  return { place, name: nameAt("push", place), browser };
}

const pairs = new WeakMap<World, Promise<readonly [Owner, Owner]>>();

/** Two reviewers without any device, for what must be refused. */
function pair(world: World): Promise<readonly [Owner, Owner]> {
  const known = pairs.get(world) ?? newOwner(world).then(async (first) => [first, await newOwner(world)] as const);
  pairs.set(world, known);
  return known;
}

const inboxOf = async ({ browser }: Owner): Promise<string> => (await browser.send("/inbox")).text();
const nonceOf = async (owner: Owner): Promise<string> =>
  /id="devices".*?name="nonce" value="([^"]+)"/s.exec(await inboxOf(owner))?.[1] ?? "";
/** Where the form of this reader's own page leads. */
const actionOf = async (owner: Owner): Promise<string> => /action="([^"]+\/devices)"/.exec(await inboxOf(owner))?.[1] ?? "";
const devicesOf = async (owner: Owner): Promise<string[]> =>
  [...(await inboxOf(owner)).matchAll(/<li data-device="([^"]+)"/g)].map(([, id]) => id ?? "");

/** What the press of the button came to, as the inbox says it; otherwise the status. */
async function turnOn({ browser }: Owner, nonce: string, given: Fields, headers: Fields = {}): Promise<string | number> {
  const answer = await browser.post("/inbox/devices", new URLSearchParams({ nonce, act: "on", secret: newSecret(), ...given }), headers);
  return answer.status === 303 ? (/[?&]device=(\w+)/.exec(answer.headers.get("Location") ?? "")?.[1] ?? "") : answer.status;
}

const keysOf = ({ endpoint, p256dh, auth }: PushDevice): Fields => ({ endpoint, p256dh, auth });

/** A device of this owner, that is on. */
async function newDevice(world: World, owner: Owner, more: Fields = {}): Promise<PushDevice> {
  const device = await world.push.subscribe(`attacked-${owner.place}-${crypto.randomUUID()}`);
  expect(await turnOn(owner, await nonceOf(owner), { ...keysOf(device), ...more }), "turning on: the attack shows nothing").toBe("on");
  return device;
}

const asked = (world: World, { place }: Owner, text?: string): Promise<Opened> =>
  opened(world, { server: `by-push-${place}`, ...(text === undefined ? {} : { text }) });

const takenBy = (world: World, { name }: PushDevice) => world.push.taken.find(({ device }) => device === name);
const requestsTo = (world: World, { endpoint }: PushDevice) =>
  world.push.requests.filter(({ url }) => new URL(url).pathname === new URL(endpoint).pathname);

/** A subscription that must not be taken. */
async function mustRefuse(world: World, given: Fields): Promise<void> {
  const [owner] = await pair(world);
  const before = await devicesOf(owner);
  const device = await world.push.subscribe("refused");
  expect(await turnOn(owner, await nonceOf(owner), { ...keysOf(device), ...given }), "what the inbox says").toBe("refused");
  expect(await devicesOf(owner), "its devices").toEqual(before);
}

const addresses = eachOf(
  [
    "http://push.example.com/a",
    "https://push.example.com:8443/a",
    "https://push.example.com:80/a",
    "https://user@push.example.com/a",
    "https://user:pass@push.example.com/a",
    "https://10.0.0.1@push.example.com/a",
    "https://push.example.com/a#b",
    "https://10.0.0.1/a",
    "https://169.254.169.254/latest/meta-data",
    "https://[fd00:ec2::254]/a",
    "https://0xa9fea9fe/a",
    "https://push.internal./a",
    "ftp://push.example.com/a",
    "wss://push.example.com/a",
    "file:///etc/passwd",
    "data:text/plain,a",
    "javascript:1",
    "blob:https://push.example.com/a",
    "//push.example.com/a",
    "",
  ],
  (endpoint) => ({
    name: `a device at ${JSON.stringify(endpoint)} is not turned on`,
    run: (world) => mustRefuse(world, { endpoint }),
  }),
);

const point = (bytes: number, first: number): string => base64url(new Uint8Array(bytes).fill(first));

const wrongKeys = eachOf(
  [
    ["an address of 3,000 characters", { endpoint: `https://push.example.com/${"a".repeat(3_000)}` }],
    ["a point that is on no curve", { p256dh: point(65, 4) }],
    ["the point at infinity", { p256dh: point(1, 0) }],
    ["a compressed point", { p256dh: point(33, 2) }],
    ["no point", { p256dh: "" }],
    ["a secret of 15 bytes", { auth: point(15, 1) }],
    ["a secret of 17 bytes", { auth: point(17, 1) }],
    ["a word that anybody guesses for renewing it", { secret: "password" }],
  ] as const,
  ([what, given]) => ({ name: `a device with ${what} is not turned on`, run: (world) => mustRefuse(world, given) }),
);

const published: Attack = {
  name: "a gateway that others reach turns no device on at a host inside, however it is spelled, and renews none to there",
  run: async () => {
    const publicUrl = "https://reviews.example.com";
    const world = await startWorld({ PUBLIC_URL: publicUrl });
    try {
      const owner = await newOwner(world, publicUrl);
      const nonce = await nonceOf(owner);
      const keys = keysOf(await world.push.subscribe("inside"));
      const secret = newSecret();
      expect(await turnOn(owner, nonce, { ...keys, endpoint: "https://push.example.com/a", secret }), "a host outside").toBe("on");
      const before = await devicesOf(owner);
      const token = `${inboxNameOf(owner.name)}.${secret}`;
      for (const endpoint of [world.push.origin, world.trap.url, ...insideHosts.map((host) => `https://${host}`)]) {
        expect(await turnOn(owner, nonce, { ...keys, endpoint: `${endpoint}/a` }), endpoint).toBe("refused");
        const renewed = await owner.browser.post(
          "/inbox/devices/renew",
          new URLSearchParams({ ...keys, token, endpoint: `${endpoint}/a` }),
        );
        expect(renewed.status, `renewed to ${endpoint}: the status`).toBe(404);
      }
      expect(await devicesOf(owner), "its devices").toEqual(before);
      expect(world.trap.reached, "what reached the server inside").toEqual([]);
    } finally {
      await world.close();
    }
  },
};

const crossSite: Attack = {
  name: "a page of another site turns no device on or off with the person's own browser, and neither does a GET",
  run: async (world) => {
    const owner = await newOwner(world);
    await newDevice(world, owner);
    const [id = ""] = await devicesOf(owner);
    const nonce = await nonceOf(owner);
    const keys = keysOf(await world.push.subscribe("the-attackers"));
    for (const headers of [
      { Origin: "https://evil.example" },
      { Origin: "null" },
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
    ]) {
      expect(await turnOn(owner, nonce, keys, headers), `${JSON.stringify(headers)}: on`).toBe(403);
      expect(await turnOn(owner, nonce, { act: "off", device: id }, headers), `${JSON.stringify(headers)}: off`).toBe(403);
    }
    expect(await turnOn(owner, "", keys), "without a nonce").toBe(403);
    for (const act of ["on", "off"]) {
      const query = new URLSearchParams({ ...keys, nonce, act, device: id, secret: newSecret() });
      expect((await owner.browser.send(`/inbox/devices?${query}`)).status, `a GET that says ${act}`).toBe(405);
    }
    expect(await devicesOf(owner), "its devices").toEqual([id]);
  },
};

const another: Attack = {
  name: "nobody turns a device on or off in another person's inbox: by its nonce, its address or its device's name",
  run: async (world) => {
    const [[stranger], owner] = [await pair(world), await newOwner(world)];
    const device = await newDevice(world, owner);
    const [id = ""] = await devicesOf(owner);
    const had = await devicesOf(stranger);
    const [nonce, own, action] = [await nonceOf(owner), await nonceOf(stranger), await actionOf(owner)];
    const keys = keysOf(await world.push.subscribe("the-strangers"));
    const send = async (by: InboxPerson, path: string, fields: Fields): Promise<number> =>
      (await by.post(path, new URLSearchParams({ secret: newSecret(), ...fields }))).status;
    for (const fields of [
      { ...keys, act: "on" },
      { act: "off", device: id },
    ]) {
      expect(await send(stranger.browser, "/inbox/devices", { nonce, ...fields }), "with the owner's nonce").toBe(403);
      expect(await send(new InboxPerson(world.url), action, { nonce, ...fields }), "in nobody's browser").toBe(403);
      for (const each of [nonce, own]) expect(await send(stranger.browser, action, { nonce: each, ...fields }), "at its address").toBe(403);
    }
    // In their own inbox, the other's device is nothing.
    await send(stranger.browser, "/inbox/devices", { nonce: own, act: "off", device: id });
    expect([await devicesOf(owner), await devicesOf(stranger)], "the devices").toEqual([[id], had]);
    const review = await asked(world, owner);
    await until("the notice", () => takenBy(world, device));
    await press(world, review.link, "deny");
    await review.answer;
  },
};

const renewals: Attack = {
  name: "a subscription is renewed with its own secret alone, once, and from no other site",
  run: async (world) => {
    const [[stranger], owner] = [await pair(world), await newOwner(world)];
    const secret = newSecret();
    await newDevice(world, owner, { secret });
    const [id = ""] = await devicesOf(owner);
    const [mine, theirs] = [inboxNameOf(owner.name), inboxNameOf(stranger.name)];
    const keys = keysOf(await world.push.subscribe("the-thiefs"));
    const thief = new InboxPerson(world.url);
    const renew = async (token: string, headers: Fields = {}): Promise<number> =>
      (await thief.post("/inbox/devices/renew", new URLSearchParams({ ...keys, token }), headers)).status;
    for (const token of [
      "",
      ".",
      secret,
      `${mine}.`,
      `${mine}.${newSecret()}`,
      `${mine}.${id}`,
      `${mine}.${secret.slice(0, -1)}`,
      `${theirs}.${secret}`,
      `__proto__.${secret}`,
      `${mine}.%27 OR 1=1 --`,
    ])
      expect(await renew(token), JSON.stringify(token)).toBe(404);
    for (const headers of [{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }])
      expect(await renew(`${mine}.${secret}`, headers), JSON.stringify(headers)).toBe(403);
    const query = new URLSearchParams({ ...keys, token: `${mine}.${secret}` });
    expect((await thief.send(`/inbox/devices/renew?${query}`)).status, "a GET").toBe(405);
    expect(await devicesOf(owner), "its devices").toEqual([id]);
  },
};

const flood: Attack = {
  name: "40 presses at once turn on no more devices than a person may have",
  run: async (world) => {
    const owner = await newOwner(world);
    await newDevice(world, owner);
    const nonce = await nonceOf(owner);
    const devices = await Promise.all(Array.from({ length: 40 }, (_, n) => world.push.subscribe(`flood-${n}`)));
    const said = await Promise.all(devices.map((device) => turnOn(owner, nonce, keysOf(device))));
    expect((await devicesOf(owner)).length, "its devices").toBe(20);
    expect(said.filter((each) => each === "full").length, "presses that were refused").toBe(21);
  },
};

const services: Attack = {
  name: "push services that redirect inside, hold the connection or answer 40 MB stop nothing, and are led nowhere",
  run: async (world) => {
    const owner = await newOwner(world);
    const headers = { Location: `${world.trap.url}/latest/meta-data` };
    const body = "x".repeat(40_000_000);
    const devices: PushDevice[] = [];
    for (const step of [
      { status: 301, headers },
      { status: 303, headers },
      { status: 307, headers },
      { status: 308, headers },
      "slow",
      { status: 201, body },
      { status: 400, body },
    ] as const) {
      const device = await newDevice(world, owner);
      world.push.script(device, step);
      devices.push(device);
    }
    const plain = await newDevice(world, owner);
    const review = await asked(world, owner);
    await until("the notice on the device whose service is well", () => takenBy(world, plain));
    await until("a request to each", () => devices.every((device) => requestsTo(world, device).length > 0));
    expect((await press(world, review.link, "approve")).status, "the decision").toBe(303);
    expect(rpcOf(await review.answer).result, "the caller's answer").toBeDefined();
    expect(world.trap.reached, "what reached the server inside").toEqual([]);
  },
};

const sealed: Attack = {
  name: "a message is opened by its own device's keys alone, and the push service sees nothing of the review",
  run: async (world) => {
    const mark = `mark-${crypto.randomUUID()}`;
    const owner = await newOwner(world);
    const [phone, laptop] = [await newDevice(world, owner), await newDevice(world, owner)];
    const review = await asked(world, owner, mark);
    await until("the notices", () => takenBy(world, phone) !== undefined && takenBy(world, laptop) !== undefined);
    expect(takenBy(world, phone)?.notice.body, "the notice has no content: the attack shows nothing").toContain(mark);
    const sent = requestsTo(world, phone)[0];
    if (sent === undefined) throw new Error("nothing was posted");
    expect(await openMessage(sent.body, phone.keys), "what its own keys open").toContain(mark);
    for (const keys of [laptop.keys, { ...phone.keys, auth: laptop.keys.auth }, { ...laptop.keys, auth: phone.keys.auth }])
      await expect(openMessage(sent.body, keys), "another device's keys").rejects.toThrow();
    const other = requestsTo(world, laptop)[0];
    expect(other?.body.length, "the length of each message").toBe(sent.body.length);
    for (const { body, url, headers } of [...requestsTo(world, phone), ...requestsTo(world, laptop)]) {
      const seen = url + JSON.stringify([...headers]) + Buffer.from(body).toString("latin1");
      for (const hidden of [mark, review.run, "/r/", owner.name, pushAddress(owner.place)])
        expect(seen, "what is seen").not.toContain(hidden);
    }
    await press(world, review.link, "deny");
    await review.answer;
  },
};

const signedIn: Attack = {
  name: "a notice of a review that only who is signed in decides has no content, and its link is nothing to anybody else",
  run: async (world) => {
    const mark = `mark-${crypto.randomUUID()}`;
    const [[stranger], owner] = [await pair(world), await newOwner(world)];
    const device = await newDevice(world, owner);
    const body = samplingMessage({ server: `signed-in-${owner.place}`, text: mark });
    const { headers } = await world.ask("/sampling", { body, headers: { Prefer: "respond-async" } });
    const run = (headers.get("Location") ?? "").slice("/runs/".length);
    const { notice } = await until("the notice", () => takenBy(world, device));
    expect(JSON.stringify(notice), "the notice").not.toContain(mark);
    const path = new URL(notice.url).pathname;
    expect(await (await owner.browser.send(path)).text(), "the owner does not see it: the attack shows nothing").toContain(mark);
    for (const [whose, browser] of [
      ["another reviewer's", stranger.browser],
      ["nobody's", new InboxPerson(world.url)],
    ] as const) {
      const html = await (await browser.send(path)).text();
      for (const hidden of [mark, 'value="approve"']) expect(html, `the page in ${whose} browser`).not.toContain(hidden);
      const fields = new URLSearchParams({ act: "approve", version: "0", digest: "x", nonce: "x" });
      expect((await browser.post(path, fields)).status, `a decision in ${whose} browser`).toBeGreaterThanOrEqual(400);
    }
    const facts = await factsOf(world, run);
    expect(
      facts.filter(({ kind }) => ["approved", "denied", "voted"].includes(kind)),
      "decisions",
    ).toEqual([]);
  },
};

export const push: Area = {
  name: "push",
  about: "push notices: devices of others and at addresses inside, keys, floods, and hostile push services",
  attacks: [...addresses, ...wrongKeys, published, crossSite, another, renewals, flood, services, sealed, signedIn],
};
