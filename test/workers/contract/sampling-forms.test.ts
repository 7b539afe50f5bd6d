// Forms that a host brings to POST /sampling, as `countersign stdio` does for its server: who is
// asked, and what the server is told.

import { beforeEach, expect, test } from "vitest";
import { recordWith } from "../objects/inside.ts";
import { adminJson, configure, createKey, eventually, gateway, notices, openNotice, publicUrl, travel } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox } from "../support/inbox.ts";
import { filledForm, postForm } from "../support/reviewer.ts";

const requestedSchema = { type: "object", properties: { people: { type: "integer", minimum: 1 } }, required: ["people"] };
const form = { message: "How many?", requestedSchema };

let key: string;
beforeEach(async () => {
  await policyFor([{ name: "Ann", email: "ann@example.com" }]);
  ({ key } = await createKey({ owner: "Ann" }));
});

const policyFor = (everyone: readonly object[], rules: readonly object[] = []): Promise<void> =>
  configure("policy", {
    rules,
    default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
    reviewers: { everyone },
  });

let requests = 0;
const meta = (): object => ({
  "countersign/session": `forms-${requests}`,
  "countersign/originatingRequest": { id: 7, method: "tools/call", name: "book", server: "rooms" },
});
type Answered = { readonly result?: { readonly action: string; readonly content?: object }; readonly error?: { readonly message: string } };
const elicit = async (params: object = form): Promise<Answered> => {
  requests += 1;
  const message = { jsonrpc: "2.0", id: requests, method: "elicitation/create", params: { _meta: meta(), ...params } };
  const headers = { "Content-Type": "application/json" };
  return (await gateway("/sampling", { key, body: JSON.stringify(message), method: "POST", headers })).json<Answered>();
};
const act = async (name: string, change: (fields: URLSearchParams) => void = () => {}): Promise<string> => {
  const { link, run } = await openNotice("request");
  expect((await postForm(link, await filledForm(link, name, change))).status).toBe(303);
  return run;
};

test("a person answers, and the record has no content", async () => {
  const asked = elicit();
  const run = await act("fill", (fields) => fields.set("edit:/content/people", "4"));
  expect((await asked).result).toEqual({ action: "accept", content: { people: 4 } });
  const [first] = await recordWith(run, "finished");
  expect(first?.fact).toMatchObject({ kind: "received", endpoint: "sampling", server: "rooms", name: "book", provenance: "claimed" });
});

test.each([
  ["deny", "decline"],
  ["dismiss", "cancel"],
])("a person who presses %s is told as %s", async (press, action) => {
  const asked = elicit();
  await act(press);
  expect((await asked).result).toEqual({ action });
});

test("a form that nobody answers, and one that the policy puts before nobody, is cancelled, never declined", async () => {
  await policyFor([{ name: "Ann" }], [{ name: "never", when: { subject: "form" }, then: { request: "refuse" } }]);
  expect((await elicit()).result).toEqual({ action: "cancel" });
  expect(await notices()).toEqual([]);
  await policyFor([{ name: "Ann" }], [{ name: "soon", when: { subject: "form" }, then: { request: "review", deadlineSeconds: 1 } }]);
  expect((await elicit()).result).toEqual({ action: "cancel" });
});

test.each<[string, object]>([
  ["no session", { ...form, _meta: {} }],
  ["a schema that is not flat", { ...form, requestedSchema: { type: "object", properties: { a: { type: "object" } } } }],
  ["an address of the gateway", { mode: "url", message: "Open it", url: `${publicUrl}/r/x` }],
  ["an address that is not https", { mode: "url", message: "Open it", url: "http://example.com/" }],
])("a form with %s is refused, and nobody is asked", async (_, params) => {
  expect((await elicit(params)).error).toBeDefined();
  expect(await notices()).toEqual([]);
});

test("an address is opened by the key's owner alone, signed in to their inbox", async () => {
  await configureInbox();
  ({ key } = await createKey({ owner: "Ada" }));
  const asked = elicit({ mode: "url", message: "Link your account", url: "https://linear.app/oauth" });
  const run = await eventually("its review", async () => {
    const { runs } = await adminJson<{ runs: { id: string }[] }>("/runs?state=waiting");
    return runs[0]?.id;
  });
  const { notices: told } = await adminJson<{ notices: { link?: string | null }[] }>("/notices");
  expect(told.filter(({ link }) => link != null)).toEqual([]);
  const browser = new InboxBrowser();
  await browser.signIn(addresses.Ada);
  const fields = await browser.form(`/inbox/reviews/request/${run}`);
  travel(1_500);
  fields.set("act", "fill");
  expect((await browser.post(`/inbox/reviews/request/${run}`, fields)).status).toBe(303);
  expect((await asked).result).toEqual({ action: "accept" });
});
