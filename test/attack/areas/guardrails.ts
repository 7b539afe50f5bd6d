// Budgets, the kill switch, redaction and encryption, from outside: what may not be spent, sent,
// shown or stored.

import { expect } from "vitest";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Area, type Attack } from "../attack.ts";
import { askedByEmail, linkIn } from "../channels.ts";
import { callsWith, envelope, formOf, opened, pathOf, postForm, press, rpcOf, sample } from "../people.ts";
import { beginSession } from "../relay-client.ts";
import type { World } from "../world.ts";

const stopped = async (world: World, path: string, run: () => Promise<void>): Promise<void> => {
  expect((await world.admin(`/stops/${path}`, { method: "PUT" })).status, "stopping").toBe(204);
  try {
    await run();
  } finally {
    await world.admin(`/stops/${path}`, { method: "DELETE" });
    // An isolate may believe for two seconds what it was told last.
    await new Promise((resolve) => setTimeout(resolve, 2_200));
  }
};

const isSpent = (code: number | undefined): boolean => code === -32_012;

const budgets: readonly Attack[] = [
  {
    name: "a hundred requests at once spend no more than the budget of their key",
    run: async (world) => {
      // Each takes 12 + 5 tokens in the end, and may take up to 50 of output and its input: at most
      // so many are paid.
      const { key } = await world.newKey({ budget: { tokens: 1_000, per: "day" } });
      const answers = await Promise.all(Array.from({ length: 100 }, () => sample(world, { text: "spending" }, key)));
      const served = answers.filter((answer) => rpcOf(answer).result !== undefined).length;
      expect(served * 17, `${served} requests were served`).toBeLessThanOrEqual(1_000);
      expect(
        answers.some((answer) => isSpent(rpcOf(answer).error?.code)),
        "none was refused: the attack shows nothing",
      ).toBe(true);
      expect(callsWith(world, "spending"), "calls of the model").toEqual(served);
    },
  },
  {
    name: "a used-up budget of a key is used up at /control, at the relay and after a review too",
    run: async (world) => {
      const { key } = await world.newKey({ budget: { tokens: 5, per: "day" } });
      expect(isSpent(rpcOf(await sample(world, {}, key)).error?.code), "/sampling served it").toBe(true);
      expect((await world.ask("/control", { key, body: envelope() })).status, "/control served it").toBe(402);
      const session = await beginSession(world, "notes", key);
      await session.end(key);
      expect(world.model.requests.length, "calls of the model").toBe(0);
    },
  },
  {
    name: "a key without tokens has nobody asked, so that no reviewer is kept busy by it",
    run: async (world) => {
      const { key } = await world.newKey({ budget: { tokens: 5, per: "day" } });
      const answer = await sample(world, { server: "request-gate" }, key);
      expect(isSpent(rpcOf(answer).error?.code), `it was not refused: ${answer.text.slice(0, 200)}`).toBe(true);
    },
  },
  {
    name: "negative, endless and misspelt budgets are refused",
    run: async (world) => {
      for (const budget of [
        { usd: -1, per: "day" },
        { usd: "1e999", per: "day" },
        { tokens: 1.5, per: "day" },
        { usd: 1, per: "hour" },
        { usd: null, per: "day" },
      ])
        expect(
          (await world.admin("/keys", { method: "POST", body: { name: "x", owner: "Ada", budget } })).status,
          JSON.stringify(budget),
        ).toBe(400);
    },
  },
];

