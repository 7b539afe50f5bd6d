import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldValues } from "../../../shared/json/form-fields.ts";
import { fieldsOf, ruleFrom } from "../../../shared/policy/rule-form.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { policySchema } from "../../../shared/policy/rules.ts";

const yes = fc.boolean();
/** In one order: boxes have none of their own. */
const names = fc.subarray(["oncall", "lead", "Ann, of Ames"], { minLength: 1 });
const when = fc.record(
  {
    subject: fc.constantFrom("message", "toolCall", "form"),
    server: fc.constantFrom("notes*", "a b"),
    tool: fc.constant("search_*"),
    method: fc.constant("tools/call"),
    key: fc.constant("ci-*"),
    model: fc.constant("local"),
    provenance: fc.constantFrom("claimed", "inferred", "observed", "own"),
    hasMedia: yes,
    hasTools: yes,
    maxTokensOver: fc.nat(),
    costOverUsd: fc.double({ min: 0, max: 100, noNaN: true }),
    risk: fc.constantFrom("low", "medium", "high"),
    arguments: fc.array(
      fc.oneof(
        fc.record({
          pointer: fc.constantFrom("/env", "/a b", "/a~1b"),
          equals: fc.oneof(fc.string(), fc.constantFrom(0, -1.5, 42), yes, fc.constant(null)),
        }),
        fc.record({ pointer: fc.constant("/env"), oneOf: fc.array(fc.string(), { minLength: 1, maxLength: 3 }) }),
        fc.record({ pointer: fc.constant("/env"), glob: fc.string() }),
        fc.record({ pointer: fc.constant("/n"), over: fc.integer() }),
        fc.record({ pointer: fc.constant("/n"), present: yes }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
    annotations: fc
      .record({ readOnly: yes, destructive: yes, openWorld: yes }, { requiredKeys: [] })
      .filter((each) => Object.keys(each).length > 0),
    firstUse: yes,
    definitionChanged: yes,
  },
  { requiredKeys: [] },
);
const seconds = fc.integer({ min: 1, max: 604_800 });
const then = fc.record(
  {
    request: fc.constantFrom("review", "confirm", "allow", "refuse"),
    shadow: yes,
    response: fc.constantFrom("review", "allow"),
    replyRisk: fc.constantFrom(null, "low", "medium", "high"),
    reviewers: names,
    quorum: fc.integer({ min: 1, max: 50 }),
    selfApproval: yes,
    deadlineSeconds: seconds,
    remindAtSeconds: fc.array(seconds, { maxLength: 3 }),
    escalate: fc.option(fc.record({ afterSeconds: seconds, to: names })),
    noticeExcerpt: fc.constantFrom("none", "start"),
    identity: fc.constantFrom("link", "signedIn"),
    confirm: fc.constantFrom("button", "passkey"),
    tellReason: yes,
    tellAuthor: yes,
    grants: yes,
    grantsInferred: yes,
    boundTo: fc.constantFrom("tool", "server", "key"),
    context: fc.constantFrom("none", "thisServer"),
    timeoutCoversReview: yes,
    cheaperWithinBudget: yes,
    receipt: yes,
    handOverTo: fc.option(names, { nil: [] }),
  },
  { requiredKeys: [] },
);
const rules = fc.record({ name: fc.constant("rule"), when, then }, { requiredKeys: ["name", "when", "then"] }) as fc.Arbitrary<JsonObject>;

/** What a browser sends of a form with these values: fields that are not checked are not in it. */
const sent = (values: FieldValues): FieldValues => Object.fromEntries(Object.entries(values).filter(([, texts]) => texts.length > 0));

describe("a rule in a form", () => {
  test("that is sent back unchanged is unchanged, also what it leaves out, what has odd seconds, and what no field says", () => {
    fc.assert(
      fc.property(rules, fc.boolean(), (rule, isDefault) => {
        const whole = isDefault ? { ...(rule["then"] as JsonObject), later: 1 } : { ...rule, later: { a: [1] } };
        expect(ruleFrom(whole, sent(fieldsOf(whole, isDefault)), isDefault)).toEqual(whole);
      }),
    );
  });

  test("becomes any other rule by its fields, as far as minutes go", () => {
    const inMinutes = rules.map((rule) => {
      const { deadlineSeconds: _deadline, remindAtSeconds: _remind, escalate: _escalate, ...rest } = rule["then"] as JsonObject;
      return { ...rule, then: { ...rest, deadlineSeconds: 90, remindAtSeconds: [30, 60] } } as JsonObject;
    });
    const meaning = (rule: JsonObject) => policySchema.parse({ rules: [rule] }).rules[0];
    fc.assert(
      fc.property(rules, inMinutes, (one, other) => {
        const { escalate: _escalate, ...then } = one["then"] as JsonObject;
        expect(meaning(ruleFrom({ ...one, then }, sent(fieldsOf(other, false)), false))).toEqual(meaning(other));
      }),
    );
  });

  test.each([
    ["quorum", "two", { then: { quorum: "two" } }],
    ["deadlineSeconds", "soon", { then: { deadlineSeconds: "soon" } }],
    ["costOverUsd", "1e", { when: { costOverUsd: "1e" } }],
    ["remindAtSeconds", "3, x", { then: { remindAtSeconds: [180, "x"] } }],
    ["deadlineSeconds", "1.5", { then: { deadlineSeconds: 90 } }],
    ["escalate-afterSeconds", "5", { then: { escalate: { afterSeconds: 300 } } }],
  ])("what is typed into %s as %s is kept for the check of the document, and shown again", (field, typed, expected) => {
    const rule = { name: "rule", when: {}, then: {} };
    const changed = ruleFrom(rule, sent({ ...fieldsOf(rule, false), [field]: [typed] }), false);
    expect(changed).toMatchObject(expected);
    expect(fieldsOf(changed, false)[field]).toEqual([typed]);
  });
});
