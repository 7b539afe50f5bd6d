// Every object reset at each step of a run's life: the process is killed with -9 there and started again. What was decided counts, what was
// asked is not asked again, and links and callers go on.

import { type Area, type Attack, must, mustEqual } from "../attack.ts";
import {
  type Opened,
  type RpcAnswer,
  callsWith,
  factsOf,
  formOf,
  opened,
  postForm,
  press,
  reviewOf,
  rpcOf,
  runOf,
  sample,
  samplingMessage,
} from "../people.ts";
import type { World } from "../world.ts";

const restarted = async (world: World): Promise<void> => {
  await world.kill();
  await world.start();
};

const fault = (name: string, run: Attack["run"]): Attack => ({ name: `every object is reset ${name}`, isFault: true, run });

type Life = { readonly review: Opened; readonly text: string; readonly again: () => Promise<RpcAnswer> };

/** A request with both gates, and its caller's repeat. */
async function begun(world: World, server = "both-gates"): Promise<Life> {
  const id = crypto.randomUUID();
  const sampling = { id, session: `reset-${id}`, server, text: `reset ${id}` };
  const review = await opened(world, sampling);
  return { review, text: sampling.text, again: async () => rpcOf(await sample(world, sampling)) };
}

/** The model was asked as often as the record says, people once at each gate, and the caller has the reply. */
async function wentOn(
  world: World,
  { review, text }: Life,
  answer: RpcAnswer,
  gates: readonly string[] = ["request", "response"],
): Promise<void> {
  mustEqual(answer.result?._meta?.["countersign/run"]?.id, review.run, "the run that answered");
  const facts = await factsOf(world, review.run);
  mustEqual(
    facts.filter(({ kind }) => kind === "reviewOpened").map(({ gate }) => gate),
    gates,
    "reviews",
  );
  mustEqual(
    facts.filter(({ kind }) => kind === "approved").map(({ gate }) => gate),
    gates,
    "approvals",
  );
  const called = facts.filter(({ kind }) => kind === "called");
  must(callsWith(world, text) <= called.length, `the model was asked ${callsWith(world, text)} times, and the record has ${called.length}`);
  mustEqual(
    called.map(({ again }) => again),
    called.map((_, index) => index > 0),
    "which calls are marked as made again",
  );
}

const approveReply = async (world: World, run: string): Promise<void> => {
  const { link } = await reviewOf(world, run, "response");
  mustEqual((await press(world, link, "approve")).status, 303, "the reply's approval");
};

