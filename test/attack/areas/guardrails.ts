// Budgets, the kill switch, redaction and encryption, from outside: what may not be spent, sent, shown or stored.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Area, type Attack, must, mustEqual, mustNotHave } from "../attack.ts";
import { askedByEmail, linkIn } from "../channels.ts";
import { callsWith, envelope, formOf, opened, pathOf, postForm, press, rpcOf, sample } from "../people.ts";
import { beginSession } from "../relay-client.ts";
import type { World } from "../world.ts";

const stopped = async (world: World, path: string, run: () => Promise<void>): Promise<void> => {
  mustEqual((await world.admin(`/stops/${path}`, { method: "PUT" })).status, 204, "stopping");
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
      // Each takes 12 + 5 tokens in the end, and may take up to 50 of output and its input: at most so many are paid.
      const { key } = await world.newKey({ budget: { tokens: 1_000, per: "day" } });
      const answers = await Promise.all(Array.from({ length: 100 }, () => sample(world, { text: "spending" }, key)));
      const served = answers.filter((answer) => rpcOf(answer).result !== undefined).length;
      must(served * 17 <= 1_000, `${served} requests were served`);
      must(
        answers.some((answer) => isSpent(rpcOf(answer).error?.code)),
        "none was refused: the attack shows nothing",
      );
      mustEqual(callsWith(world, "spending"), served, "calls of the model");
    },
  },
  {
    name: "a used-up budget of a key is used up at /control, at the relay and after a review too",
    run: async (world) => {
      const { key } = await world.newKey({ budget: { tokens: 5, per: "day" } });
      must(isSpent(rpcOf(await sample(world, {}, key)).error?.code), "/sampling served it");
      must((await world.ask("/control", { key, body: envelope() })).status === 402, "/control served it");
      const session = await beginSession(world, "notes", key);
      await session.end(key);
      mustEqual(world.model.requests.length, 0, "calls of the model");
    },
  },
  {
    name: "a key without tokens has nobody asked, so that no reviewer is kept busy by it",
    run: async (world) => {
      const { key } = await world.newKey({ budget: { tokens: 5, per: "day" } });
      const answer = await sample(world, { server: "request-gate" }, key);
      must(isSpent(rpcOf(answer).error?.code), `it was not refused: ${answer.text.slice(0, 200)}`);
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
        must(
          (await world.admin("/keys", { method: "POST", body: { name: "x", owner: "Ada", budget } })).status === 400,
          JSON.stringify(budget),
        );
    },
  },
];

const stops: readonly Attack[] = [
  ...(["everything", "servers/open"] as const).map((path): Attack => ({
    name: `with a stop of ${path} nothing is sent to a model`,
    run: (world) =>
      stopped(world, path, async () => {
        for (let times = 0; times < 10; times += 1) must(rpcOf(await sample(world)).error !== undefined, "it was served");
        mustEqual(world.model.requests.length, 0, "calls of the model");
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
        must(rpcOf(await review.answer).error !== undefined, "it was delivered");
      });
      mustEqual(callsWith(world, "approved after a stop"), 0, "calls of the model");
    },
  },
  {
    name: "an API key stops nothing, and lets nothing go on",
    run: async (world) => {
      for (const method of ["PUT", "DELETE"]) mustEqual((await world.ask("/admin/stops/everything", { method })).status, 401, method);
      mustEqual((await world.ask("/admin/budgets/spend")).status, 401, "what is spent");
    },
  },
];

/** Put together here, so that no file has something in it that looks like a real key. */
const token = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;

/** With rules that mask known secrets. */
async function masking(world: World, run: () => Promise<void>): Promise<void> {
  const before = (await world.admin("/policy")).json as object;
  const written = await world.put("policy", { ...before, redaction: { rules: [{ name: "secrets", secrets: "known" }] } });
  mustEqual(written.status, 200, `writing the rule: ${written.text.slice(0, 200)}`);
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
        mustNotHave(JSON.stringify(world.model.requests.at(-1)?.body), token, "the model's request");
        const { notice } = await askedByEmail(world, { text: `the token is ${token}` });
        mustNotHave(notice.html + notice.text + notice.subject, token, "the email");
        mustNotHave(
          (await world.ask(pathOf(linkIn(notice.text, world)), { key: null })).text,
          token,
          "the page of a reviewer who may not lift it",
        );
        await press(world, linkIn(notice.text, world), "deny");
        for (const path of ["/record", "/runs", "/notices"]) mustNotHave((await world.admin(path)).text, token, `/admin${path}`);
      }),
  },
  {
    name: "a secret in a reply that a rule masks reaches no requestor",
    run: (world) =>
      masking(world, async () => {
        world.model.script({ answer: "reply", text: `here it is: ${token}` });
        mustNotHave((await sample(world)).text, token, "the answer");
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
    must(text.length > 10_000, "no files were found: the attack shows nothing");
    for (const what of ["prompt", "reply", "turn", "denied", "reason"]) mustNotHave(text, `${mark} ${what}`, "a file on disk");
    for (const key of [world.ann.key, world.bob.key]) mustNotHave(text, key, "a file on disk");
  },
};

export const guardrails: Area = {
  name: "guardrails",
  about: "budgets, the kill switch, redaction and encryption",
  attacks: [...budgets, ...stops, ...redaction, stored],
};
