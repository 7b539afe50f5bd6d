// Deciding through the page's own form, by many people at once, twice, late, and about what has
// changed.

import type { KnownBy } from "../../../shared/receipt/known.ts";
import { jsonOf } from "../../../shared/json/json-of.ts";
import type { Submission } from "../../../workers/stubs/run-calls.ts";
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { promptMarker } from "../support/logs.ts";
import {
  answerOf,
  configure,
  createKey,
  eventually,
  gateway,
  model,
  notices,
  openNotice,
  runOf,
  runReaches,
  sample,
} from "../support/gateway.ts";
import { askAbout, askApproval, deletion } from "../support/approvals.ts";
import { filledForm, nonceFor, pathOf, postForm, press } from "../support/reviewer.ts";
import { crash, everything, kindsOf, recordOf, recordWith, stubOf, tablesOf } from "./inside.ts";
import { wholeOr } from "../support/whole.ts";

const people = ["Ada", "Grace", "Edsger", "Barbara"];
const withReviewers = (more: object = {}, names = people): object => ({
  rules: [{ name: "gate", when: { server: "gate" }, then: { request: "review", response: "allow", ...more } }],
  default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
  reviewers: { everyone: names.map((name) => ({ name })) },
});

/** The links of a run that waits, by the reviewer's name. */
async function linksOf(count: number): Promise<Map<string, string>> {
  const listed = await eventually("all notices", async () => {
    const open = (await notices()).filter(({ state }) => state === "sent");
    return open.length >= count ? open : null;
  });
  return new Map(listed.map(({ reviewer, link }) => [reviewer, link]));
}

const linkOf = (links: ReadonlyMap<string, string>, name: string): string => links.get(name) ?? "";

const closings = new Set(["approved", "denied", "expired", "cancelled", "undeliverable"]);

describe("at once", () => {
  test.each(["request", "response"] as const)(
    "of many people who approve and deny at the %s gate through four links one decides, and the rest are told who",
    async (gate) => {
      await configure("policy", withReviewers(gate === "request" ? {} : { request: "allow", response: "review" }));
      const response = await sample({ server: "gate" });
      const { run } = await openNotice(gate);
      const links = await linksOf(people.length);
      const forms = await Promise.all(
        Array.from({ length: wholeOr(200, 40) }, async (_, index) => {
          const link = linkOf(links, people[index % people.length] ?? "");
          // Half of each person's forms approve: everybody contradicts themselves as well.
          return { link, fields: await filledForm(link, Math.floor(index / people.length) % 2 === 0 ? "approve" : "deny") };
        }),
      );
      const answers = await Promise.all(
        forms.map(async ({ link, fields }) => {
          const answer = await postForm(link, fields);
          return { status: answer.status, text: await answer.text(), act: fields.get("act") ?? "", link };
        }),
      );
      const events = await recordWith(run, "finished");
      const decided = events.filter(({ fact }) => closings.has(fact.kind));
      expect(decided).toHaveLength(1);
      const fact = decided[0]?.fact;
      if (fact?.kind !== "approved" && fact?.kind !== "denied") throw new Error("not decided by a person");
      for (const { status, text, act, link } of answers) {
        const isWinner = link === linkOf(links, fact.by) && act === (fact.kind === "approved" ? "approve:0" : "deny");
        expect(status).toBe(isWinner ? 303 : 409);
        // A page names its own reader as "You".
        if (!isWinner)
          expect(text).toContain(
            `${link === linkOf(links, fact.by) ? `<b class="person">You` : `<b class="person"><bdi class="name">${fact.by}</bdi>`}</b> ${fact.kind} it`,
          );
      }
      const answer = await answerOf(response);
      expect(answer.result === undefined).toBe(fact.kind === "denied");
      expect(model.calls).toHaveLength(gate === "request" && fact.kind === "denied" ? 0 : 1);
    },
  );

  test("with a quorum of two among four, 100 approvals by two people count as two", async () => {
    await configure("policy", withReviewers({ quorum: 2 }));
    const response = await sample({ server: "gate" });
    const links = await linksOf(people.length);
    const { run } = await openNotice("request");
    const forms = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const link = linkOf(links, index % 2 === 0 ? "Ada" : "Grace");
        return { link, fields: await filledForm(link, "approve") };
      }),
    );
    const statuses = await Promise.all(forms.map(async ({ link, fields }) => (await postForm(link, fields)).status));
    expect(new Set(statuses)).toEqual(new Set([303]));
    expect((await answerOf(response)).result).toBeDefined();
    expect(kindsOf(await recordOf(run)).filter((kind) => kind === "voted" || kind === "approved")).toEqual(["voted", "approved"]);
    expect(model.calls).toHaveLength(1);
  });

  test("a double click is one decision, and both clicks get the same answer", async () => {
    const response = await sample({ server: "request-gate" });
    const { link, run } = await openNotice("request");
    const fields = await filledForm(link, "approve");
    const clicks = await Promise.all([postForm(link, fields), postForm(link, fields), postForm(link, fields)]);
    expect(clicks.map(({ status, headers }) => [status, headers.get("Location")])).toEqual(clicks.map(() => [303, link]));
    await answerOf(response);
    expect(kindsOf(await recordOf(run)).filter((kind) => kind === "approved")).toHaveLength(1);
  });

  test("a double click on an edited approval is one as well", async () => {
    const response = await sample({ server: "request-gate" });
    const { link, run } = await openNotice("request");
    const fields = await filledForm(link, "approve", (each) => editPrompt(each, "Say it in French."));
    const clicks = await Promise.all([postForm(link, fields), postForm(link, fields)]);
    expect(clicks.map(({ status }) => status)).toEqual([303, 303]);
    await answerOf(response);
    expect(kindsOf(await recordOf(run)).filter((kind) => kind === "edited")).toHaveLength(1);
    expect(promptsSent()).toEqual(["Say it in French."]);
  });

  test("a nonce that was used decides nothing more in another form", async () => {
    await configure("policy", withReviewers({ quorum: 2 }));
    await sample({ server: "gate" });
    const link = linkOf(await linksOf(people.length), "Ada");
    const fields = await filledForm(link, "approve");
    expect((await postForm(link, fields)).status).toBe(303);
    fields.set("act", "deny");
    expect((await postForm(link, fields)).status).toBe(409);
    const { run } = await openNotice("request");
    expect(kindsOf(await recordOf(run))).not.toContain("denied");
  });
});

