// What a crash leaves of a fast-path request in its session, and what is kept there for a repeat.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { originatingKey } from "../../../workers/pipeline/incoming/sampling-call.ts";
import { type AssociateInput, associateIn } from "../../../workers/stubs/session-calls.ts";
import type { SessionObject } from "../../../workers/objects/session/session-object.ts";
import { sessionStub } from "../../../workers/stubs/stubs.ts";
import { devKeyId } from "../../../workers/stores/keys.ts";
import { answerOf, env, eventually, model, post, sample, samplingMessage, travel } from "../support/gateway.ts";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { firstGap } from "../../../shared/record/record.ts";
import { areActs } from "../../../shared/record/operators.ts";
import { recordLines } from "../support/record.ts";
import { asObject, associateInput, crash, recordWith, tablesIn } from "./inside.ts";

const brokenAs = (quote: string) => jsonOf({ kind: "broken", quote } as const);

/** A fresh stub each time: after a crash an old one is of no use. */
const session = () => asObject<SessionObject>(sessionStub(env, devKeyId, "sess-1"));

/** The object answers, which is returned, and is gone before it does anything else. */
async function answeredAndGone(input: AssociateInput): Promise<unknown> {
  let answer: unknown = null;
  const call = runInDurableObject(session(), (object, state) => {
    answer = readJsonOf(object.associate(jsonOf(input)));
    state.abort("gone");
  });
  await expect(call).rejects.toThrow("gone");
  return answer;
}

test.each([
  ["a run", true, 1],
  ["a model call", false, 0],
])("the reservation of %s is written before the answer: %s", async (_name, durable, written) => {
  // A session that has its tables.
  await associateIn(session(), associateInput({ request: "earlier", durable: true }));
  const rows = await runInDurableObject(session(), (object, { storage }) => {
    object.associate(jsonOf(associateInput({ durable })));
    return tablesIn(storage)["sampling"]?.filter(({ request }) => request === "r").length;
  });
  expect(rows).toBe(written);
  expect(await associateIn(session(), associateInput({ durable, run: "run-b" }))).toMatchObject({ kind: "repeat", run: "run-a" });
});

test("a fresh request of a session that is awake asks the tables nothing before its answer", async () => {
  const facts = { key: devKeyId, endpoint: "sampling", server: "open", method: "sampling/createMessage", name: "ask" } as const;
  const input = (request: string) => jsonOf(associateInput({ request, originating: `o-${request}`, run: `run-${request}`, facts }));
  await runInDurableObject(session(), (object, { storage }) => {
    // The first of an object reads what its session has.
    for (const request of ["1", "2"]) object.associate(input(request));
    const exec = vi.spyOn(storage.sql, "exec");
    try {
      for (const request of ["3", "4", "5"])
        expect(readJsonOf(object.associate(input(request)))).toEqual({ kind: "fresh", takenOver: false });
      expect(exec).not.toHaveBeenCalled();
      // What may be there is asked for, with what was to be written.
      for (const request of ["1", "4"])
        expect(readJsonOf(object.associate(input(request)))).toMatchObject({ kind: "repeat", run: `run-${request}` });
      expect(exec).toHaveBeenCalled();
    } finally {
      exec.mockRestore();
    }
  });
});

test("outcomes that come together are one statement and one text, however many they are", async () => {
  const requests = ["1", "2", "3", "4", "5"];
  const of = (request: string) => ({
    originating: originatingKey("open", 7),
    request,
    run: `run-${request}`,
    result: brokenAs(request),
    isRecorded: true,
  });
  for (const request of requests)
    await associateIn(session(), associateInput({ request, run: `run-${request}`, roundsLimit: requests.length }));
  await runInDurableObject(session(), (object, { storage }) => {
    const exec = vi.spyOn(storage.sql, "exec");
    try {
      object.settle(jsonOf(requests.map(of)));
      const written = exec.mock.calls.map(([query]) => /^(?:INSERT INTO|UPDATE) \w+/.exec(query)?.[0]).filter((each) => each !== undefined);
      expect(written).toEqual(["UPDATE sampling", "INSERT INTO result"]);
    } finally {
      exec.mockRestore();
    }
    expect(tablesIn(storage)["result"]).toHaveLength(1);
  });
});

test("what a session was to write and could not holds up no later write", async () => {
  await associateIn(session(), associateInput({ request: "earlier" }));
  await runInDurableObject(session(), async (object, { storage }) => {
    const write = storage.sql.exec.bind(storage.sql);
    const exec = vi.spyOn(storage.sql, "exec").mockImplementation((query, ...values) => {
      if (values.includes("lost")) throw new Error("the disk is full");
      return write(query, ...values);
    });
    for (const request of ["lost", "kept"]) object.associate(jsonOf(associateInput({ request })));
    await eventually("the later one", async () => tablesIn(storage)["sampling"]?.some(({ request }) => request === "kept"));
    exec.mockRestore();
    expect(tablesIn(storage)["sampling"]?.map(({ request }) => request)).not.toContain("lost");
  });
});

