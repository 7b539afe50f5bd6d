import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AnswerFault, Attempt, ProviderError } from "../../../shared/model/call.ts";
import { causeSentence, explainCause } from "../../../shared/record/cause.ts";
import { causesEn } from "../../../shared/record/causes-en.ts";
import { causesZh } from "../../../shared/record/causes-zh.ts";
import { type FailureReason, failedCause, failedModels, failedReasons } from "../../../shared/record/failed-models.ts";

type Fault = Omit<ProviderError, "then">;

const failed500 = { kind: "providerError", status: 500 } as const;
const limited = { kind: "rateLimited", status: 429 } as const;
const overloaded = { kind: "overloaded", status: 529 } as const;
const unreachable = { kind: "connection" } as const;
const denied = { kind: "refusedCredential", status: 401 } as const;
const refused = { kind: "badRequest", status: 400 } as const;
const silent = { kind: "timeout" } as const;
const late = { kind: "timeout", detail: "outOfTime" } as const;
const full = { kind: "queueFull" } as const;
const tooDear = { kind: "overBudget" } as const;
const stopped = { kind: "stopped" } as const;

const attempt = (model: string, fault: Fault): Attempt => ({
  model,
  provider: `${model}-provider`,
  at: 0,
  durationMs: 1,
  fault: { ...fault, then: "next" },
});
const attempts = (...models: readonly (readonly [model: string, ...faults: Fault[]])[]): Attempt[] =>
  models.flatMap(([model, ...faults]) => faults.map((fault) => attempt(model, fault)));