describe("in the millisecond", () => {
  test.each([
    [-1, 303, "approved"],
    [0, 409, "expired"],
  ])("an approval %i ms from the deadline is answered with %i and the run is %s", async (offset, status, kind) => {
    const response = await sample({ server: "request-gate" });
    const { link, run } = await openNotice("request");
    const fields = await filledForm(link, "approve");
    const deadline = (await tablesOf(stubOf(run)))["schedule"]?.find((row) => row["kind"] === "deadline:request")?.["dueAt"];
    await runInDurableObject(stubOf(run), (instance) => {
      instance.now = () => Number(deadline) + offset;
    });
    expect((await postForm(link, fields)).status).toBe(status);
    await runInDurableObject(stubOf(run), (instance) => instance.alarm());
    await answerOf(response);
    expect(kindsOf(await recordOf(run))).toContain(kind);
  });
});

describe("looking", () => {
  test("hundreds of GETs and HEADs decide nothing and change no row of any object but that the link was opened, the object asleep or awake", async () => {
    // Nobody holds the line, so that nothing comes back after the crash; and the crash ends what an
    // object would write by itself later.
    await sample({ server: "request-gate" }, { headers: { Prefer: "respond-async" } });
    const { link, run } = await openNotice("request");
    await recordWith(run, "noticed");
    const atRest = async (): Promise<string> => {
      await eventually("nothing left to do", async () => (await tablesOf(stubOf(run)))["outbox"]?.length === 0);
      await crash();
      return everything();
    };
    const unopened = await atRest();
    expect(unopened).toContain(promptMarker);
    const look = async (init: RequestInit): Promise<void> => {
      expect((await gateway(pathOf(link), { ...init, key: null })).status).toBe(200);
    };
    await look({ method: "HEAD" });
    await look({ headers: { "Sec-Purpose": "prefetch;prerender" } });
    expect(await everything()).toBe(unopened);
    await look({});
    await look({});
    const opened = (await recordWith(run, "opened")).filter(({ fact }) => fact.kind === "opened");
    expect(opened.map(({ fact }) => fact)).toEqual([{ kind: "opened", gate: "request", reviewer: "Ada", channel: "outbox", version: 1 }]);
    const before = await atRest();
    for (let batch = 0; batch < wholeOr(20, 4); batch += 1) {
      const looks = Array.from({ length: 50 }, (_, index) =>
        gateway(`${pathOf(link)}${index % 3 === 0 ? "?utm_source=mail" : ""}`, {
          method: index % 2 === 0 ? "GET" : "HEAD",
          key: null,
          headers: index % 5 === 0 ? { "Sec-Purpose": "prefetch" } : {},
        }),
      );
      for (const look of await Promise.all(looks)) {
        expect(look.status).toBe(200);
        expect(look.headers.get("Set-Cookie")).toBeNull();
        await look.body?.cancel();
      }
      if (batch % wholeOr(5, 2) === 0) await evictDurableObject(stubOf(run));
    }
    expect(await everything()).toBe(before);
    expect((await press(link, "approve")).status).toBe(303);
    await runReaches(run, "completed");
  });
});

