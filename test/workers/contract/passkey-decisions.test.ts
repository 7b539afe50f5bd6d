// Reviews whose approvals need the reviewer's passkey (`then.confirm`): what decides one, and that
// nothing else does, by any way that there is to decide.

import { createPublicKey, verify } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { type PasskeyProof, decisionDigest, passkeyChallenge } from "../../../shared/receipt/passkey-proof.ts";
import { approveAct, parseDecisionForm } from "../../../shared/review/form.ts";
import { submissionOf } from "../../../workers/endpoints/review/review.ts";
import { Authenticator, type Faults } from "../../support/authenticator.ts";
import { recordOf } from "../objects/inside.ts";
import { adminJson, eventually, gateway, policy, publicUrl, runReaches, travel } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox, readFor, waits } from "../support/inbox.ts";
import { addPasskey, confirmedForm, decisionForm, questionFor, withPasskey } from "../support/passkeys.ts";

const people = [
  { name: "Ada", email: addresses.Ada },
  { name: "Grace", email: addresses.Grace },
];
const pageOf = (run: string): string => `/inbox/reviews/request/${run}`;
const editOf = "edit:/messages/0/content/0/text";

let ada: InboxBrowser;
let passkey: Authenticator;
let run: string;
beforeEach(async () => {
  await configureInbox({ confirm: "passkey", reviewers: ["Ada", "Grace"] }, people);
  ada = new InboxBrowser();
  await ada.signIn(addresses.Ada);
  passkey = await withPasskey(ada);
  run = await waits();
});

const decided = async (of = run) =>
  (await recordOf(of)).map(({ fact }) => fact).filter((fact) => fact.kind === "approved" || fact.kind === "denied");

/** Sends a form after a person's second: its status, and what the page says. */
async function send(fields: URLSearchParams, by = ada): Promise<[number, string]> {
  readFor();
  const answer = await by.post(pageOf(run), fields);
  const [, said = ""] = /id="problem"[\s\S]*?<h2>([^<]*)/.exec(await answer.text()) ?? [];
  return [answer.status, said.split(".")[0] ?? ""];
}

const approval = (): Promise<URLSearchParams> => decisionForm(ada, pageOf(run), { act: approveAct(0) });
const notConfirmed = [403, "No passkey of yours confirmed this decision as it was sent"];

