// What the log says of an error.

import { expect, test } from "vitest";
import { ConfigurationUnavailable } from "../../../workers/stores/documents.ts";
import { errorClass } from "../../../workers/platform/log.ts";

class Renamed extends Error {
  override readonly name = "OriginalName";
}

test.each<[string, unknown]>([
  ["TypeError", new TypeError("a message")],
  ["AbortError", new DOMException("a message", "AbortError")],
  ["ConfigurationUnavailable", new ConfigurationUnavailable("a message")],
  ["OriginalName", new Renamed("a message")],
  ["Error", Object.assign(new Error("a message"), { name: "words that someone set" })],
  ["string", "a message"],
  ["undefined", undefined],
])("an error is logged as its class: %s", (name, error) => {
  expect(errorClass(error)).toBe(name);
});
