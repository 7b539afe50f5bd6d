// Every object reset at each step of a run's life: the process is killed with -9 there and started
// again. What was decided counts, what was asked is not asked again, and links and callers go on.

import { expect } from "vitest";
import { until } from "../../outside/support/raw-client.ts";
import { type Area, type Attack } from "../attack.ts";
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

/**
 * The model was asked as often as the record says, people once at each gate, and the caller has the
 * reply.
 */
async function wentOn(
  world: World,
  { review, text }: Life,
  answer: RpcAnswer,
  gates: readonly string[] = ["request", "response"],
): Promise<void> {
  expect(answer.result?._meta?.["countersign/run"]?.id, "the run that answered").toEqual(review.run);
  const facts = await factsOf(world, review.run);
  expect(
    facts.filter(({ kind }) => kind === "reviewOpened").map(({ gate }) => gate),
    "reviews",
  ).toEqual(gates);
  expect(
    facts.filter(({ kind }) => kind === "approved").map(({ gate }) => gate),
    "approvals",
  ).toEqual(gates);
  const called = facts.filter(({ kind }) => kind === "called");
  expect(
    callsWith(world, text),
    `the model was asked ${callsWith(world, text)} times, and the record has ${called.length}`,
  ).toBeLessThanOrEqual(called.length);
  expect(
    called.map(({ again }) => again),
    "which calls are marked as made again",
  ).toEqual(called.map((_, index) => index > 0));
}

const approveReply = async (world: World, run: string): Promise<void> => {
  const { link } = await reviewOf(world, run, "response");
  expect((await press(world, link, "approve")).status, "the reply's approval").toBe(303);
};