describe("a decision with a passkey", () => {
  test("counts, and the record and the receipt have what anybody can check", async () => {
    expect(await ada.text(pageOf(run))).toContain("Approving asks for your passkey");
    const fields = await confirmedForm(ada, pageOf(run), await approval(), passkey);
    expect((await send(fields))[0]).toBe(303);
    await runReaches(run, "completed");
    const [fact] = await decided();
    expect(fact).toMatchObject({ kind: "approved", by: "Ada", channel: "inbox", known: { how: "email" } });
    const { passkey: proof } = fact as unknown as { readonly passkey: PasskeyProof }; // as above
    expect(proof.credential).toBe(passkey.id);
    const client = Buffer.from(proof.clientDataJSON, "base64url");
    expect((JSON.parse(client.toString()) as { challenge: string }).challenge).toBe(passkeyChallenge(run, proof.signed));
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", client));
    const signed = Buffer.concat([Buffer.from(proof.authenticatorData, "base64url"), hash]);
    const { crv = "", kty = "", x = "", y = "" } = await passkey.publicJwk();
    const key = createPublicKey({ key: { crv, kty, x, y }, format: "jwk" }).export({ format: "pem", type: "spki" });
    expect(verify("sha256", signed, { key, dsaEncoding: "der" }, Buffer.from(proof.signature, "base64url"))).toBe(true);
    expect(await ada.text(pageOf(run))).toContain("confirmed with a passkey");
    const { receipt } = await eventually("the receipt", async () => adminReceipt());
    const [, payload = ""] = receipt.split(".");
    const { reviewers } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { reviewers: object[] };
    const { credential: _id, ...inReceipt } = proof;
    expect(reviewers).toEqual([expect.objectContaining({ amr: "webauthn", signIn: "email", passkey: inReceipt })]);
  });

  const faults: readonly [string, Faults][] = [
    ["over another challenge", { challenge: "AAAA" }],
    ["on another origin", { origin: "https://evil.example.com" }],
    ["for another site", { rpId: "evil.example.com" }],
    ["without a verified user", { flags: 1 }],
    ["whose counter went back", { counter: 1 }],
  ];
  test("does not count by a signature that is anything else, or of anybody else", async () => {
    for (const [name, each] of faults)
      expect([name, await send(await confirmedForm(ada, pageOf(run), await approval(), passkey, each))]).toEqual([name, notConfirmed]);
    const stranger = await Authenticator.at(publicUrl);
    expect(await send(await confirmedForm(ada, pageOf(run), await approval(), stranger))).toEqual(notConfirmed);
    // Another reviewer's passkey decides nothing here, and neither does their question.
    const grace = new InboxBrowser();
    await grace.signIn(addresses.Grace);
    const graces = await Authenticator.at(publicUrl);
    expect((await addPasskey(grace, graces)).status).toBe(303);
    expect(await send(await confirmedForm(ada, pageOf(run), await approval(), graces))).toEqual(notConfirmed);
    const hers = await confirmedForm(grace, pageOf(run), await decisionForm(grace, pageOf(run), { act: approveAct(0) }), graces);
    const mixed = await approval();
    for (const name of ["passkey", "passkey-nonce"]) mixed.set(name, hers.get(name) ?? "");
    expect(await send(mixed)).toEqual(notConfirmed);
    expect(await decided()).toEqual([]);
  });

  test("does not count over a nonce that the gateway did not make for it, however right its signature is", async () => {
    const fields = await approval();
    const form = parseDecisionForm(fields);
    if (!form.ok) throw new Error("no form of a decision");
    const submission = submissionOf(form.value);
    const { version, digest } = submission;
    const signedOver = async (nonce: string): Promise<URLSearchParams> => {
      const signed = { gate: "request", version, digest, decision: decisionDigest(submission), nonce };
      const confirmed = new URLSearchParams(fields);
      confirmed.set("passkey", await passkey.get({ challenge: passkeyChallenge(run, signed) }));
      confirmed.set("passkey-nonce", nonce);
      return confirmed;
    };
    const { nonce } = await questionFor(ada, pageOf(run), fields);
    const last = nonce.endsWith("A") ? "B" : "A";
    for (const forged of ["", "A".repeat(43), fields.get("nonce") ?? "", nonce.slice(0, -1) + last])
      expect([forged, await send(await signedOver(forged))]).toEqual([forged, notConfirmed]);
    expect(await decided()).toEqual([]);
    expect((await send(await signedOver(nonce)))[0]).toBe(303);
  });

  test("is void once anything of the form is changed, and late after five minutes", async () => {
    const plain = await confirmedForm(ada, pageOf(run), await approval(), passkey);
    for (const [name, value] of [
      [editOf, "Another text"],
      ["act", "approve:1"],
      ["reason", "Because"],
    ] as const) {
      const changed = new URLSearchParams(plain);
      changed.set(name, value);
      expect([name, (await send(changed))[0]]).toEqual([name, 403]);
    }
    const late = await confirmedForm(ada, pageOf(run), await approval(), passkey);
    travel(5 * 60_000 + 1_000);
    expect(await send(late)).toEqual([403, "You confirmed with your passkey more than five minutes ago"]);
    expect(await decided()).toEqual([]);
  });

  test("confirms the change that it was made for", async () => {
    const shown = new URLSearchParams(await decisionForm(ada, pageOf(run), { [editOf]: "Another text", act: "approve:1", shown: "live" }));
    expect((await send(await confirmedForm(ada, pageOf(run), shown, passkey)))[0]).toBe(303);
    expect((await recordOf(run)).map(({ fact }) => fact.kind)).toContain("edited");
  });

  test("counts once: replayed it decides no other review, and not the same again", async () => {
    await configureInbox({ confirm: "passkey", reviewers: ["Ada", "Grace"], quorum: 2 }, people);
    run = await waits();
    const fields = await confirmedForm(ada, pageOf(run), await approval(), passkey);
    expect((await send(fields))[0]).toBe(303);
    // A browser may send the very same form twice, whose signature counted then.
    expect((await send(fields))[0]).toBe(303);
    const again = new URLSearchParams(fields);
    again.set("nonce", (await ada.form(pageOf(run))).get("nonce") ?? "");
    expect((await send(again))[0]).toBe(403);
    const first = run;
    run = await waits();
    const other = await approval();
    for (const name of ["passkey", "passkey-nonce"]) other.set(name, fields.get(name) ?? "");
    expect((await send(other))[0]).toBe(403);
    expect([await decided(first), await decided(run)]).toEqual([[], []]);
    expect((await recordOf(first)).filter(({ fact }) => fact.kind === "voted")).toHaveLength(1);
  });
});

