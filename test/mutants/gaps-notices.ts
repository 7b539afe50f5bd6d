// Redaction, the record, operators and notices, where a weaker check once passed every test.

import type { Mutant } from "./mutant.ts";

const redact = { file: "shared/redaction/redact.ts" };
const masking = (only: string): Mutant["test"] => ({ file: "test/shared/redaction/redact.test.ts", only });

const forNotices = { file: "shared/run/notice-view.ts" };
const noticeView = (only: string): Mutant["test"] => ({ file: "test/shared/run/notice-view.test.ts", only });

const operators = { file: "shared/record/operators.ts" };
const acts = (only: string): Mutant["test"] => ({ file: "test/shared/record/operators.test.ts", only });

const roles = { file: "shared/credential/operator-roles.ts" };
const roleTest = (only: string): Mutant["test"] => ({ file: "test/shared/credential/operator-roles.test.ts", only });

const verify = { file: "scripts/verify-record.ts" };
const verifying = (only: string): Mutant["test"] => ({ file: "test/shared/record/record.test.ts", only });

const card = { file: "shared/channels/chat-message.ts" };
const cards = (only: string): Mutant["test"] => ({ file: "test/shared/channels/teams/teams-card.test.ts", only });

const neededRole = { file: "workers/endpoints/admin/needed-role.ts" };
const roleOfRequest: Mutant["test"] = { file: "test/workers/contract/console/access.test.ts", only: "reading needs the role see" };

const webhook = { file: "workers/channels/webhook/webhook-channel.ts" };
const webhookSetup = (only: string): Mutant["test"] => ({ file: "test/workers/channels/webhook.test.ts", only });

const metrics = { file: "workers/endpoints/metrics.ts" };
const budgetUse: Mutant["test"] = { file: "test/workers/contract/metrics.test.ts", only: "how much of budgets is used" };

