import { describe, test } from "vitest";
import { areServedInOrder, keepPlacesThroughCrashes } from "../../workers/objects/lane-load.ts";

describe("300 callers of three priorities on a lane of five", () => {
  test("are served in order, never six at once, and leave nothing behind", () => areServedInOrder(300));

  test("keep places and turns through three crashes, among them those who give up while the object is gone", () =>
    keepPlacesThroughCrashes(300));
});
