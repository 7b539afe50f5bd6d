// Reviews that want their reviewer's passkey or sign-in: an assertion that is not of this decision,
// a passkey that is not the reviewer's, and whoever has an address and is not them.

import { expect } from "vitest";
import { readForm } from "../../../scripts/page-form.ts";
import { decisionDigest, passkeyChallenge } from "../../../shared/receipt/passkey-proof.ts";
import { parseDecisionForm } from "../../../shared/review/form.ts";
import { Authenticator, type Faults } from "../../support/authenticator.ts";
import { InboxPerson } from "../../outside/support/inbox-person.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { factsOf, notices, runOf, sample } from "../people.ts";
import { type World, secrets } from "../world.ts";

const evil = "https://evil.example.net";
const marker = "readByReviewersAlone";

type Signer = { readonly person: InboxPerson; readonly passkey: Authenticator };
const signers = new WeakMap<World, Map<string, Promise<Signer>>>();

/** The reviewer of this name with a passkey of theirs, signed in once for all attacks. */
function signer(world: World, name: "pia" | "quin" | "rae" = "pia"): Promise<Signer> {
  const known = signers.get(world) ?? new Map<string, Promise<Signer>>();
  signers.set(world, known);
  const made = known.get(name) ?? newSigner(world, `${name}@example.org`);
  known.set(name, made);
  return made;
}

async function newSigner(world: World, address: string): Promise<Signer> {
  const person = new InboxPerson(world.url);
  await person.signIn(world.mail, address);
  const passkey = await Authenticator.at(world.url);
  const added = await person.post("/inbox/passkeys", await addingForm(person, { create: passkey }));
  if (added.status !== 303) throw new Error(`no passkey: ${added.status}`);
  return { person, passkey };
}

type Adding = { readonly create: Authenticator; readonly by?: Authenticator; readonly faults?: Faults };

/** The form that adds a passkey, filled as the page's script does. */
async function addingForm(person: InboxPerson, { create, by, faults }: Adding): Promise<URLSearchParams> {
  const html = await (await person.send("/inbox/passkeys")).text();
  const options = (name: string): { challenge: string } | null => {
    const [, json] = new RegExp(`data-${name}="([^"]*)"`).exec(html) ?? [];
    return json === undefined ? null : (JSON.parse(json.replaceAll("&quot;", '"').replaceAll("&amp;", "&")) as { challenge: string }); // the page's
  };
  const [made, confirms] = [options("create"), options("confirm")];
  const fields = readForm(html, "http://localhost")?.fields ?? new URLSearchParams();
  if (made !== null) fields.set("passkey-made", await create.create(made, faults));
  if (confirms !== null && by !== undefined) fields.set("passkey", await by.get(confirms));
  return fields;
}

const passkeysOf = async (person: InboxPerson): Promise<number> =>
  ((await (await person.send("/inbox/passkeys")).text()).match(/<b>/g) ?? []).length;

const pageOf = (run: string, gate = "request"): string => `/inbox/reviews/${gate}/${run}`;

/** A form of the review as it can be sent: a person's second after its page was made. */
async function formAt({ person }: Signer, page: string, change: Readonly<Record<string, string>> = {}): Promise<URLSearchParams> {
  const fields = await person.form(page);
  fields.set("act", "approve:0");
  for (const [name, value] of Object.entries(change)) fields.set(name, value);
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  return fields;
}

type Question = { readonly nonce: string; readonly options: { readonly challenge: string } };

async function questionFor({ person }: Signer, page: string, fields: URLSearchParams): Promise<Question> {
  const answer = await person.post(`${page}/passkey`, fields);
  if (answer.status !== 200) throw new Error(`no question: ${answer.status}`);
  return (await answer.json()) as Question; // the contract's
}

/** The form with what this passkey signed for it. */
async function confirmed(by: Signer, page: string, fields: URLSearchParams, passkey = by.passkey, faults: Faults = {}) {
  const { nonce, options } = await questionFor(by, page, fields);
  return withProof(fields, nonce, await passkey.get(options, faults));
}

function withProof(fields: URLSearchParams, nonce: string, proof: string): URLSearchParams {
  const next = new URLSearchParams(fields);
  next.set("passkey", proof);
  next.set("passkey-nonce", nonce);
  return next;
}

const statusOf = async ({ person }: Signer, page: string, fields: URLSearchParams): Promise<number> =>
  (await person.post(page, fields)).status;

const decisions = new Set(["approved", "voted", "edited", "denied"]);

