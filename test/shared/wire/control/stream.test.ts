import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deltaEvent, finalEvent, progressEvent } from "../../../../shared/wire/control/control-events.ts";
import type { JsonObject } from "../../../../shared/encoding.ts";

const identity = { version: "2.1", requestId: "r-1" } as const;
const named = { protocol_version: "2.1", request_id: "r-1" };

/**
 * Events as a browser's reader takes them from a stream (HTML Standard, 9.2.6), shared with nothing
 * of the code under test.
 */
function dispatched(stream: string): { name: string; data: unknown }[] {
  const events: { name: string; data: unknown }[] = [];
  let [name, data] = ["message", [] as string[]];
  for (const line of stream.split(/\r\n|\r|\n/)) {
    if (line === "") {
      if (data.length > 0) events.push({ name, data: JSON.parse(data.join("\n")) });
      [name, data] = ["message", []];
    } else if (line.startsWith("event:")) name = line.slice(6).replace(/^ /, "");
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  return events;
}

test("each event names its request", () => {
  const stream =
    progressEvent(identity, { state: "generating", message: "The model writes." }) +
    deltaEvent(identity, "Hi") +
    finalEvent({ ...named, status: "completed", result: {} });
  expect(dispatched(stream)).toEqual([
    { name: "progress", data: { ...named, state: "generating", message: "The model writes." } },
    { name: "delta", data: { ...named, text: "Hi" } },
    { name: "result", data: { ...named, status: "completed", result: {} } },
  ]);
});

test("the last one is named error where the answer has one", () => {
  expect(dispatched(finalEvent({ ...named, status: "failed", error: { code: -32_011, message: "x" } }))).toMatchObject([{ name: "error" }]);
});

test("no text breaks out of its event", () => {
  const pieces = fc.string({ unit: fc.constantFrom("\n", "\r", "\n\n", "event: result", "data: {}", ":", "\u2028", "a", '"', "\\") });
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: "binary" }))), (texts) => {
      const well = texts.map((text) => text.toWellFormed());
      expect(dispatched(well.map((text) => deltaEvent(identity, text)).join(""))).toEqual(
        well.map((text) => ({ name: "delta", data: { ...named, text } })),
      );
      expect(dispatched(finalEvent({ result: well } as JsonObject))).toEqual([{ name: "result", data: { result: well } }]);
    }),
  );
});
