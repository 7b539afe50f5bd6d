// The types of `@countersign/worker`, which are written by hand, against the source.

import { expect, expectTypeOf, test } from "vitest";
import type * as declared from "../../workers/package/gateway.d.ts";
import type { Env } from "../../workers/platform/env.ts";
import * as gateway from "../../workers/index.ts";

type Variables<T> = { [K in keyof T as T[K] extends string | undefined ? K : never]: T[K] };

/** Each name once: a class that is missing here or there is a type error. */
const classes: Record<Exclude<keyof typeof declared, "default">, true> = {
  AlertObject: true,
  BridgeObject: true,
  BudgetObject: true,
  CacheObject: true,
  CallObject: true,
  ConcurrencyQueueObject: true,
  ConfigObject: true,
  ConversationObject: true,
  DigestObject: true,
  InboxObject: true,
  KeyObject: true,
  LedgerObject: true,
  RunObject: true,
  SessionObject: true,
  StopObject: true,
  OAuthObject: true,
  ToolsObject: true,
};

test("the declared classes are those that the source exports, and the declared environment has the source's names and variables", () => {
  expect(Object.keys(gateway).toSorted()).toEqual([...Object.keys(classes), "default"].toSorted());
  expect(Object.keys(gateway.default).toSorted()).toEqual(["fetch", "scheduled"]);
  // The following are checked by the compiler.
  expectTypeOf<keyof typeof gateway>().toEqualTypeOf<keyof typeof declared>();
  expectTypeOf<keyof (typeof gateway)["default"]>().toEqualTypeOf<keyof (typeof declared)["default"]>();
  expectTypeOf<keyof declared.Env>().toEqualTypeOf<keyof Env>();
  expectTypeOf<Variables<declared.Env>>().toEqualTypeOf<Variables<Env>>();
});