/** As an operator sees it, whatever key made the run. */
const stateOf = async (world: World, run: string): Promise<string> => (await runOf(world, run, secrets.admin)).state;

/** Nothing came of what was tried; then a denial, which needs no passkey, ends the review. */
async function stillOpen(world: World, { run, answer }: Asked, name: "pia" | "rae" = "pia"): Promise<void> {
  const reviewer = await signer(world, name);
  expect(await stateOf(world, run), "the run").toMatch(/^(waiting|responseReview)$/);
  const gate = (await stateOf(world, run)) === "waiting" ? "request" : "response";
  const decided = (await factsOf(world, run)).filter((fact) => decisions.has(fact.kind) && fact["gate"] === gate);
  expect(decided, "decisions").toEqual([]);
  expect(await statusOf(reviewer, pageOf(run, gate), await formAt(reviewer, pageOf(run, gate), { act: "deny" })), "the denial").toBe(303);
  await answer;
}

type Asked = { readonly run: string; readonly answer: Promise<unknown> };

/** A review that a request opens; no notice of it has a link that works by itself. */
async function askedBy(world: World, send: () => Promise<unknown>, gate = "request"): Promise<Asked> {
  const before = new Set((await notices(world)).map(({ run }) => run));
  const answer = send();
  const run = await until(
    "a new review",
    async () => (await notices(world)).find((each) => !before.has(each.run) && each.gate === gate)?.run,
  );
  return { run, answer };
}

const asked = (world: World, server = "passkey"): Promise<Asked> =>
  askedBy(world, () => sample(world, { server, text: `${marker} ${crypto.randomUUID()}` }));

const faults: readonly [string, Faults][] = [
  ["over another challenge", { challenge: "A".repeat(43) }],
  ["made on another origin", { origin: evil }],
  ["made on another port of this host", { origin: "http://localhost:1" }],
  ["for another site's rpId", { rpId: "evil.example.net" }],
  ["without a verified user", { flags: 1 }],
  ["without a user who is there", { flags: 4 }],
  ["whose counter went back", { counter: 1 }],
  ["whose counter is 0 again", { counter: 0 }],
  ["that is of the making of a passkey", { type: "webauthn.create" }],
];

const assertions = eachOf(faults, ([what, fault]) => ({
  name: `an assertion ${what} approves nothing`,
  run: async (world) => {
    const [review, pia] = [await asked(world), await signer(world)];
    const page = pageOf(review.run);
    const fields = await confirmed(pia, page, await formAt(pia, page), pia.passkey, fault);
    expect(await statusOf(pia, page, fields), "the status").toBe(403);
    await stillOpen(world, review);
  },
}));

const flipped = (text: string): string => `${text.slice(0, 20)}${text[20] === "A" ? "B" : "A"}${text.slice(21)}`;
const inProof = (proof: string, change: (response: Record<string, string>) => object): string => {
  const { id, response } = JSON.parse(proof) as { readonly id: string; readonly response: Record<string, string> }; // the authenticator's
  return JSON.stringify({ id, response: { ...response, ...change(response) } });
};

