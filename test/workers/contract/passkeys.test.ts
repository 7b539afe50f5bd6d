// A reviewer's passkeys: who adds one, by what, and that nothing else does.

import { beforeEach, describe, expect, test } from "vitest";
import { jsonOf } from "../../../shared/json/json-of.ts";
import { addressDigest, inboxNameOf } from "../../../shared/review/inbox.ts";
import { inboxStub } from "../../../workers/stubs/stubs.ts";
import { Authenticator, type Faults } from "../../support/authenticator.ts";
import type { ReviewerList } from "../../../workers/endpoints/admin/answers/reviewers.ts";
import { adminJson, env, publicUrl, travel } from "../support/gateway.ts";
import { atConsole } from "../support/console.ts";
import { InboxBrowser, addresses, configureInbox, newestSignInLink } from "../support/inbox.ts";
import { addPasskey, addingForm, withPasskey } from "../support/passkeys.ts";
import { recordLines } from "../support/record.ts";

let ada: InboxBrowser;
let passkey: Authenticator;
beforeEach(async () => {
  await configureInbox({}, [
    { name: "Ada", email: addresses.Ada },
    { name: "Grace", email: addresses.Grace },
  ]);
  ada = new InboxBrowser();
  await ada.signIn(addresses.Ada);
  passkey = await Authenticator.at(publicUrl);
});

const minute = 60_000;

describe("a reviewer adds a passkey", () => {
  test("just after they signed in, and the record has its key", async () => {
    const answer = await addPasskey(ada, passkey);
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, `${publicUrl}${ada.home}/passkeys?added`]);
    expect(await ada.text("/inbox/passkeys")).toContain("My phone");
    const added = (await recordLines()).find(({ fact }) => fact.kind === "passkeyAdded");
    expect(added?.fact).toMatchObject({
      reviewer: "Ada",
      by: { kind: "inbox", email: addresses.Ada },
      passkey: passkey.id,
      publicKey: expect.stringMatching(/^[\w-]{90,}$/) as string,
    });
    const grace = new InboxBrowser();
    await grace.signIn(addresses.Grace);
    expect(await grace.text("/inbox/passkeys")).not.toContain("My phone");
  });

  const other = "https://evil.example.com";
  const faults: readonly [string, Faults][] = [
    ["for another challenge", { challenge: "AAAA" }],
    ["on a page of another site", { origin: other }],
    ["for another site", { rpId: "evil.example.com" }],
    ["whose user was not verified", { flags: 1 }],
    ["whose user was not there", { flags: 4 }],
    ["that is a signature, and no new passkey", { type: "webauthn.get" }],
  ];
  test.each(faults)("and none %s", async (_, each) => {
    const answer = await addPasskey(ada, passkey, { faults: each });
    expect([answer.status, (await answer.text()).includes("what the browser sent is no new passkey")]).toEqual([422, true]);
    expect(await ada.text("/inbox/passkeys")).toContain("You have none.");
  });

  test("not long after they signed in, nor by a page that was open for long, nor for another session", async () => {
    const form = await addingForm(ada, passkey);
    travel(5 * minute + 1_000);
    expect((await ada.post("/inbox/passkeys", form)).status).toBe(422);
    travel(5 * minute);
    expect(await ada.text("/inbox/passkeys")).toContain("Sign out and in again to add one");
    const again = new InboxBrowser();
    await again.signIn(addresses.Ada);
    const fresh = await addingForm(again, passkey);
    expect((await ada.post("/inbox/passkeys", fresh)).status).toBe(403);
    expect((await again.post("/inbox/passkeys", fresh, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect(await again.text("/inbox/passkeys")).toContain("You have none.");
  });

  test("just after they signed in again, which leads back to this page", async () => {
    travel(11 * minute);
    const left = await ada.post("/inbox/sign-out", await ada.form("/inbox/passkeys", "leave"));
    expect(left.headers.get("Location")).toBe(`${publicUrl}/inbox/passkeys`);
    ada.home = "/inbox";
    await ada.ask(addresses.Ada, "/inbox/passkeys");
    const entered = await ada.enter(await newestSignInLink(addresses.Ada, 2));
    expect(entered.headers.get("Location")).toBe(`${publicUrl}${ada.home}/passkeys`);
    expect((await addPasskey(ada, passkey)).status).toBe(303);
  });

  test("a further one only with one that they have: a fresh sign-in is not enough", async () => {
    const first = await withPasskey(ada);
    const again = new InboxBrowser();
    await again.signIn(addresses.Ada);
    const stranger = await Authenticator.at(publicUrl);
    for (const adding of [
      {},
      { by: passkey },
      { by: stranger },
      { by: first, byFaults: { flags: 1 } },
      { by: first, byFaults: { challenge: "AAAA" } },
    ]) {
      const answer = await addPasskey(again, passkey, adding);
      expect([answer.status, (await answer.text()).includes("no passkey of yours confirmed it")]).toEqual([422, true]);
    }
    travel(30 * minute);
    expect((await addPasskey(ada, passkey, { by: first })).status).toBe(303);
    // A copy that counts from before is found.
    const third = await Authenticator.at(publicUrl);
    expect((await addPasskey(ada, third, { by: first, byFaults: { counter: 1 } })).status).toBe(422);
  });

  test("a further one is looked at again where it is stored: one of two at once may have come first", async () => {
    const first = await withPasskey(ada);
    const inbox = inboxStub(env, inboxNameOf("Ada"));
    const address = addressDigest(addresses.Ada);
    const made = { id: "another", publicKey: "AAAA", counter: 0, isSynced: false, name: "Another", transports: [] };
    for (const [nonce, confirmed] of [
      ["n1", null],
      ["n2", { id: first.id, counter: first.counter }],
      ["n3", { id: "another", counter: 9 }],
    ] as const)
      expect(await inbox.addPasskey(jsonOf({ address, nonce, passkey: made, confirmed }))).toBe("notConfirmed");
    const confirmed = { id: first.id, counter: first.counter + 1 };
    expect(await inbox.addPasskey(jsonOf({ address, nonce: "n4", passkey: made, confirmed }))).toBe("added");
  });

  test("once by each form, and each passkey once; the record has it once", async () => {
    const form = await addingForm(ada, passkey);
    expect((await ada.post("/inbox/passkeys", form)).status).toBe(303);
    expect((await ada.post("/inbox/passkeys", form)).status).toBe(422);
    expect((await ada.text("/inbox/passkeys")).match(/My phone/g)).toHaveLength(1);
    expect((await recordLines()).filter(({ fact }) => fact.kind === "passkeyAdded")).toHaveLength(1);
  });
});

describe("an operator removes a passkey that is lost", () => {
  test("at the console, which the record says; then its reviewer adds another after a sign-in", async () => {
    await withPasskey(ada);
    const console = await atConsole();
    expect((await console.get("reviewers")).text).toContain("Remove passkey My phone");
    const { reviewers } = await adminJson<ReviewerList>("/reviewers");
    const { id = "" } = reviewers.find(({ name }) => name === "Ada")?.passkeys[0] ?? {};
    await console.post("reviewers", { passkey: id, of: "Ada" });
    expect(await ada.text("/inbox/passkeys")).toContain("You have none.");
    const removed = (await recordLines()).find(({ fact }) => fact.kind === "passkeyRemoved");
    expect(removed?.fact).toMatchObject({ reviewer: "Ada", passkey: id });
    expect((await addPasskey(ada, passkey)).status).toBe(303);
  });
});