const stops: readonly Attack[] = [
  ...(["everything", "servers/open"] as const).map((path): Attack => ({
    name: `with a stop of ${path} nothing is sent to a model`,
    run: (world) =>
      stopped(world, path, async () => {
        for (let times = 0; times < 10; times += 1) expect(rpcOf(await sample(world)).error, "it was served").toBeDefined();
        expect(world.model.requests.length, "calls of the model").toBe(0);
      }),
  })),
  {
    name: "an approval that comes after a stop sends nothing",
    run: async (world) => {
      const review = await opened(world, { text: "approved after a stop" });
      const fields = (await formOf(world, review.link)) ?? new URLSearchParams();
      fields.set("act", "approve:0");
      await stopped(world, "everything", async () => {
        await postForm(world, review.link, fields);
        expect(rpcOf(await review.answer).error, "it was delivered").toBeDefined();
      });
      expect(callsWith(world, "approved after a stop"), "calls of the model").toBe(0);
    },
  },
  {
    name: "an API key stops nothing, and lets nothing go on",
    run: async (world) => {
      for (const method of ["PUT", "DELETE"]) expect((await world.ask("/admin/stops/everything", { method })).status, method).toBe(401);
      expect((await world.ask("/admin/budgets/spend")).status, "what is spent").toBe(401);
    },
  },
];

/** Put together here, so that no file has something in it that looks like a real key. */
const token = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;

/** With rules that mask known secrets. */
async function masking(world: World, run: () => Promise<void>): Promise<void> {
  const before = (await world.admin("/policy")).json as object;
  const written = await world.put("policy", { ...before, redaction: { rules: [{ name: "secrets", secrets: "known" }] } });
  expect(written.status, `writing the rule: ${written.text.slice(0, 200)}`).toBe(200);
  try {
    await run();
  } finally {
    await world.put("policy", before);
  }
}

const redaction: readonly Attack[] = [
  {
    name: "a secret that a rule masks reaches no model, page, email, record or list",
    run: (world) =>
      masking(world, async () => {
        await sample(world, { text: `the token is ${token}` });
        expect(JSON.stringify(world.model.requests.at(-1)?.body), "the model's request").not.toContain(token);
        const { notice } = await askedByEmail(world, { text: `the token is ${token}` });
        expect(notice.html + notice.text + notice.subject, "the email").not.toContain(token);
        expect(
          (await world.ask(pathOf(linkIn(notice.text, world)), { key: null })).text,
          "the page of a reviewer who may not lift it",
        ).not.toContain(token);
        await press(world, linkIn(notice.text, world), "deny");
        for (const path of ["/record", "/runs", "/notices"]) expect((await world.admin(path)).text, `/admin${path}`).not.toContain(token);
      }),
  },
  {
    name: "a secret in a reply that a rule masks reaches no requestor",
    run: (world) =>
      masking(world, async () => {
        world.model.script({ answer: "reply", text: `here it is: ${token}` });
        expect((await sample(world)).text, "the answer").not.toContain(token);
      }),
  },
];

/** Everything in the gateway's folder, as one text. */
const storedIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");

const stored: Attack = {
  name: "with CONTENT_KEY the files on disk have no prompt, reply, edit, reason or conversation in plain text, and never a key or a token",
  run: async (world) => {
    const mark = `plain-${crypto.randomUUID()}`;
    world.model.script({ answer: "reply", text: `${mark} reply` });
    const review = await opened(world, { server: "both-gates", text: `${mark} prompt` });
    await press(world, review.link, "approve");
    await world.ask("/control", {
      body: envelope({
        prompt: `${mark} turn`,
        context: { session_id: mark.slice(0, 20), remember: { ttl: 600 } },
        control: { cache: { enable: true } },
      }),
    });
    const denied = await opened(world, { text: `${mark} denied` });
    await press(world, denied.link, "deny", (fields) => fields.set("reason", `${mark} reason`));
    await world.kill();
    const text = storedIn(world.folder);
    await world.start();
    expect(text.length, "no files were found: the attack shows nothing").toBeGreaterThan(10_000);
    for (const what of ["prompt", "reply", "turn", "denied", "reason"]) expect(text, "a file on disk").not.toContain(`${mark} ${what}`);
    for (const key of [world.ann.key, world.bob.key]) expect(text, "a file on disk").not.toContain(key);
  },
};

export const guardrails: Area = {
  name: "guardrails",
  about: "budgets, the kill switch, redaction and encryption",
  attacks: [...budgets, ...stops, ...redaction, stored],
};