describe("what was seen is what is decided", () => {
  test("an edit while another page is open: the other page's answer is refused with the new content, and counts once it was seen", async () => {
    await configure("policy", withReviewers({ quorum: 2 }));
    const response = await sample({ server: "gate" });
    const links = await linksOf(people.length);
    const [ada, grace] = [linkOf(links, "Ada"), linkOf(links, "Grace")];
    const old = await filledForm(grace, "approve");
    expect((await press(ada, "approve", (fields) => editPrompt(fields, "What is the capital of Spain?"))).status).toBe(303);
    const refused = await postForm(grace, old);
    expect(refused.status).toBe(412);
    expect(await refused.text()).toContain("capital of Spain");
    expect(model.calls).toHaveLength(0);
    expect((await press(grace, "approve")).status).toBe(303);
    expect((await answerOf(response)).result?._meta?.["countersign/run"]).toMatchObject({ edited: { request: true, response: false } });
    expect(promptsSent()).toEqual(["What is the capital of Spain?"]);
  });

  test("a form with a digest or version of its own invention is a forgery", async () => {
    await sample({ server: "request-gate" });
    const { link } = await openNotice("request");
    const fields = await filledForm(link, "approve");
    for (const [name, value] of [
      ["digest", `${fields.get("digest") ?? ""}x`],
      ["version", "2"],
    ] as const) {
      const forged = new URLSearchParams(fields);
      forged.set(name, value);
      expect((await postForm(link, forged)).status).toBe(403);
      // With a nonce for it, as only the gateway could make one, it is stale.
      forged.set("nonce", nonceFor(link, forged, 5_000));
      expect((await postForm(link, forged)).status).toBe(412);
    }
    expect(model.calls).toHaveLength(0);
  });

  const odd = [
    "Line one\r\nline two\rline three\n\n\n\tand a tab at the end \t",
    "nbsp\u00a0 e\u0301 \u00e9 \ufb01 \u{1f469}\u200d\u{1f469}\u200d\u{1f467} \u202eright to left\u202c \u200bzero \ufeffbom \u{e0041}tag \u{10ffff}",
    '\n\nbegins with line ends, <b>&amp;"quoted"</b> ${template} {{braces}} </textarea><script>1</script>',
    "line separators \u2028 and \u2029, a half-width \uff76 and a private \ue000",
  ];

  test.each([
    ["approved untouched", (): void => {}],
    [
      "approved through a browser, which sends every line end as a pair",
      (fields: URLSearchParams): void => {
        for (const [name, value] of Array.from(fields)) fields.set(name, value.replaceAll(/\r\n|\r|\n/g, "\r\n"));
      },
    ],
  ])("the bytes sent to the model are the bytes that were asked for, %s", async (_, change) => {
    const messages = odd.map((text) => ({ role: "user", content: { type: "text", text } }));
    const response = await sample({ server: "request-gate", params: { messages, systemPrompt: `System:\r\n${odd[1] ?? ""}` } });
    const { link, run } = await openNotice("request");
    expect((await press(link, "approve", change)).status).toBe(303);
    expect((await answerOf(response)).result?._meta?.["countersign/run"]).toMatchObject({ edited: { request: false } });
    expect(textsSent()).toEqual([`System:\r\n${odd[1] ?? ""}`, ...odd]);
    const [opened, called] = ["reviewOpened", "called"].map((kind) =>
      recordOf(run).then((events) => events.find(({ fact }) => fact.kind === kind)?.fact),
    );
    expect(await called).toMatchObject({ digest: ((await opened) as { digest: string }).digest });
  });

  test("an edit changes the field that was edited and no byte of any other", async () => {
    const messages = odd.map((text) => ({ role: "user", content: { type: "text", text } }));
    const response = await sample({ server: "request-gate", params: { messages } });
    const { link } = await openNotice("request");
    const field = await press(link, "approve", (fields) => {
      const name = [...fields].find(([, value]) => value.startsWith("nbsp"))?.[0] ?? "";
      fields.set(name, "Edited\r\nby hand.");
    });
    expect(field.status).toBe(303);
    await answerOf(response);
    expect(textsSent()).toEqual([odd[0], "Edited\nby hand.", odd[2], odd[3]]);
  });
});