const steps: readonly Attack[] = [
  fault("while a request waits for its first review: the old link works, and the caller's repeat gets the reply", async (world) => {
    const life = await begun(world);
    await restarted(world);
    const answer = life.again();
    mustEqual((await press(world, life.review.link, "approve")).status, 303, "the old link");
    await approveReply(world, life.review.run);
    await wentOn(world, life, await answer);
  }),
  fault("between the page and its form: the form decides, once", async (world) => {
    const life = await begun(world, "request-gate");
    const fields = (await formOf(world, life.review.link)) ?? new URLSearchParams();
    fields.set("act", "approve:0");
    await restarted(world);
    mustEqual((await postForm(world, life.review.link, fields)).status, 303, "the form");
    await wentOn(world, life, await life.again(), ["request"]);
    mustEqual((await postForm(world, life.review.link, fields)).status, 303, "the same form again, which gets the same answer");
    mustEqual((await factsOf(world, life.review.run)).filter(({ kind }) => kind === "approved").length, 1, "approvals");
  }),
  fault("at once after an approval was answered: it counts", async (world) => {
    const life = await begun(world);
    mustEqual((await press(world, life.review.link, "approve")).status, 303, "the approval");
    await restarted(world);
    const answer = life.again();
    await approveReply(world, life.review.run);
    await wentOn(world, life, await answer);
  }),
  fault("at once after a denial was answered: nothing is sent, then or later", async (world) => {
    const life = await begun(world);
    mustEqual((await press(world, life.review.link, "deny")).status, 303, "the denial");
    await restarted(world);
    mustEqual((await life.again()).error?.data?.["outcome"], "rejected", "the repeat");
    mustEqual(callsWith(world, life.text), 0, "calls of the model");
  }),
  fault("while the model is called: it is called again, and the record says so", async (world) => {
    const life = await begun(world, "request-gate");
    world.model.script({ answer: "silent" });
    await press(world, life.review.link, "approve");
    await restarted(world);
    await wentOn(world, life, await life.again(), ["request"]);
  }),
  fault("while a reply waits for its review: the model is not asked again", async (world) => {
    const life = await begun(world);
    await press(world, life.review.link, "approve");
    const reply = await reviewOf(world, life.review.run, "response");
    await restarted(world);
    const answer = life.again();
    mustEqual((await press(world, reply.link, "approve")).status, 303, "the old link");
    await wentOn(world, life, await answer);
    mustEqual(callsWith(world, life.text), 1, "calls of the model");
  }),
  fault("at once after the reply was approved: it is delivered", async (world) => {
    const life = await begun(world);
    await press(world, life.review.link, "approve");
    await approveReply(world, life.review.run);
    await restarted(world);
    await wentOn(world, life, await life.again());
    mustEqual(callsWith(world, life.text), 1, "calls of the model");
  }),
  fault("after the delivery: a repeat gets the same reply, and nobody is asked", async (world) => {
    const life = await begun(world);
    await press(world, life.review.link, "approve");
    await approveReply(world, life.review.run);
    const first = rpcOf(await life.review.answer);
    await restarted(world);
    const second = await life.again();
    mustEqual(second.result?.content, first.result?.content, "the repeat");
    await wentOn(world, life, second);
    mustEqual(callsWith(world, life.text), 1, "calls of the model");
  }),
  fault("between two of two approvals: the first one counts", async (world) => {
    const review = await opened(world, { server: "two-of-three", text: "reset between votes" }, { reviewers: 3 });
    const [cleo = "", dora = ""] = ["Cleo", "Dora"].map((name) => review.links.get(name));
    await press(world, cleo, "approve");
    await restarted(world);
    await press(world, cleo, "approve");
    mustEqual(callsWith(world, "reset between votes"), 0, "calls of the model after the same person approved twice");
    mustEqual((await press(world, dora, "approve")).status, 303, "the second approval");
    for (let tries = 0; tries < 100 && (await runOf(world, review.run)).status === "working"; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    mustEqual(callsWith(world, "reset between votes"), 1, "calls of the model");
  }),
  fault("while a deadline passes: the run ends as expired by itself", async (world) => {
    const id = crypto.randomUUID();
    const sampling = { id, session: `reset-${id}`, server: "short", text: `reset ${id}` };
    const review = await opened(world, sampling);
    await world.kill();
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    await world.start();
    mustEqual(rpcOf(await sample(world, sampling)).error?.data?.["outcome"], "expired", "the outcome");
    must((await press(world, review.link, "approve")).status !== 303, "it could be approved");
    mustEqual(callsWith(world, sampling.text), 0, "calls of the model");
  }),
  fault("after a withdrawal: it stays withdrawn", async (world) => {
    const life = await begun(world);
    await world.ask(`/runs/${life.review.run}`, { method: "DELETE" });
    await restarted(world);
    must((await press(world, life.review.link, "approve")).status !== 303, "it could be approved");
    mustEqual(callsWith(world, life.text), 0, "calls of the model");
  }),
  fault("after a key was revoked: it stays revoked, and its open review with it", async (world) => {
    const { id, key } = await world.newKey();
    const review = await opened(world, { text: "reset revoked" }, { key });
    await world.admin(`/keys/${id}`, { method: "DELETE" });
    await restarted(world);
    mustEqual((await world.ask("/sampling", { key, body: samplingMessage() })).status, 401, "the key");
    must((await press(world, review.link, "approve")).status !== 303, "it could be approved");
    mustEqual(callsWith(world, "reset revoked"), 0, "calls of the model");
  }),
  fault("after a session was ended: it stays ended", async (world) => {
    await sample(world, { session: "reset-ended" });
    await world.ask("/sessions/reset-ended", { method: "DELETE" });
    await restarted(world);
    must(rpcOf(await sample(world, { session: "reset-ended" })).error !== undefined, "it took a request");
  }),
];

export const resets: Area = { name: "resets", about: "every object reset at each step of a run's life", attacks: steps };