const texts: readonly [string, (proof: string) => string][] = [
  ["with one bit of its signature changed", (proof) => inProof(proof, ({ signature = "" }) => ({ signature: flipped(signature) }))],
  [
    "with other authenticator data",
    (proof) => inProof(proof, ({ authenticatorData = "" }) => ({ authenticatorData: flipped(authenticatorData) })),
  ],
  ["without a signature", (proof) => inProof(proof, () => ({ signature: "" }))],
  ["that names another passkey", (proof) => proof.replace(/"id":"[^"]+"/, `"id":"${"A".repeat(43)}"`)],
  ["that names __proto__", (proof) => proof.replace(/"id":"[^"]+"/, '"id":"__proto__"')],
  ["that is null", () => "null"],
  ["that is an empty object", () => "{}"],
  ["that is true", () => "true"],
  ["that is a megabyte", () => `{"id":"${"x".repeat(1_000_000)}"}`],
];

const spelled = eachOf(texts, ([what, change]) => ({
  name: `an assertion ${what} approves nothing`,
  run: async (world) => {
    const [review, pia] = [await asked(world), await signer(world)];
    const page = pageOf(review.run);
    const fields = await confirmed(pia, page, await formAt(pia, page));
    fields.set("passkey", change(fields.get("passkey") ?? ""));
    expect(await statusOf(pia, page, fields), "the status").toBe(403);
    await stillOpen(world, review);
  },
}));

const edits: readonly [string, string, string][] = [
  ["another text", "edit:/messages/0/content/0/text", "Another text"],
  ["a change promised", "act", "approve:1"],
  ["a grant", "act", "allow"],
  ["a written reply", "act", "answer:1"],
  ["a reason", "reason", "Because"],
];

const edited = eachOf(edits, ([what, name, value]) => ({
  name: `an assertion approves nothing once its form has ${what}`,
  run: async (world) => {
    const [review, pia] = [await asked(world), await signer(world)];
    const page = pageOf(review.run);
    const fields = await confirmed(pia, page, await formAt(pia, page));
    for (const [field, text] of [
      [name, value],
      ["answer", "Paris"],
      ["shown", "live"],
      ["grant", "tool:exact"],
    ] as const)
      if (field === name || name === "act") fields.set(field, text);
    expect([403, 400, 422], "the status").toContain(await statusOf(pia, page, fields));
    await stillOpen(world, review);
  },
}));

const moved: readonly Attack[] = [
  {
    name: "an assertion that counted approves nothing a second time, here or in another review",
    run: async (world) => {
      const [first, pia] = [await asked(world), await signer(world)];
      const fields = await confirmed(pia, pageOf(first.run), await formAt(pia, pageOf(first.run)));
      expect(await statusOf(pia, pageOf(first.run), fields), "the decision itself").toBe(303);
      await first.answer;
      const second = await asked(world);
      const proof = [fields.get("passkey-nonce") ?? "", fields.get("passkey") ?? ""] as const;
      const other = withProof(await formAt(pia, pageOf(second.run)), ...proof);
      expect(await statusOf(pia, pageOf(second.run), other), "another review").toBe(403);
      await statusOf(pia, pageOf(first.run), fields);
      const approvals = async (): Promise<number> => (await factsOf(world, first.run)).filter(({ kind }) => kind === "approved").length;
      await until("the record", async () => (await approvals()) > 0);
      expect(await approvals(), "approvals of the first").toBe(1);
      await stillOpen(world, second);
    },
  },
  {
    name: "an assertion for one waiting review approves no other",
    run: async (world) => {
      const [first, second, pia] = [await asked(world), await asked(world), await signer(world)];
      const fields = await confirmed(pia, pageOf(first.run), await formAt(pia, pageOf(first.run)));
      expect(await statusOf(pia, pageOf(second.run), fields), "its form at the other").toBe(403);
      const moved = withProof(await formAt(pia, pageOf(second.run)), fields.get("passkey-nonce") ?? "", fields.get("passkey") ?? "");
      expect(await statusOf(pia, pageOf(second.run), moved), "its assertion at the other").toBe(403);
      for (const review of [second, first]) await stillOpen(world, review);
    },
  },
  {
    name: "an assertion of the request's review approves no reply",
    run: async (world) => {
      const [review, pia] = [await asked(world, "passkey-both"), await signer(world)];
      const fields = await confirmed(pia, pageOf(review.run), await formAt(pia, pageOf(review.run)));
      expect(await statusOf(pia, pageOf(review.run), fields), "the request's").toBe(303);
      await until("the reply's review", async () => (await stateOf(world, review.run)) === "responseReview");
      const page = pageOf(review.run, "response");
      expect(await statusOf(pia, page, fields), "its form at the reply's").toBe(403);
      const moved = withProof(await formAt(pia, page), fields.get("passkey-nonce") ?? "", fields.get("passkey") ?? "");
      expect(await statusOf(pia, page, moved), "its assertion at the reply's").toBe(403);
      await stillOpen(world, review);
    },
  },
  {
    name: "another reviewer's passkey approves nothing for this one, whatever id it names",
    run: async (world) => {
      const [review, pia, quin] = [await asked(world), await signer(world), await signer(world, "quin")];
      const page = pageOf(review.run);
      const fields = await confirmed(pia, page, await formAt(pia, page), quin.passkey);
      expect(await statusOf(pia, page, fields), "as it is").toBe(403);
      fields.set("passkey", (fields.get("passkey") ?? "").replace(quin.passkey.id, pia.passkey.id));
      expect(await statusOf(pia, page, fields), "under the other's id").toBe(403);
      await stillOpen(world, review);
    },
  },
  {
    name: "another reviewer's question and assertion approve nothing in this one's form",
    run: async (world) => {
      const [review, pia, quin] = [await asked(world), await signer(world), await signer(world, "quin")];
      const page = pageOf(review.run);
      const hers = await confirmed(quin, page, await formAt(quin, page));
      const mixed = withProof(await formAt(pia, page), hers.get("passkey-nonce") ?? "", hers.get("passkey") ?? "");
      expect(await statusOf(pia, page, mixed), "the status").toBe(403);
      expect(await statusOf(pia, page, hers), "her whole form").toBe(403);
      await stillOpen(world, review);
    },
  },
  {
    name: "an assertion over a nonce that the gateway did not make approves nothing, with the right challenge",
    run: async (world) => {
      const [review, pia] = [await asked(world), await signer(world)];
      const page = pageOf(review.run);
      const fields = await formAt(pia, page);
      const form = parseDecisionForm(fields);
      if (!form.ok) throw new Error("no form of a decision");
      const { nonce: own, edits: texts_, ...rest } = form.value;
      const decision = decisionDigest({ ...rest, edits: [...texts_] });
      const { version, digest } = form.value;
      const challengeOver = (nonce: string): string => passkeyChallenge(review.run, { gate: "request", version, digest, decision, nonce });
      const question = await questionFor(pia, page, fields);
      expect(challengeOver(question.nonce), "the challenge").toBe(question.options.challenge);
      for (const nonce of [own, "A".repeat(60)]) {
        const proof = await pia.passkey.get({ challenge: challengeOver(nonce) });
        expect(await statusOf(pia, page, withProof(fields, nonce, proof)), "the status").toBe(403);
      }
      await stillOpen(world, review);
    },
  },
  {
    name: "no act that lets a request go on counts without an assertion, nor the page of several",
    run: async (world) => {
      const [review, pia] = [await asked(world), await signer(world)];
      const page = pageOf(review.run);
      for (const change of [
        { act: "approve:0" },
        { act: "askModel" },
        { act: "allow", grant: "tool:exact", "grant-uses": "9", "grant-hours": "9" },
        { act: "answer:1", answer: "Paris", shown: "live" },
      ] as const)
        expect(await statusOf(pia, page, await formAt(pia, page, change)), change.act).toBe(403);
      const bulk = await formAt(pia, `/inbox/together?pick=request:${review.run}`);
      expect(await (await pia.person.post("/inbox/together", bulk)).text(), "the page of several").toContain('data-outcome="needsPasskey"');
      await stillOpen(world, review);
    },
  },
  {
    name: "an operator's bypass lets nothing go on, and an API key removes no passkey",
    run: async (world) => {
      const { person, passkey } = await signer(world);
      const { id, key } = await world.newKey();
      const given = await world.admin("/grants", { body: { key: id, hours: 1 } });
      expect(given.status, "the bypass").toBe(201);
      const call = { tool: "sign_contract", server: "calls", arguments: { n: 1 } };
      const review = await askedBy(world, () => world.ask("/approvals", { key, body: call }));
      await stillOpen(world, review);
      const removed = await world.ask(`/admin/inboxes/Pia/passkeys/${passkey.id}`, { method: "DELETE" });
      expect(removed.status, "the removal").toBe(401);
      expect(await passkeysOf(person), "Pia's passkeys").toBe(1);
    },
  },
];

const ownFaults: readonly [string, Faults][] = [
  ["for another challenge", { challenge: "A".repeat(43) }],
  ["made on another origin", { origin: evil }],
  ["for another site's rpId", { rpId: "evil.example.net" }],
  ["without a verified user", { flags: 1 }],
  ["that is an assertion", { type: "webauthn.get" }],
];

const registering: readonly Attack[] = [
  ...eachOf(ownFaults, ([what, fault]) => ({
    name: `a passkey ${what} is not added, though one that is there confirms it`,
    run: async (world: World) => {
      const { person, passkey } = await signer(world, "quin");
      const other = await Authenticator.at(world.url);
      const fields = await addingForm(person, { create: other, by: passkey, faults: fault });
      expect((await person.post("/inbox/passkeys", fields)).status, "the status").toBe(422);
      expect(await passkeysOf(person), "Quin's passkeys").toBe(1);
    },
  })),
  {
    name: "a stolen session, and a fresh sign-in by a stolen mailbox, add no passkey beside the owner's",
    run: async (world) => {
      const { person } = await signer(world);
      const thief = new InboxPerson(world.url);
      await thief.signIn(world.mail, "pia@example.org");
      const stranger = await Authenticator.at(world.url);
      for (const at of [person, thief])
        for (const by of [undefined, stranger])
          expect(
            (await at.post("/inbox/passkeys", await addingForm(at, { create: stranger, ...(by === undefined ? {} : { by }) }))).status,
            "the status",
          ).toBe(422);
      expect(await passkeysOf(person), "Pia's passkeys").toBe(1);
    },
  },
  {
    name: "a form to add a passkey is good in no other session, from no other site, and once",
    run: async (world) => {
      const [pia, quin] = [await signer(world), await signer(world, "quin")];
      const stranger = await Authenticator.at(world.url);
      const hers = await addingForm(quin.person, { create: stranger, by: quin.passkey });
      expect((await pia.person.post("/inbox/passkeys", hers)).status, "in Pia's session").toBe(403);
      expect((await new InboxPerson(world.url).post("/inbox/passkeys", hers)).status, "in nobody's").toBe(403);
      expect((await quin.person.post("/inbox/passkeys", hers, { Origin: evil })).status, "from another site").toBe(403);
      expect([await passkeysOf(pia.person), await passkeysOf(quin.person)], "their passkeys").toEqual([1, 1]);
      expect((await quin.person.post("/inbox/passkeys", hers)).status, "its own session").toBe(303);
      expect((await quin.person.post("/inbox/passkeys", hers)).status, "again").toBe(422);
      // One that is another's already is added for nobody else.
      const taken = await addingForm(pia.person, { create: stranger, by: pia.passkey });
      expect((await pia.person.post("/inbox/passkeys", taken)).status, "in Pia's name").not.toBe(500);
      await world.admin(`/inboxes/Quin/passkeys/${stranger.id}`, { method: "DELETE" });
      await world.admin(`/inboxes/Pia/passkeys/${stranger.id}`, { method: "DELETE" });
    },
  },
];

/** Every address that a notice of this review has, and what stands behind each. */
async function addressesOf(world: World, { run }: Asked): Promise<string[]> {
  const sent = await until("the email", () => world.mail.taken.findLast(({ text }) => text.includes(run)));
  const inMail = [...`${sent.text} ${JSON.stringify(sent)}`.matchAll(new RegExp(`${world.url}(/[\\w/~?=:&%.-]+)`, "g"))].map(
    ([, path = ""]) => path,
  );
  const own = [pageOf(run), ...inMail.map((path) => path.split("#")[0] ?? "")];
  const all = own.flatMap((path) => [path, `${path}/live`, `${path}/passkey`]);
  return [...new Set([...all, `/inbox/together?pick=request:${run}`, `/inbox/receipts/${run}`, `/receipts/${run}`, "/inbox"])];
}

const forwarded: readonly Attack[] = [
  {
    name: "a forwarded notice shows nothing, at any address that it has, to whoever is not signed in or is somebody else",
    run: async (world) => {
      const [review, quin] = [await asked(world, "signed-in"), await signer(world, "quin")];
      const addresses = await addressesOf(world, review);
      expect(
        addresses.some((path) => path.includes("/r/")),
        "a link that needs no sign-in",
      ).toBe(false);
      for (const reader of [new InboxPerson(world.url), quin.person])
        for (const path of addresses)
          for (const accept of ["text/html", "application/json", "application/jose"]) {
            const answer = await reader.send(path, { headers: { Accept: accept } });
            expect([path, answer.status < 500, (await answer.text()).includes(marker)], "what it shows").toEqual([path, true, false]);
          }
      await stillOpen(world, review, "rae");
    },
  },
  {
    name: "a forwarded notice decides nothing, at any address that it has, for whoever is not signed in or is somebody else",
    run: async (world) => {
      const [review, rae, quin] = [await asked(world, "signed-in"), await signer(world, "rae"), await signer(world, "quin")];
      const fields = await formAt(rae, pageOf(review.run));
      for (const reader of [new InboxPerson(world.url), quin.person])
        for (const path of await addressesOf(world, review)) {
          const { status } = await reader.post(path, fields);
          expect([path, status === 303 || status >= 500], "the status").toEqual([path, false]);
        }
      expect((await rae.person.post(pageOf(review.run), fields, { Origin: evil })).status, "from another site").toBe(403);
      await stillOpen(world, review, "rae");
    },
  },
];

export const passkeys: Area = {
  name: "passkeys",
  about: "assertions, passkeys and notices that are not the reviewer's for this decision",
  attacks: [...assertions, ...spelled, ...edited, ...moved, ...registering, ...forwarded],
};
