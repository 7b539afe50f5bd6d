import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createTaskResult,
  parseCancelled,
  parseTaskParams,
  taskResult,
  relatedTo,
  type Task,
} from "../../../../shared/wire/mcp-2025/tasks.ts";
import { officialErrors } from "../official.ts";

const created = Date.UTC(2026, 10, 21, 12, 0, 0, 5);
const task: Task = { taskId: "run-1", status: "working", createdAt: created, lastUpdatedAt: created + 1000, ttl: 60_000 };

describe("a task on the wire", () => {
  test("has its times in ISO 8601 and leaves out what is not known", () => {
    const wire = {
      taskId: "run-1",
      status: "working",
      createdAt: "2026-11-21T12:00:00.005Z",
      lastUpdatedAt: "2026-11-21T12:00:01.005Z",
      ttl: 60_000,
    };
    expect(taskResult(task)).toEqual(wire);
    expect(createTaskResult(task)).toEqual({ task: wire });
    expect(taskResult({ ...task, statusMessage: undefined, pollInterval: undefined })).toEqual(wire);
  });

  test("is one of the protocol's in every state", () => {
    for (const status of ["working", "completed", "failed", "cancelled"] as const) {
      for (const more of [{}, { statusMessage: "Waiting for a person", pollInterval: 5000 }, { ttl: null }]) {
        expect(officialErrors("2025-11-25", "GetTaskResult", taskResult({ ...task, status, ...more }))).toEqual([]);
        expect(officialErrors("2025-11-25", "CancelTaskResult", taskResult({ ...task, status, ...more }))).toEqual([]);
        expect(officialErrors("2025-11-25", "CreateTaskResult", createTaskResult({ ...task, status, ...more }))).toEqual([]);
      }
    }
    expect(officialErrors("2025-11-25", "GetTaskResult", {})).not.toEqual([]);
  });

  test("is named on its result, beside what else the result's _meta says", () => {
    const result = { role: "assistant", content: { type: "text", text: "a" }, model: "m", _meta: { "countersign/run": { id: "run-1" } } };
    const answer = relatedTo("run-1", { result });
    const related = "result" in answer ? answer.result : {};
    expect(related).toEqual({
      ...result,
      _meta: { "countersign/run": { id: "run-1" }, "io.modelcontextprotocol/related-task": { taskId: "run-1" } },
    });
    expect(officialErrors("2025-11-25", "CreateMessageResult", related)).toEqual([]);
    expect(officialErrors("2025-11-25", "RelatedTaskMetadata", related["_meta"] && { taskId: "run-1" })).toEqual([]);
    expect(result._meta).toEqual({ "countersign/run": { id: "run-1" } });
    expect(relatedTo("t", { result: {} })).toEqual({ result: { _meta: { "io.modelcontextprotocol/related-task": { taskId: "t" } } } });
    const error = { error: { code: -1, message: "no" } };
    expect(relatedTo("t", error)).toEqual(error);
  });
});

describe("the params of a request about a task", () => {
  test("are the task's id, whatever else is there", () => {
    expect(parseTaskParams({ taskId: "run-1", _meta: {}, x: 1 })).toEqual({ ok: true, value: { taskId: "run-1" } });
  });

  test.each<[unknown, string]>([
    [undefined, ""],
    [null, ""],
    [[], ""],
    [{}, "/taskId"],
    [{ taskId: 1 }, "/taskId"],
    [{ taskId: "\ud800" }, "/taskId"],
  ])("are refused at the place that is wrong: %j", (params, pointer) => {
    expect(parseTaskParams(params)).toMatchObject({ ok: false, error: { kind: "invalid", errors: [{ pointer }] } });
  });
});

describe("the params of a cancellation", () => {
  test("are the id of the request with its JSON type, and the session", () => {
    expect(parseCancelled({ requestId: 1, reason: "gave up", _meta: { "countersign/session": "s" } })).toEqual({
      ok: true,
      value: { requestId: 1, reason: "gave up", session: "s" },
    });
    expect(parseCancelled({ requestId: "1" })).toEqual({ ok: true, value: { requestId: "1" } });
  });

  test.each<[unknown, string]>([
    [undefined, ""],
    [{}, "/requestId"],
    [{ requestId: null }, "/requestId"],
    [{ requestId: 1.5 }, "/requestId"],
    [{ requestId: 1, reason: {} }, "/reason"],
    [{ requestId: 1, _meta: 1 }, "/_meta"],
    [{ requestId: 1, _meta: { "countersign/session": "a b" } }, "/_meta/countersign~1session"],
  ])("are refused at the place that is wrong: %j", (params, pointer) => {
    expect(parseCancelled(params)).toMatchObject({ ok: false, error: { kind: "invalid", errors: [{ pointer }] } });
  });

  test("are valid by the official schema wherever they are taken", () => {
    const params = fc.record(
      {
        requestId: fc.oneof(fc.string(), fc.integer(), fc.jsonValue()),
        reason: fc.oneof(fc.string(), fc.jsonValue()),
        _meta: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(params, (given) => {
        if (parseCancelled(given).ok) expect(officialErrors("2025-11-25", "CancelledNotificationParams", given)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("never make the reader throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const given of [value, { requestId: value }, { requestId: 1, _meta: value }])
          expect(typeof parseCancelled(given).ok).toBe("boolean");
        expect(typeof parseTaskParams(value).ok).toBe("boolean");
      }),
    );
  });
});