export const noticeGapMutants: readonly Mutant[] = [
  {
    ...redact,
    name: "a note that was not searched to its end is not shown",
    from: 'return work.over === null ? masked(text, spans) : "";',
    to: "return masked(text, spans);",
    test: masking("finder of secrets would work for too long"),
  },
  {
    ...redact,
    name: "a note that cannot be masked is empty",
    from: 'return work.over === null ? masked(text, spans) : "";',
    to: "return work.over === null ? masked(text, spans) : text;",
    test: masking("finder of secrets would work for too long"),
  },
  {
    ...redact,
    name: "a member's name is masked within a reply that stays JSON",
    from: "member: (text) => this.#plain(text), id",
    to: "member: (text) => text, id",
    test: masking("no secret in a member's name"),
  },
  {
    ...redact,
    name: "parts that overlap are masked to the end of the last",
    from: "{ ...last, end: span.end }",
    to: "last",
    test: masking("has one marker for parts that overlap"),
  },
  {
    ...redact,
    name: "a lift is of its own field",
    from: "mark.pointer === pointer && !lifted.has(mark.id)",
    to: "!lifted.has(mark.id)",
    test: masking("is that of its own text alone"),
  },
  {
    ...redact,
    name: "a lift is of its own mark",
    from: "new Set([...lifted, id]));",
    to: "new Set(redaction.marks.map((each) => each.id)));",
    test: masking("is the original again when each is lifted"),
  },
  {
    ...redact,
    name: "no mark is lifted in a text that was edited since",
    from: 'if (markStates(value, redaction, lifted).get(id) !== "masked") return err("edited");',
    to: "",
    test: masking("its text was edited since"),
  },
  {
    ...redact,
    name: "who may not see what is masked does not see it in the difference",
    from: "isSeen ? text : hiddenIn",
    to: "isSeen || !isSeen ? text : hiddenIn",
    test: masking("is shown to others as a difference"),
  },
  {
    ...redact,
    name: "a rule masks where it says",
    from: "rules.filter(({ at }) => at.includes(place))",
    to: 'rules.filter(({ at }) => at.includes(place) || place === "request")',
    test: masking("a rule masks where it says"),
  },
  {
    ...redact,
    name: "a notice is masked by every rule",
    from: 'place === "notice" ? rules : rules.filter',
    to: "rules.filter",
    test: masking("a notice is masked by every rule"),
  },
  {
    ...forNotices,
    name: "a notice has no excerpt of what cannot be masked",
    from: 'if (texts === null) return { view: bare, excerpt: "none", mustSignIn };',
    to: "if (texts === null) return { view: bare, excerpt, mustSignIn };",
    test: noticeView("has no excerpt where"),
  },
  {
    ...forNotices,
    name: "a reply that cannot be masked is in no notice",
    from: "!masked.ok || answer?.ok === false || authored",
    to: "!masked.ok || authored",
    test: noticeView("has no excerpt where"),
  },
  {
    ...forNotices,
    name: "a notice has nothing of before a change",
    from: "{ ...rest, requestAsAsked: null, replyAsGenerated: null }",
    to: "{ ...rest }",
    test: noticeView("before a change"),
  },
  {
    ...forNotices,
    name: "a notice's reply is masked",
    from: "      reply,\n      ...(written",
    to: "      ...(written",
    test: noticeView("has a marker in every text"),
  },
  {
    ...forNotices,
    name: "a reply that a person wrote is masked in a notice",
    from: "written: { ...written, reply: writtenReply }",
    to: "written",
    test: noticeView("has a marker in every text"),
  },
  {
    ...forNotices,
    name: "a hand-over's note is masked in a notice",
    from: 'note: redactText(handedBy.note, rulesAt(redaction, "notice"))',
    to: "note: handedBy.note",
    test: noticeView("has a marker in every text"),
  },
  {
    ...operators,
    name: "a month is as long as its writer knows",
    from: "events.length < sent.seq",
    to: "events.length + 1 < sent.seq",
    test: acts("was taken out, or changed as the log says"),
  },
  {
    ...operators,
    name: "a month before that was changed is noticed",
    from: "before.lastSeq !== fact.seq || before",
    to: "before.lastSeq !== fact.seq && before",
    test: acts("the month before lost its last acts, or was changed"),
  },
  {
    ...operators,
    name: "a month names the end of the one before",
    from: "[...continued, ...facts]",
    to: "facts",
    test: acts("names the end of the month before"),
  },
  {
    ...operators,
    name: "an operator's fingerprint needs the gateway's key",
    from: "macOf(keys[0].bytes, ",
    to: "macOf(new Uint8Array(32), ",
    test: acts("an admin token's fingerprint"),
  },
  {
    ...operators,
    name: "a clock that goes back begins no earlier month again",
    from: "last.run >= run",
    to: "last.run === run",
    test: verifying("whose end is missing"),
  },
  {
    ...roles,
    name: "a role allows nothing of those after it",
    from: "roles.indexOf(role) >= roles.indexOf(needed)",
    to: "roles.indexOf(role) >= roles.indexOf(needed) - 1",
    test: roleTest("nothing of those after"),
  },
  {
    ...roles,
    name: "an address has its own entry's role",
    from: "entries.find(({ who }) => who === address) ?? entries.find(({ who }) => who === domain)",
    to: "entries.find(({ who }) => who === address || who === domain)",
    test: roleTest("the role of its own entry"),
  },
  {
    ...roles,
    name: "an entry of OPERATORS has one domain",
    from: "@[^\\s@*]{1,255}$/",
    to: "@[^\\s@]{1,255}$/",
    test: roleTest("refuses "),
  },
  {
    ...verify,
    name: "a run without its first event is broken",
    from: "if (gap !== null) return [{",
    to: "if (gap !== null && gap > 1) return [{",
    test: verifying("its exit code says what it found"),
  },
  {
    ...verify,
    name: "bytes that are no UTF-8 are no record",
    from: "fatal: true, ignoreBOM",
    to: "fatal: false, ignoreBOM",
    test: verifying("nothing that is no UTF-8"),
  },
  {
    ...verify,
    name: "a month that was cut counts as broken",
    from: 'kind === "open" ? [] : [run]',
    to: 'kind === "gap" ? [run] : []',
    test: verifying("whose end is missing"),
  },
  {
    ...verify,
    name: "a file with a line that is no event is not good",
    from: "unreadable.length > 0 || empty ? 2",
    to: "empty ? 2",
    test: verifying("says which"),
  },
  {
    ...verify,
    name: "an empty file is no record",
    from: "unreadable.length > 0 || empty ? 2",
    to: "unreadable.length > 0 ? 2",
    test: verifying("takes nothing for a record"),
  },
  {
    ...card,
    name: "a card has the warnings",
    from: "...(warnings.length === 0 ? [] : [[strong(review.risks)], ...warnings]),",
    to: "...(warnings.length === 0 ? [] : []),",
    test: cards("has each warning with its level"),
  },
  {
    ...card,
    name: "a card has the warnings where there are some",
    from: "...(warnings.length === 0 ? [] : [[",
    to: "...(warnings.length !== 0 ? [] : [[",
    test: cards("has each warning with its level"),
  },
  {
    ...card,
    name: "a card's warning has its level",
    from: "strong(`${review.riskLevels[risk.level]}: `), ",
    to: "",
    test: cards("has each warning with its level"),
  },
  {
    ...card,
    name: "a card counts the warnings for which it has no room",
    from: "...(more > 0 ? [[",
    to: "...(more > 500 ? [[",
    test: cards("has each warning with its level"),
  },
  {
    ...card,
    name: "a card says that a person wrote the reply",
    from: 'facts.serving.kind === "written" ? [',
    to: 'facts.serving.kind === "written" && facts.serving.by === "" ? [',
    test: cards("a person wrote the reply"),
  },
  {
    ...card,
    name: "a card says that a text was left out",
    from: "return leftOut === undefined ? framed(label",
    to: 'return leftOut === undefined || label !== "" ? framed(label',
    test: cards("where it leaves a secret out"),
  },
  {
    ...card,
    name: "a card says how much of the text it does not show",
    from: "more > 0 ? textOf(excerpt.more, { n: more }, lang) : pieces",
    to: "more > 1_000_000 ? textOf(excerpt.more, { n: more }, lang) : pieces",
    test: cards("how much of the text it does not show"),
  },
  {
    ...card,
    name: "several reviews in a card have their warnings",
    from: "whatOf(facts, words, 24)}${warningsOf(facts, words)}`",
    to: "whatOf(facts, words, 24)}`",
    test: cards("twenty reviews fit one card"),
  },
  {
    ...card,
    name: "a test's card is no markup",
    from: "[line(text)]];\n  if",
    to: "[own(text)]];\n  if",
    test: cards("text from outside stays text"),
  },
  {
    ...card,
    name: "a reminder says what happens if nobody decides",
    from: "    filled(silenceWords(reviewFacts(view), words.review), { at: words.numbers.time(view.deadlineAt) }),\n  ];",
    to: "  ];",
    test: cards("that is brief, and a reminder"),
  },
  {
    ...card,
    name: "an outcome has no link",
    from: "filled(sentence, places), [line(what)]], link: null",
    to: 'filled(sentence, places), [line(what)]], link: linkOf("https://reviews.example.com/r/token", words)',
    test: cards("without link or reason"),
  },
  {
    ...neededRole,
    name: "who may decide does not change the policy",
    from: "[...endings, ...trials].some",
    to: "[...endings, ...trials, admin.policy].some",
    test: roleOfRequest,
  },
  {
    ...neededRole,
    name: "who may decide does not change what only begins like an ending",
    from: "path.startsWith(`${each}/`)",
    to: "path.startsWith(each)",
    test: roleOfRequest,
  },
  {
    ...neededRole,
    name: "who may see creates nothing",
    from: 'method === "GET" || method === "HEAD" ||',
    to: 'method !== "PUT" && method !== "DELETE" ||',
    test: roleOfRequest,
  },
  {
    ...webhook,
    name: "no webhook's address has a password",
    from: 'url.username !== "" || url.password !== "" ||',
    to: 'url.username !== "" ||',
    test: webhookSetup("a password alone in the address"),
  },
  {
    ...webhook,
    name: "no webhook's address has a fragment",
    from: ' || url.hash !== "")',
    to: ")",
    test: webhookSetup("a fragment in the address"),
  },
  {
    file: "workers/channels/http-service.ts",
    name: "no address of a chat has a password",
    from: 'url.username === "" && url.password === "" &&',
    to: 'url.username === "" &&',
    test: { file: "test/workers/channels/teams.test.ts", only: "a password alone" },
  },
  {
    ...metrics,
    name: "the part of a budget that has used most is shown",
    from: "Math.max(...used)",
    to: "Math.min(...used)",
    test: budgetUse,
  },
  {
    ...metrics,
    name: "a budget that is wholly used is used up",
    from: "share >= 1)",
    to: "share > 1)",
    test: budgetUse,
  },
  {
    ...metrics,
    name: "a budget of nothing is used up",
    from: "allowance.limit === 0 ? 1 :",
    to: "allowance.limit === 0 ? 0 :",
    test: budgetUse,
  },
];
