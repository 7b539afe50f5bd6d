// Two hundred people and tabs that decide about one call of a client at the same moment: one
// decision counts, and the server gets the call once or not at all.

import { afterAll, beforeAll, expect, test } from "vitest";
import { pressButton, readForm } from "../../../scripts/page-form.ts";
import { editQuestion } from "../../outside/support/kill-cells.ts";
import { callingCaller } from "../../outside/support/kill-callers.ts";
import { pause } from "../../outside/support/killable-gateway.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

const people = Array.from({ length: 20 }, (_, index) => ({ name: `Person ${index}` }));
const tabs = 10;

let office: RelayOffice;
let server: OldServer;
beforeAll(async () => {
  [office, server] = await Promise.all([relayOffice(), serveOld()]);
  const then = { request: "review", response: "allow", reviewers: ["everyone"], selfApproval: true };
  await office.rule({
    ...openGates,
    rules: [{ name: "calls", when: { subject: "toolCall" }, then }],
    reviewers: { everyone: people },
  });
  await office.serve({ later: { url: server.url, allowPrivate: true } });
});
afterAll(async () => void (await Promise.all([office?.close(), server?.close()])));

type Act = "approve" | "edit" | "deny";
type Form = { readonly action: string; readonly fields: URLSearchParams };

/** A tab of the person with this link, which has been open for long enough to press a button. */
async function opened(link: string, act: Act): Promise<Form> {
  const form = readForm(await (await fetch(link)).text(), link);
  if (form === null) throw new Error("no form");
  const untouched = new URLSearchParams(form.fields);
  if (act === "edit") editQuestion(form.fields);
  pressButton(act === "deny" ? "deny" : "approve", untouched, form.fields);
  return form;
}

test.each([
  ["approve", ["approve"]],
  ["deny", ["deny"]],
  ["edit", ["edit"]],
  ["approve, edit and deny", ["approve", "edit", "deny"]],
] as const)("two hundred that %s at once are one decision, and one call or none", async (name, acts) => {
  const question = `What of those who ${name}?`;
  // It calls again where people take longer than it is held.
  const client = await callingCaller(office.relay("later"), relayKey);
  const called = client.call("later", question);
  const open = await until("a link for each person", async () => {
    const found = await office.notices();
    return found.length === people.length && found;
  });
  const run = open[0]?.run;
  const forms: Form[] = [];
  for (const { link } of open)
    forms.push(
      ...(await Promise.all(
        Array.from({ length: tabs }, (_, tab) => opened(link ?? "", acts[(forms.length + tab) % acts.length] ?? "deny")),
      )),
    );
  expect(forms).toHaveLength(200);
  await pause(1_100);
  const statuses = await Promise.all(
    forms.map(async ({ action, fields }) => {
      const headers = { Origin: new URL(action).origin };
      const answer = await fetch(action, { method: "POST", body: fields, redirect: "manual", headers });
      await answer.arrayBuffer();
      return answer.status;
    }),
  );
  // The same person's same answer again is the same answer; any other is too late, or is about what
  // an edit has replaced.
  expect(statuses.filter((status) => status === 303).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => ![303, 409, 412].includes(status))).toEqual([]);

  const answer = await called;
  const events = await until("the call's end in the record", async () => {
    const own = (await office.record()).events.filter((each) => each.run === run);
    return own.some(({ fact }) => fact.kind === "finished") && own;
  });
  const decisions = events
    .filter((each) => each.run === run && ["approved", "denied"].includes(each.fact.kind))
    .map(({ fact }) => fact.kind);
  expect(decisions).toHaveLength(1);
  const sent = server.received.flatMap(({ message }) =>
    message.method === "tools/call" ? (message.params?.arguments?.question ?? "") : [],
  );
  const isApproved = decisions[0] === "approved";
  expect(sent.filter((each) => each.startsWith(question))).toHaveLength(isApproved ? 1 : 0);
  expect(answer.text).toContain(isApproved ? `Ran: ${sent.at(-1)}` : "A person declined this call. It was not run.");
  await client.close();
});
