import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { defaultPolicy } from "../../../shared/policy/default-policy.ts";
import { everyoneIn, parsePolicy, policyJsonSchema } from "../../../shared/policy/rules.ts";

const people = {
  everyone: [{ name: "Ann", email: "ann@example.com", slack: "U012", language: "en" }, { name: "Bo" }],
  lead: [{ name: "Cy" }],
};
const policyWith = (members: object): object => ({ default: { reviewers: ["everyone"] }, reviewers: people, ...members });
const ruleThen = (then: object): object => policyWith({ rules: [{ name: "r", when: {}, then }] });
const callThen = (then: object): object => policyWith({ rules: [{ name: "r", when: { subject: "toolCall" }, then }] });
const problemsOf = (document: unknown): string[] => {
  const parsed = parsePolicy(document);
  return parsed.ok ? [] : parsed.error.map(({ pointer, message }) => `${pointer} ${message}`);
};

test("what is left out is careful", () => {
  const parsed = parsePolicy(ruleThen({}));
  const careful = {
    request: "review",
    response: "review",
    quorum: 1,
    selfApproval: true,
    deadlineSeconds: 600,
    remindAtSeconds: [],
    escalate: null,
    noticeExcerpt: "none",
    identity: "link",
    confirm: "button",
    tellReason: false,
    tellAuthor: false,
    grants: false,
    replyRisk: null,
    grantsInferred: false,
    boundTo: "tool",
    context: "none",
    timeoutCoversReview: false,
    receipt: false,
    cheaperWithinBudget: false,
  };
  expect(parsed.ok && parsed.value.default).toEqual({ ...careful, reviewers: ["everyone"] });
  expect(parsed.ok && parsed.value.rules[0]?.then).toEqual({ ...careful, shadow: false, juror: null });
  expect(parsed.ok && parsed.value.imageHosts).toEqual([]);
});

test("the policy of a fresh checkout closes both gates and has one reviewer without an address", () => {
  const policy = defaultPolicy();
  expect(policy.default).toMatchObject({ request: "review", response: "review", deadlineSeconds: 600 });
  expect(everyoneIn(policy, policy.default.reviewers)).toEqual([{ name: "Local reviewer" }]);
});

test("a group and single reviewers are named side by side, and each person is asked once", () => {
  const parsed = parsePolicy(ruleThen({ reviewers: ["Bo", "everyone", "lead"], quorum: 3 }));
  expect(parsed.ok && everyoneIn(parsed.value, ["Bo", "everyone", "lead"]).map(({ name }) => name)).toEqual(["Bo", "Ann", "Cy"]);
});

test("one person may be in two groups, described alike", () => {
  expect(problemsOf(policyWith({ reviewers: { ...people, more: [{ name: "Bo" }] } }))).toEqual([]);
});