const steps: readonly Attack[] = [
  fault("while a request waits for its first review: the old link works, and the caller's repeat gets the reply", async (world) => {
    const life = await begun(world);
    await restarted(world);
    const answer = life.again();
    expect((await press(world, life.review.link, "approve")).status, "the old link").toBe(303);
    await approveReply(world, life.review.run);
    await wentOn(world, life, await answer);
  }),
  fault("between the page and its form: the form decides, once", async (world) => {
    const life = await begun(world, "request-gate");
    const fields = (await formOf(world, life.review.link)) ?? new URLSearchParams();
    fields.set("act", "approve:0");
    await restarted(world);
    expect((await postForm(world, life.review.link, fields)).status, "the form").toBe(303);
    await wentOn(world, life, await life.again(), ["request"]);
    expect((await postForm(world, life.review.link, fields)).status, "the same form again, which gets the same answer").toBe(303);
    expect((await factsOf(world, life.review.run)).filter(({ kind }) => kind === "approved").length, "approvals").toBe(1);
  }),
  fault("at once after an approval was answered: it counts", async (world) => {
    const life = await begun(world);
    expect((await press(world, life.review.link, "approve")).status, "the approval").toBe(303);
    await restarted(world);
    const answer = life.again();
    await approveReply(world, life.review.run);
    await wentOn(world, life, await answer);
  }),
  fault("at once after a denial was answered: nothing is sent, then or later", async (world) => {
    const life = await begun(world);
    expect((await press(world, life.review.link, "deny")).status, "the denial").toBe(303);
    await restarted(world);
    expect((await life.again()).error?.data?.["outcome"], "the repeat").toBe("rejected");
    expect(callsWith(world, life.text), "calls of the model").toBe(0);
  }),
  fault("while the model is called: it is called again, and the record says so", async (world) => {
    const life = await begun(world, "request-gate");
    world.model.script({ answer: "silent" });
    await press(world, life.review.link, "approve");
    await until("the call of the model", async () => callsWith(world, life.text) > 0);
    await restarted(world);
    await wentOn(world, life, await life.again(), ["request"]);
  }),
  fault("while a reply waits for its review: the model is not asked again", async (world) => {
    const life = await begun(world);
    await press(world, life.review.link, "approve");
    const reply = await reviewOf(world, life.review.run, "response");
    await restarted(world);
    const answer = life.again();
    expect((await press(world, reply.link, "approve")).status, "the old link").toBe(303);
    await wentOn(world, life, await answer);
    expect(callsWith(world, life.text), "calls of the model").toBe(1);
  }),
  fault("at once after the reply was approved: it is delivered", async (world) => {
    const life = await begun(world);
    await press(world, life.review.link, "approve");
    await approveReply(world, life.review.run);
    await restarted(world);
    await wentOn(world, life, await life.again());
    expect(callsWith(world, life.text), "calls of the model").toBe(1);
  }),
  fault("after the delivery: a repeat gets the same reply, and nobody is asked", async (world) => {
    const life = await begun(world);
    await press(world, life.review.link, "approve");
    await approveReply(world, life.review.run);
    const first = rpcOf(await life.review.answer);
    await restarted(world);
    const second = await life.again();
    expect(second.result?.content, "the repeat").toEqual(first.result?.content);
    await wentOn(world, life, second);
    expect(callsWith(world, life.text), "calls of the model").toBe(1);
  }),
  fault("between two of two approvals: the first one counts", async (world) => {
    const review = await opened(world, { server: "two-of-three", text: "reset between votes" }, { reviewers: 3 });
    const [cleo = "", dora = ""] = ["Cleo", "Dora"].map((name) => review.links.get(name));
    await press(world, cleo, "approve");
    await restarted(world);
    await press(world, cleo, "approve");
    expect(callsWith(world, "reset between votes"), "calls of the model after the same person approved twice").toBe(0);
    expect((await press(world, dora, "approve")).status, "the second approval").toBe(303);
    await until("the end of the run", async () => (await runOf(world, review.run)).status !== "working");
    expect(callsWith(world, "reset between votes"), "calls of the model").toBe(1);
  }),
  fault("while a deadline passes: the run ends as expired by itself", async (world) => {
    const id = crypto.randomUUID();
    const sampling = { id, session: `reset-${id}`, server: "short", text: `reset ${id}` };
    const review = await opened(world, sampling);
    await world.kill();
    await new Promise((resolve) => setTimeout(resolve, 5_200));
    await world.start();
    expect(rpcOf(await sample(world, sampling)).error?.data?.["outcome"], "the outcome").toBe("expired");
    expect((await press(world, review.link, "approve")).status, "it could be approved").not.toBe(303);
    expect(callsWith(world, sampling.text), "calls of the model").toBe(0);
  }),
  fault("after a withdrawal: it stays withdrawn", async (world) => {
    const life = await begun(world);
    await world.ask(`/runs/${life.review.run}`, { method: "DELETE" });
    await restarted(world);
    expect((await press(world, life.review.link, "approve")).status, "it could be approved").not.toBe(303);
    expect(callsWith(world, life.text), "calls of the model").toBe(0);
  }),
  fault("after a key was revoked: it stays revoked, and its open review with it", async (world) => {
    const { id, key } = await world.newKey();
    const review = await opened(world, { text: "reset revoked" }, { key });
    await world.admin(`/keys/${id}`, { method: "DELETE" });
    await restarted(world);
    expect((await world.ask("/sampling", { key, body: samplingMessage() })).status, "the key").toBe(401);
    expect((await press(world, review.link, "approve")).status, "it could be approved").not.toBe(303);
    expect(callsWith(world, "reset revoked"), "calls of the model").toBe(0);
  }),
  fault("after a session was ended: it stays ended", async (world) => {
    await sample(world, { session: "reset-ended" });
    await world.ask("/sessions/reset-ended", { method: "DELETE" });
    await restarted(world);
    expect(rpcOf(await sample(world, { session: "reset-ended" })).error, "it took a request").toBeDefined();
  }),
];

export const resets: Area = { name: "resets", about: "every object reset at each step of a run's life", attacks: steps };