describe("content that is another than what was approved", () => {
  /** Changes what is stored of a run behind its back, and has it read anew. */
  async function exchange(run: string, from: string, to: string): Promise<void> {
    const changed = await runInDurableObject(
      stubOf(run),
      (_, state) =>
        state.storage.sql.exec("UPDATE content SET text = replace(text, ?, ?) WHERE instr(text, ?) > 0", from, to, from).rowsWritten,
    );
    expect(changed).toBeGreaterThan(0);
    await crash();
  }

  test("is not sent: no model is called, and the run fails", async () => {
    const answer = answerOf(sample({ server: "request-gate" }));
    const { link, run } = await openNotice("request");
    await exchange(run, "France", "Spain!");
    expect((await press(link, "approve")).status).toBe(303);
    expect((await answer).error).toMatchObject({ code: -32011 });
    expect(model.calls).toEqual([]);
  });

  test("is not released: a call that is made elsewhere is not approved", async () => {
    await askAbout();
    const response = await askApproval(deletion, { headers: { Prefer: "respond-async" } });
    const { id: run } = await response.json<{ id: string }>();
    const { link } = await openNotice("request", run);
    await exchange(run, "report.txt", "budget.txt");
    expect((await press(link, "approve")).status).toBe(500);
    expect(JSON.stringify(await runOf(run))).not.toContain("budget.txt");
  });

  test("is not delivered: the reply reaches nobody", async () => {
    model.script({ text: "Paris." });
    const response = await sample({ server: "response-gate" }, { headers: { Prefer: "respond-async" } });
    const run = (response.headers.get("Location") ?? "").slice("/runs/".length);
    const { link } = await openNotice("response", run);
    await exchange(run, "Paris.", "Madrid");
    expect((await press(link, "approve")).status).toBe(500);
    const answer = await (await gateway(`/runs/${run}`)).json<{ state: string; result?: unknown }>();
    expect(answer.result).toBeUndefined();
    expect(JSON.stringify(answer)).not.toContain("Madrid");
    expect(answer.state).not.toBe("completed");
  });
});

describe("who may decide", () => {
  test("whose client asked may not approve their own request where the policy bars it", async () => {
    await configure("policy", withReviewers({ selfApproval: false }));
    const { key } = await createKey({ owner: "Ada" });
    const response = await sample({ server: "gate" }, { key });
    const links = await linksOf(people.length);
    expect((await press(linkOf(links, "Ada"), "approve")).status).toBe(403);
    expect(model.calls).toHaveLength(0);
    expect((await press(linkOf(links, "Grace"), "approve")).status).toBe(303);
    expect((await answerOf(response)).result).toBeDefined();
  });

  test("a link opens its own gate and run and none else, in the object as well as by its seal", async () => {
    await configure("policy", withReviewers());
    await sample({ server: "notes" });
    const { run } = await openNotice("request");
    const link = linkOf(await linksOf(people.length), "Ada");
    const rows = (await tablesOf(stubOf(run)))["links"] ?? [];
    const id = String(rows.find(({ reviewer }) => reviewer === 0)?.["id"]);
    const form = await filledForm(link, "approve");
    const submission: Submission = { act: "approve", version: Number(form.get("version")), digest: form.get("digest") ?? "", edits: [] };
    const wish = {
      once: form.get("nonce") ?? "",
      words: form.toString(),
      submission: jsonOf(submission),
      known: jsonOf<KnownBy>({ how: "link" }),
      passkey: null,
      member: null,
    };
    for (const input of [
      { gate: "response" as const, reviewer: 0, link: id, ...wish },
      { gate: "request" as const, reviewer: 1, link: id, ...wish },
      { gate: "request" as const, reviewer: 0, link: "AAAAAAAAAAAAAAAA", ...wish },
    ])
      expect(await stubOf(run).decide(input)).toEqual({ kind: "noSuchLink" });
    await sample({ server: "notes", originating: 8 });
    const other = await eventually("the other run's notice", async () => (await notices()).find((notice) => notice.run !== run));
    expect(await stubOf(other.run).decide({ gate: "request", reviewer: 0, link: id, ...wish })).toEqual({ kind: "noSuchLink" });
    // It was the link alone that stood against it.
    expect(await stubOf(run).decide({ gate: "request", reviewer: 0, link: id, ...wish })).toEqual({ kind: "decided" });
  });
});

function editPrompt(fields: URLSearchParams, text: string): void {
  const name = [...fields].find(([, value]) => value.includes(promptMarker))?.[0];
  if (name === undefined) throw new Error("no field with the prompt");
  fields.set(name, text);
}

type SentMessage = { readonly content: string | readonly { readonly text: string }[] };

/** Every text of the last call, in order. */
function textsSent(): string[] {
  const messages = model.calls.at(-1)?.body["messages"] as SentMessage[]; // as our own translation writes it
  return messages.flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(({ text }) => text)));
}

const promptsSent = (): string[] => model.calls.flatMap(() => textsSent());