const faults: [string, unknown, RegExp][] = [
  ["an unknown member", policyWith({ rule: [] }), /^\/rule is not a known member/],
  ["an unknown condition", policyWith({ rules: [{ name: "r", when: { sever: "x" } }] }), /^\/rules\/0\/when\/sever /],
  [
    "a juror of what is no call",
    ruleThen({ juror: { model: "m", mayPass: { perHour: 1 } } }),
    /^\/rules\/0\/then\/juror is for tool calls/,
  ],
  ["a juror of what is refused", callThen({ request: "refuse", juror: { model: "m" } }), /^\/rules\/0\/then\/juror is asked about nothing/],
  [
    "a juror's bounds where the rule allows",
    callThen({ request: "allow", juror: { model: "m", mayPass: { perHour: 1 } } }),
    /^\/rules\/0\/then\/juror\/mayPass says what/,
  ],
  ["a juror that may do nothing", callThen({ juror: { model: "m" } }), /^\/rules\/0\/then\/juror may let nothing pass/],
  [
    "a juror with nobody to ask",
    { ...callThen({ request: "allow", response: "allow", juror: { model: "m" } }), default: { request: "allow", response: "allow" } },
    /^\/rules\/0\/then\/reviewers names no reviewer/,
  ],
  ["no reviewers at all", {}, /^\/default\/reviewers names no reviewer/],
  ["an unknown group", ruleThen({ reviewers: ["nobody"] }), /^\/rules\/0\/then\/reviewers\/0 is not a group/],
  ["a group that every object has", ruleThen({ reviewers: ["constructor"] }), /^\/rules\/0\/then\/reviewers\/0 is not a group/],
  [
    "an unknown escalation",
    ruleThen({ escalate: { afterSeconds: 60, to: ["nobody"] } }),
    /^\/rules\/0\/then\/escalate\/to\/0 is not a group/,
  ],
  [
    "an escalation at the deadline",
    ruleThen({ deadlineSeconds: 60, escalate: { afterSeconds: 60, to: ["lead"] } }),
    /^\/rules\/0\/then\/escalate\/afterSeconds is not before/,
  ],
  [
    "a reminder at the deadline",
    ruleThen({ deadlineSeconds: 60, remindAtSeconds: [30, 60] }),
    /^\/rules\/0\/then\/remindAtSeconds\/1 is not before/,
  ],
  [
    "a Slack channel where two must approve",
    policyWith({
      default: { reviewers: ["room", "everyone"], quorum: 2 },
      reviewers: { ...people, room: [{ name: "#r", slack: "C0123" }] },
    }),
    /^\/default\/quorum needs individual people/,
  ],
  [
    "a Slack channel where own requests are barred",
    policyWith({
      default: { reviewers: ["everyone"], selfApproval: false, escalate: { afterSeconds: 9, to: ["room"] } },
      reviewers: { ...people, room: [{ name: "#r", slack: "G0123" }] },
    }),
    /^\/default\/selfApproval needs individual people/,
  ],
  [
    "a Slack channel where reviewers have to be signed in",
    policyWith({
      default: { reviewers: ["room", "everyone"], identity: "signedIn" },
      reviewers: { everyone: [{ name: "Ann", email: "ann@example.com" }], room: [{ name: "#r", slack: "C0123" }] },
    }),
    /^\/default\/identity needs individual people/,
  ],
  [
    "somebody without an email address where reviewers have to be signed in, on escalation too",
    policyWith({
      default: { reviewers: ["everyone"], identity: "signedIn", escalate: { afterSeconds: 9, to: ["later"] } },
      reviewers: { everyone: [{ name: "Ann", email: "ann@example.com" }], later: [{ name: "Bo", slack: "U0123" }] },
    }),
    /^\/default\/identity needs people who can sign in, and Bo has no email address/,
  ],
  [
    "grants where each approval needs a passkey",
    policyWith({
      default: { reviewers: ["everyone"], confirm: "passkey", grants: true },
      reviewers: { everyone: [{ name: "Ann", email: "ann@example.com" }] },
    }),
    /^\/default\/grants lets later requests pass without a passkey/,
  ],
  [
    "a passkey of somebody who can have none",
    policyWith({ default: { reviewers: ["everyone"], confirm: "passkey" }, reviewers: { everyone: [{ name: "Bo", slack: "U0123" }] } }),
    /^\/default\/identity needs people who can sign in, and Bo has no email address/,
  ],
  [
    "content in notices where reviewers have to be signed in",
    policyWith({
      default: { reviewers: ["everyone"], identity: "signedIn", noticeExcerpt: "start" },
      reviewers: { everyone: [{ name: "Ann", email: "ann@example.com" }] },
    }),
    /^\/default\/noticeExcerpt shows content to whoever reads a notice/,
  ],
  [
    "a channel order that names an address that is not there",
    policyWith({ reviewers: { everyone: [{ name: "Ann", email: "ann@example.com", notify: ["slack", "email"] }] } }),
    /^\/reviewers\/everyone\/0\/notify names slack/,
  ],
  [
    "a channel order that names one twice",
    policyWith({ reviewers: { everyone: [{ name: "Ann", email: "ann@example.com", notify: ["email", "email"] }] } }),
    /^\/reviewers\/everyone\/0\/notify names a channel twice/,
  ],
  ["an heir who does not exist", ruleThen({ handOverTo: ["nobody"] }), /^\/rules\/0\/then\/handOverTo\/0 is not a group/],
  [
    "one webhook for two reviewers",
    policyWith({
      reviewers: {
        everyone: [
          { name: "Ann", webhook: "T" },
          { name: "Bo", webhook: "T" },
        ],
      },
    }),
    /^\/reviewers\/everyone\/1\/webhook belongs to a reviewer with another name/,
  ],
  ["an empty group", policyWith({ reviewers: { ...people, none: [] } }), /^\/reviewers\/none has no reviewers/],
  ["a quorum above the number of people", ruleThen({ quorum: 3 }), /^\/rules\/0\/then\/quorum is larger/],
  ["a rule called default", policyWith({ rules: [{ name: "default" }] }), /^\/rules\/0\/name is the name of the default/],
  ["two rules of one name", policyWith({ rules: [{ name: "r" }, { name: "r" }] }), /^\/rules\/1\/name is the name of another rule too/],
  [
    "a person twice in a group",
    policyWith({ reviewers: { everyone: [{ name: "Ann" }, { name: "ann" }] } }),
    /^\/reviewers\/everyone\/1\/name is twice/,
  ],
  [
    "a person described in two ways",
    policyWith({ reviewers: { ...people, more: [{ name: "Bo", slack: "U999" }] } }),
    /^\/reviewers\/more\/0\/name is described differently/,
  ],
  [
    "one address under two names",
    policyWith({ reviewers: { ...people, more: [{ name: "Dan", email: "Ann@Example.com" }] } }),
    /^\/reviewers\/more\/0\/email belongs to a reviewer with another name/,
  ],
  ...["\u0391nn", "\u0410nn", "A\u0578n", "\uff21\uff2e\uff2e"].map((name): [string, object, RegExp] => [
    `a name that looks like another's (${name})`,
    policyWith({ reviewers: { ...people, more: [{ name }] } }),
    /^\/reviewers\/more\/0\/name (looks the same as|is described differently)/,
  ]),
  [
    "a name that is another's email address",
    policyWith({ reviewers: { ...people, more: [{ name: "ANN@example.com" }] } }),
    /^\/reviewers\/more\/0\/name is the email address of another reviewer/,
  ],
  [
    "a person called like a group",
    policyWith({ reviewers: { ...people, more: [{ name: "lead" }] } }),
    /^\/reviewers\/more\/0\/name is also the name of a group/,
  ],
  [
    "a name with a line break",
    policyWith({ reviewers: { ...people, more: [{ name: "Dan\nBcc: x" }] } }),
    /^\/reviewers\/more\/0\/name has control characters/,
  ],
  [
    "a name that is written backwards",
    policyWith({ reviewers: { ...people, more: [{ name: "\u202EnaD" }] } }),
    /^\/reviewers\/more\/0\/name has control characters/,
  ],
  ["an image host with a scheme", policyWith({ imageHosts: ["https://cdn.example.com"] }), /^\/imageHosts\/0 is not a host name/],
  ["an image host with a wildcard", policyWith({ imageHosts: ["*.example.com"] }), /^\/imageHosts\/0 is not a host name/],
  ["a private image host", policyWith({ imageHosts: ["192.168.0.1"] }), /^\/imageHosts\/0 is a private/],
];
test.each(faults)("%s is refused, and pointed at", (_, document, problem) => {
  expect(problemsOf(document)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
});

test.each([
  [0, false],
  [1, true],
  [604_800, true],
  [604_801, false],
])("a deadline of %i seconds is taken: %s", (deadlineSeconds, taken) => {
  expect(parsePolicy(ruleThen({ deadlineSeconds })).ok).toBe(taken);
});

test("a rule that asks nobody needs no reviewers", () => {
  expect(problemsOf({ default: { request: "refuse" } })).toEqual([]);
  expect(problemsOf({ default: { request: "allow", response: "allow" } })).toEqual([]);
  expect(problemsOf({ default: { request: "allow" } })).not.toEqual([]);
});

test("the published JSON Schema accepts and refuses what the parser does, as far as it can", () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(policyJsonSchema());
  expect(validate(ruleThen({ deadlineSeconds: 1 }))).toBe(true);
  expect(validate(ruleThen({ deadlineSeconds: 0 }))).toBe(false);
  expect(validate(policyWith({ rule: [] }))).toBe(false);
});