describe("the cause of a request whose models all failed", () => {
  const table: readonly (readonly [about: string, made: Attempt[], reason: FailureReason | null])[] = [
    [
      "500, 429, and a backup that cannot be reached",
      attempts(["claude", failed500], ["gpt", limited], ["backup", unreachable]),
      "providerError",
    ],
    [
      "the same with retries of the backup alone",
      attempts(["claude", failed500], ["backup", unreachable, unreachable, unreachable]),
      "providerError",
    ],
    ["no provider can be reached", attempts(["a", unreachable], ["b", unreachable], ["c", unreachable]), "unreachable"],
    ["most providers cannot be reached", attempts(["a", limited], ["b", unreachable], ["c", unreachable]), "unreachable"],
    ["half of them cannot be reached", attempts(["a", limited], ["b", limited], ["c", unreachable], ["d", unreachable]), "rateLimited"],
    [
      "half of them, the first choice not among them",
      attempts(["a", limited], ["b", silent], ["c", unreachable], ["d", unreachable]),
      "rateLimited",
    ],
    ["attempts do not count as models", attempts(["a", limited], ["b", unreachable, unreachable], ["c", failed500]), "rateLimited"],
    ["a credential that stops at once", attempts(["a", denied]), "refusedCredential"],
    ["a request that the second refuses", attempts(["a", overloaded, overloaded], ["b", refused]), "overloaded"],
    ["what the first choice did most often", attempts(["a", silent, failed500, failed500], ["b", limited]), "providerError"],
    ["of equals what it did first", attempts(["a", overloaded, unreachable], ["b", limited]), "overloaded"],
    ["the time that runs out is what follows", attempts(["a", silent], ["b", late]), "timeout"],
    ["lanes that overflow do not outvote the first choice", attempts(["a", failed500], ["b", full], ["c", full]), "providerError"],
    ["nor does a budget", attempts(["a", failed500], ["b", tooDear], ["c", tooDear]), "providerError"],
    ["no model had room", attempts(["a", full], ["b", full], ["c", full]), "queueFull"],
    ["a stop after the first choice failed", attempts(["a", failed500, stopped]), "providerError"],
    ["one that was stopped", attempts(["a", stopped]), "stopped"],
    ["none was asked", [], null],
  ];
  test.each(table)("%s", (_, made, reason) => {
    expect(failedCause(made).reason).toBe(reason);
  });

  test("does not depend on the order of the models after the first", () => {
    const fault = fc.constantFrom<Fault>(
      failed500,
      limited,
      overloaded,
      unreachable,
      denied,
      refused,
      silent,
      late,
      full,
      tooDear,
      stopped,
    );
    const models = fc.array(fc.array(fault, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(
        models.chain((all) => {
          const named = all.map((faults, n): [string, ...Fault[]] => [`m${n}`, ...faults]);
          const [, ...later] = named;
          return fc.tuple(fc.constant(named), fc.shuffledSubarray(later, { minLength: later.length, maxLength: later.length }));
        }),
        ([named, later]) => {
          expect(failedCause(attempts(...named.slice(0, 1), ...later)).reason).toBe(failedCause(attempts(...named)).reason);
        },
      ),
    );
  });
});

describe("what each model did", () => {
  test("stands once, with how often, in the order in which they were asked", () => {
    const cause = failedCause(attempts(["a", failed500, failed500, silent], ["b", limited], ["c", failed500]));
    expect(cause.tried).toBe(5);
    expect(cause.failures).toEqual([
      { model: "a", provider: "a-provider", ...failed500, times: 2 },
      { model: "a", provider: "a-provider", ...silent, times: 1 },
      { model: "b", provider: "b-provider", ...limited, times: 1 },
      { model: "c", provider: "c-provider", ...failed500, times: 1 },
    ]);
  });

  test("is of the first sixteen; the cause is of all", () => {
    const made = attempts(
      ["first", limited],
      ...Array.from({ length: 15 }, (_, n): [string, Fault] => [`other-${n}`, n % 2 === 0 ? silent : failed500]),
      ...Array.from({ length: 20 }, (_, n): [string, Fault] => [`away-${n}`, unreachable]),
    );
    const cause = failedCause(made);
    expect([cause.failures.length, cause.tried, cause.reason]).toEqual([16, 36, "unreachable"]);
    expect(JSON.stringify(cause).length).toBeLessThan(2_500);
    expect(causeSentence(cause)).toMatch(/^All 36 attempts failed: "first" refused/);
  });

  test("begins with the cause; models that did the same stand together", () => {
    const cause = failedCause(attempts(["a", limited], ["b", unreachable], ["c", unreachable, unreachable], ["d", unreachable]));
    expect(failedModels(cause).map(({ models }) => models)).toEqual([["b", "c", "d"], ["a"]]);
    expect(failedReasons(cause)).toEqual([
      { reason: "unreachable", models: ["b", "c", "d"] },
      { reason: "rateLimited", models: ["a"] },
    ]);
    expect(causeSentence(cause)).toBe(
      'All 5 attempts failed: "b", "c" and "d" could not be reached, "a" refused for its rate limit (status 429); ' +
        'for "b", "c" and "d", check baseUrl at /admin/routing and that the provider is up; ' +
        'for "a", raise the account\'s limit, or give the model a lane at /admin/routing.',
    );
  });

  test("is named in both languages, with advice for each reason", () => {
    const cause = failedCause(attempts(["claude", failed500], ["gpt", limited], ["backup", unreachable]));
    expect(explainCause(cause, causesEn)).toEqual([
      'All 3 attempts failed: "claude" answered with an error (status 500), "gpt" refused for its rate limit (status 429), "backup" could not be reached',
      'for "claude", look at the provider\'s status, or add another model at /admin/routing',
      'for "gpt", raise the account\'s limit, or give the model a lane at /admin/routing',
      'for "backup", check baseUrl at /admin/routing and that the provider is up',
    ]);
    expect(explainCause(cause, causesZh)).toEqual([
      "3 次尝试全部失败：“claude”返回了错误（状态码 500），“gpt”因速率限制而拒绝（状态码 429），“backup”无法连接",
      "对于“claude”，请查看提供商的状态，或在 /admin/routing 添加另一个模型",
      "对于“gpt”，请提高账户的限额，或在 /admin/routing 为该模型设置 lane",
      "对于“backup”，请检查 /admin/routing 中的 baseUrl，以及提供商的服务是否正常",
    ]);
  });

  test("of one model alone has its provider, and one after the other what it did", () => {
    expect(causeSentence(failedCause(attempts(["a", overloaded, silent])))).toBe(
      'Both attempts failed: model "a" of provider "a-provider" was overloaded (status 529), then did not answer in time; ' +
        "try again later, or add another model at /admin/routing; check the provider, or raise MODEL_TIMEOUT_SECONDS.",
    );
    expect(explainCause(failedCause(attempts(["a", unreachable])), causesZh)[0]).toBe("提供商“a-provider”的模型“a”无法连接");
  });

  test("has the same advice once, where it is for several reasons", () => {
    const unknown = (kind: "overBudget" | "stopped"): Fault => ({ kind, detail: "unverified" });
    const cause = failedCause(attempts(["a", unknown("overBudget")], ["b", silent], ["c", unknown("stopped")]));
    expect(explainCause(cause, causesEn).slice(1)).toEqual([
      'for "a" and "c", send the request again; look in the gateway\'s logs if it stays so',
      'for "b", check the provider, or raise MODEL_TIMEOUT_SECONDS',
    ]);
  });

  test("of more than three models that did the same counts the others", () => {
    const cause = failedCause(attempts(...["a", "b", "c", "d", "e"].map((name): [string, Fault] => [name, unreachable])));
    expect(explainCause(cause, causesEn)[0]).toBe('All 5 attempts failed: "a", "b", "c" and 2 more could not be reached');
    expect(explainCause(cause, causesZh)[0]).toBe("5 次尝试全部失败：“a”、“b”、“c”等 5 个模型无法连接");
  });

  test("says in words why an answer cannot be used", () => {
    const said = (detail?: AnswerFault): string =>
      causeSentence(failedCause(attempts(["a", { kind: "brokenAnswer", status: 200, ...(detail === undefined ? {} : { detail }) }])));
    expect(said("cutOff")).toContain("gave an answer that cannot be used (it broke off);");
    expect(said()).toContain("gave an answer that cannot be used (not as its API specifies);");
  });
});