describe("a crash", () => {
  test("before the reservation was confirmed leaves nothing: the same request is fresh, and no round was counted", async () => {
    for (let times = 0; times < 4; times += 1) expect(await answeredAndGone(associateInput())).toEqual({ kind: "fresh", takenOver: false });
    expect(await associateIn(session(), associateInput({ run: "run-b", roundsLimit: 1 }))).toEqual({ kind: "fresh", takenOver: false });
  });

  test("after it keeps the request: a repeat finds it, and takes it over only when its lease is over", async () => {
    await associateIn(session(), associateInput());
    expect(await associateIn(session(), associateInput({ run: "run-b" }))).toMatchObject({ kind: "repeat", run: "run-a" });
    await crash();
    expect(await associateIn(session(), associateInput({ run: "run-b" }))).toMatchObject({ kind: "repeat", run: "run-a", result: null });
    travel(30_000);
    expect(await associateIn(session(), associateInput({ run: "run-b" }))).toEqual({ kind: "fresh", takenOver: true });
  });

  test("of everything, while the model answered: the repeat calls it again, and its event says so", async () => {
    const message = samplingMessage({ id: 1 });
    model.script({ until: new Promise<void>(() => {}), step: {} });
    await post(message);
    await eventually("the first call", async () => model.calls[0]);
    await crash();
    travel(200_000);
    model.script({ text: "Paris." });
    const answer = await answerOf(post(message));
    expect(model.calls).toHaveLength(2);
    const run = answer.result?._meta?.["countersign/run"]?.id ?? "";
    const facts = (await recordWith(run, "finished")).map(({ fact }) => fact);
    expect(facts.find(({ kind }) => kind === "received")).toMatchObject({ takenOver: true });
    expect(facts.find(({ kind }) => kind === "called")).toMatchObject({ call: 1, again: true });
  });
});

test("a call that may be paid for twice is in the record before it is made, numbered with what comes after it", async () => {
  const message = samplingMessage({ id: 1 });
  model.script({ until: new Promise<void>(() => {}), step: {} });
  await post(message);
  await eventually("the first call", async () => model.calls[0]);
  await crash();
  travel(200_000);
  let answered = (): void => {};
  model.script({ until: new Promise<void>((resolve) => (answered = resolve)), step: { text: "Paris." } });
  const answering = post(message);
  await eventually("the second call", async () => model.calls[1]);
  const lines = (await recordLines()).filter(({ run }) => !areActs(run));
  expect(lines.map(({ fact }) => fact)).toMatchObject([
    { kind: "received", takenOver: true },
    { kind: "called", again: true },
  ]);
  answered();
  const run = (await answerOf(answering)).result?._meta?.["countersign/run"]?.id ?? "";
  const whole = await recordWith(run, "finished");
  expect(whole.map(({ fact }) => fact.kind)).toEqual(["received", "called", "answered", "finished"]);
  expect(firstGap(whole)).toBeNull();
});

test("requests of one moment are each reserved once, and counted as so many rounds", async () => {
  const answers = await runInDurableObject(session(), (object) =>
    ["r1", "r2", "r2", "r3", "r4"].map((request, index) =>
      readJsonOf(object.associate(jsonOf(associateInput({ request, run: `run-${index}` })))),
    ),
  );
  expect(answers).toEqual([
    { kind: "fresh", takenOver: false },
    { kind: "fresh", takenOver: false },
    { kind: "repeat", run: "run-1", state: "fast", ended: false, result: null },
    { kind: "fresh", takenOver: false },
    { kind: "tooManyRounds", limit: 3 },
  ]);
});

test("outcomes that come together are each found by a repeat, and a late one of a lost Worker is not", async () => {
  const of = (request: string, run: string, quote: string) => ({
    originating: originatingKey("open", 7),
    request,
    run,
    result: brokenAs(quote),
    isRecorded: true,
  });
  for (const request of ["r1", "r2"]) await associateIn(session(), associateInput({ request, run: `run-${request}` }));
  await session().settle(jsonOf([of("r1", "run-r1", "one"), of("r2", "run-lost", "late"), of("r2", "run-r2", "two")]));
  // Sent once more, as the flush does where it heard no answer.
  await session().settle(jsonOf([of("r1", "run-r1", "another"), of("r2", "run-r2", "another")]));
  await crash();
  for (const [request, quote] of [
    ["r1", "one"],
    ["r2", "two"],
  ] as const)
    expect(await associateIn(session(), associateInput({ request }))).toMatchObject({
      kind: "repeat",
      state: "settled",
      result: brokenAs(quote),
    });
});

test("a repeat that comes with the answer gets the kept one, and the model is asked once", async () => {
  const first = await answerOf(sample({ id: 1 }));
  const repeats = await Promise.all([answerOf(sample({ id: 1 })), answerOf(sample({ id: 1 }))]);
  expect(repeats).toEqual([first, first]);
  expect(model.calls).toHaveLength(1);
});