describe("where a rule wants a passkey", () => {
  test("nothing is approved without one, and everything can be denied", async () => {
    const missing = [403, "An approval needs your passkey"];
    expect(await send(await approval())).toEqual(missing);
    for (const change of [{ act: "allow", grant: "tool:exact" }, { act: "askModel" }])
      expect([change.act, await send(await decisionForm(ada, pageOf(run), change))]).toEqual([change.act, missing]);
    const written = await decisionForm(ada, pageOf(run), { act: "answer:1", answer: "Paris", shown: "live" });
    expect(await send(written)).toEqual(missing);
    const bulk = `/inbox/together?pick=request:${run}`;
    expect(await ada.text(bulk)).not.toContain('value="approve:0"');
    const together = await decisionForm(ada, bulk, { act: approveAct(0) });
    readFor();
    expect(await (await ada.post("/inbox/together", together)).text()).toContain("it needs your passkey");
    expect(await decided()).toEqual([]);
    expect((await send(await decisionForm(ada, pageOf(run), { act: "deny" })))[0]).toBe(303);
    expect(await decided()).toMatchObject([{ kind: "denied", by: "Ada" }]);
  });

  test("whoever has none is told so, and asks for nothing", async () => {
    const grace = new InboxBrowser();
    await grace.signIn(addresses.Grace);
    const fields = await decisionForm(grace, pageOf(run), { act: approveAct(0) });
    expect(await grace.text(pageOf(run))).toContain("you have none");
    await expect(questionFor(grace, pageOf(run), fields)).rejects.toThrow("404");
    expect((await send(fields, grace))[1]).toBe("An approval needs your passkey, and you have none");
    expect((await grace.post(`${pageOf(run)}/passkey`, fields, { Origin: "https://evil.example.com" })).status).toBe(403);
  });

  test("no link and no grant opens a review, and what was approved before serves nothing", async () => {
    const { notices } = await adminJson<{ notices: { run: string; link: string | null }[] }>("/notices");
    expect(notices.filter((each) => each.run === run).map(({ link }) => link?.includes("/r/") ?? false)).not.toContain(true);
    await expect(
      configureInbox({ confirm: "passkey", grants: true, reviewers: ["Ada"] }, people).then(() => {
        throw new Error("it was saved");
      }),
    ).rejects.toThrow(/passkey|422|400/);
    expect(policy.default).not.toHaveProperty("confirm");
  });
});

async function adminReceipt(): Promise<{ readonly receipt: string } | null> {
  const answer = await gateway(`/receipts/${run}`, { headers: { Accept: "application/json" } });
  return answer.status === 200 ? await answer.json() : null;
}
