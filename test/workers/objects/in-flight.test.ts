// When a session writes which client requests are in flight, and what a reset leaves of them.

import { runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";
import type { SessionObject } from "../../../workers/objects/session/session-object.ts";
import { jsonOf } from "../../../shared/json/json-of.ts";
import { devKeyId } from "../../../workers/stores/keys.ts";
import { associateIn } from "../../../workers/stubs/session-calls.ts";
import { sessionStub } from "../../../workers/stubs/stubs.ts";
import { originatingLapsesMs } from "../../../shared/association/session.ts";
import { env, eventually, travel } from "../support/gateway.ts";
import { asObject, associateInput, crash, tablesIn } from "./inside.ts";

/** A fresh stub each time: after a crash an old one is of no use. */
const session = () => asObject<SessionObject>(sessionStub(env, devKeyId, "sess-1"));
const row = (request: string, originating = request) => ({
  request,
  originating,
  named: jsonOf({ id: request, method: "tools/call", name: "t" }),
});
const inFlight = async () => (await session().associationSigns(null)).inFlight;
const written = () =>
  runInDurableObject(session(), (_object, { storage }) => tablesIn(storage)["in_flight"]?.map(({ request }) => request) ?? []);

const isWritten = (request: string) => eventually("its row", async () => (await written()).find((each) => each === request));

test("a request that is answered at once is never written, and another answer of it ends nothing", async () => {
  await session().openInFlight([row("1"), row("2")], "a");
  expect(await inFlight()).toEqual([row("2").named, row("1").named]);
  await session().closeInFlight(["2"], false);
  await session().closeInFlight(["2"], false);
  expect(await inFlight()).toEqual([row("1").named]);
  await session().closeInFlight(["1"], false);
  expect(await inFlight()).toEqual([]);
  expect(await written()).toEqual([]);
});

test("one that is longer under way is written, and a reset leaves it in flight", async () => {
  await session().openInFlight([row("1")], "a");
  await isWritten("1");
  const gone = runInDurableObject(session(), (object, state) => {
    object.openInFlight([row("2")], "b");
    state.abort("gone");
  });
  await expect(gone).rejects.toThrow("gone");
  // The younger one is lost: sampling on the stand-alone stream that would be associated with it is
  // refused.
  expect(await inFlight()).toEqual([row("1").named]);
  await session().closeInFlight(["1"], false);
  expect(await written()).toEqual([]);
});

test("one that has sampled is written with the reservation: its answer ends it, also after a reset", async () => {
  await session().openInFlight([row("1", associateInput().originating)], "a");
  await associateIn(session(), associateInput({ durable: true }));
  expect(await written()).toEqual(["1"]);
  await crash();
  await session().closeInFlight(["1"], false);
  expect(await associateIn(session(), associateInput({ request: "later" }))).toEqual({ kind: "ended", what: "originatingRequest" });
});

test("a stream that leaves keeps its request for one that resumes it", async () => {
  await session().openInFlight([row("1")], "a");
  await session().leaveInFlight("a");
  expect(await inFlight()).toEqual([]);
  await session().resumeInFlight("1", "b");
  expect(await inFlight()).toEqual([row("1").named]);
});

test("a request id that is used again replaces the earlier one", async () => {
  await session().openInFlight([row("1", "first")], "a");
  await isWritten("1");
  await session().openInFlight([row("1", "second")], "b");
  expect(await inFlight()).toEqual([row("1").named]);
  await session().endOriginating(["second"], "originatingRequest", true);
  expect(await inFlight()).toEqual([]);
});

test("the end of the session leaves none in flight", async () => {
  await session().openInFlight([row("1")], "a");
  await isWritten("1");
  await session().openInFlight([row("2")], "b");
  await session().endSession(true);
  expect(await inFlight()).toEqual([]);
});

test("a token that is only inferred to serve a request is made while that is in flight, and its answer ends it, also after a reset", async () => {
  const { originating } = associateInput();
  expect(await session().openOriginating(originating, true)).toBe(false);
  await session().openInFlight([row("1", originating)], "a");
  expect(await session().openOriginating(originating, true)).toBe(true);
  expect(await written()).toEqual(["1"]);
  await crash();
  expect(await session().openOriginating(originating, true)).toBe(true);
  await session().closeInFlight(["1"], false);
  for (const mustBeInFlight of [true, false]) expect(await session().openOriginating(originating, mustBeInFlight)).toBe(false);
});

test("no token is made for a client request that was idle for a day", async () => {
  const { originating } = associateInput();
  expect(await session().openOriginating(originating, false)).toBe(true);
  travel(originatingLapsesMs + 1);
  expect(await session().openOriginating(originating, false)).toBe(false);
});
