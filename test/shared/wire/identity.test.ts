import { describe, expect, test } from "vitest";
import { contentIdentity, samplingIdentity } from "../../../shared/wire/identity.ts";

const session = { "countersign/session": "s" };
const params = { messages: [{ role: "user", content: { type: "text", text: "a" } }], maxTokens: 10, _meta: session };

describe("the identity of a sampling request", () => {
  test("does not depend on how the requestor waits, nor on the order of members", () => {
    const identity = samplingIdentity(params);
    expect(samplingIdentity({ ...params, task: { ttl: 1 } })).toBe(identity);
    expect(samplingIdentity({ ...params, _meta: { ...session, progressToken: 5 } })).toBe(identity);
    expect(samplingIdentity({ _meta: session, maxTokens: 10, messages: params.messages })).toBe(identity);
  });

  test("depends on everything else, members that are otherwise ignored included", () => {
    const others = [
      { ...params, maxTokens: 11 },
      { ...params, unknown: 1 },
      { ...params, messages: [] },
      { ...params, _meta: { "countersign/session": "t" } },
      { ...params, _meta: { ...session, other: 1 } },
      { ...params, _meta: { ...session, "countersign/responseFormat": { type: "json" } } },
      { ...params, _meta: { ...session, "countersign/responseFormat": { type: "json", schema: {} } } },
      { ...params, _meta: {} },
    ];
    expect(new Set([params, ...others].map((each) => samplingIdentity(each))).size).toBe(others.length + 1);
  });

  test("is the same for an absent and an empty _meta", () => {
    const { _meta, ...bare } = params;
    expect(samplingIdentity(bare)).toBe(samplingIdentity({ ...bare, _meta: {} }));
    expect(samplingIdentity(bare)).toBe(samplingIdentity({ ...bare, _meta: { progressToken: 1 } }));
  });

  test("changes nothing in the params", () => {
    const before = structuredClone({ ...params, task: {}, _meta: { progressToken: 1 } });
    const given = structuredClone(before);
    samplingIdentity(given);
    contentIdentity(given);
    expect(given).toEqual(before);
  });
});

describe("the identity of what a request asks", () => {
  test("does not depend on session or waiting", () => {
    const { _meta, ...bare } = params;
    expect(contentIdentity(params)).toBe(contentIdentity(bare));
    expect(contentIdentity({ ...bare, task: {} })).toBe(contentIdentity(bare));
    expect(contentIdentity({ ...bare, maxTokens: 11 })).not.toBe(contentIdentity(bare));
  });

  test("depends on the format of the reply, and on nothing else in _meta", () => {
    const inFormat = (format: object) => contentIdentity({ ...params, _meta: { ...session, "countersign/responseFormat": format } });
    const schema = { type: "object" };
    const formats = [contentIdentity(params), inFormat({ type: "json" }), inFormat({ type: "json", schema })];
    expect(new Set(formats).size).toBe(formats.length);
    expect(inFormat({ schema, type: "json" })).toBe(formats[2]);
    expect(contentIdentity({ ...params, _meta: { "countersign/session": "t", progressToken: 1, other: 2 } })).toBe(formats[0]);
  });

  test("is never taken for the identity of the request", () => {
    const { _meta, ...bare } = params;
    expect(contentIdentity(bare)).not.toBe(samplingIdentity(bare));
  });
});
