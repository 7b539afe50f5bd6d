// Arguments of a function call against the function's schema: the caller's own, and those that a
// model made up.

import { beforeEach, describe, expect, test } from "vitest";
import { control, controlAnswerOf, asked, envelopeOf, gates, prompt } from "../../support/control.ts";
import { model } from "../../support/gateway.ts";

beforeEach(() => gates());

const weather = {
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

const call = (parameters: unknown, name = "weather") =>
  envelopeOf("function_call", { functions: [weather], function_call: { name, parameters } });

describe("a function call that is given", () => {
  test.each<[string, unknown, string, string]>([
    ["an argument of the wrong type", { city: 7 }, "weather", "/task/parameters/function_call/parameters/city"],
    ["an argument that is missing", {}, "weather", "/task/parameters/function_call/parameters"],
    ["a function that nobody knows", {}, "other", "/task/parameters/function_call/name"],
  ])("with %s is refused, and says where", async (_name, parameters, name, pointer) => {
    const response = await control(call(parameters, name));
    expect(response.status).toBe(400);
    const { status, error } = await controlAnswerOf(response);
    expect({ status, code: error?.code }).toEqual({ status: "invalid", code: -32602 });
    const errors = error?.details?.["errors"] as { pointer: string }[];
    expect(errors.map((each) => each.pointer).join(" ")).toContain(pointer);
  });
});

test("a call that a model made up is told with its fault, and the others stand", async () => {
  model.script({
    calls: [
      { id: "a", name: "weather", input: { city: 7 } },
      { id: "b", name: "weather", input: { city: "Rome" } },
    ],
  });
  const answer = await asked(envelopeOf("function_call", { functions: [weather], prompt }));
  expect(answer.status).toBe("completed");
  expect(answer.result?.calls).toEqual([
    {
      name: "weather",
      arguments: { city: 7 },
      status: "invalid",
      error: {
        code: -32602,
        message: expect.stringMatching(/^Invalid params: \/result\/calls\/0\/arguments\/city /),
        details: { errors: [{ pointer: "/result/calls/0/arguments/city", message: expect.any(String) }] },
      },
    },
    { name: "weather", arguments: { city: "Rome" }, status: "validated" },
  ]);
});
