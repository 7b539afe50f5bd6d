// Forms that people answer in a client's place: what the server is told, who may answer, and that
// one answer counts, which fits.

import type { Mutant } from "./mutant.ts";

const contract = "test/workers/contract/forms.test.ts";
const edit = "workers/objects/run/review/run-edit.ts";
const gates = "shared/policy/form-gates.ts";
const gatesTest = "test/shared/policy/form-gates.test.ts";

export const formMutants: readonly Mutant[] = [
  {
    name: "a form that nobody declined is cancelled",
    file: "shared/run/run-outcome.ts",
    from: 'action: kind === "rejected" ? "decline" : "cancel"',
    to: 'action: "decline"',
    test: { file: contract, only: "put away is cancelled" },
  },
  {
    name: "a form that somebody declined is declined",
    file: "shared/run/run-outcome.ts",
    from: 'action: kind === "rejected" ? "decline" : "cancel"',
    to: 'action: "cancel"',
    test: { file: contract, only: "declined is declined" },
  },
  {
    name: "nothing but an answer answers a form",
    file: edit,
    from: 'if (isForm(request) !== (form.act === "fill")) return',
    to: "if (false) return",
    test: { file: contract, only: "a bare Approve" },
  },
  {
    name: "the answer to a form is checked",
    file: "shared/review/form-answer.ts",
    from: "if (errors.length > 0 || !read.ok) return err(errors);",
    to: 'if (!read.ok) return ok({ kind: "formAnswer", content: {} });',
    test: { file: "test/shared/review/form-answer.test.ts" },
  },
  {
    name: "an answer has no field that the form does not have",
    file: "shared/review/form-answer.ts",
    from: "if ([...typed.keys()].some((name) => !known.has(name)))",
    to: "if (known.size < 0)",
    test: { file: "test/shared/review/form-answer.test.ts", only: "with a field that the form does not have" },
  },
  {
    name: "an address is for who is signed in alone",
    file: gates,
    from: "{ ...asked, ...ownerAlone, ...signedIn,",
    to: "{ ...asked, ...ownerAlone,",
    test: { file: contract, only: "opens and declines nothing" },
  },
  {
    name: "an address is for the key's owner alone",
    file: gates,
    from: "if (isUrl) return",
    to: "if (false) return",
    test: { file: gatesTest, only: "an address is for the owner alone" },
  },
  {
    name: "no grant answers a form",
    file: gates,
    from: "    grants: false,",
    to: "",
    test: { file: gatesTest, only: "allows a grant for it" },
  },
  {
    name: "a room answers no form",
    file: gates,
    from: "of.filter((each) => !isRoom(each))",
    to: "of",
    test: { file: gatesTest, only: "a room" },
  },
  {
    name: "without a rule the owner is asked",
    file: gates,
    from: 'if (gates.rule === "default") return',
    to: "if (false) return",
    test: { file: gatesTest, only: "without a rule" },
  },
  {
    name: "a client does not answer a form that the gateway answers",
    file: "workers/endpoints/relay/sessions/session-relay.ts",
    from: "ours.includes(elicitationMethod) && mayElicitByItself(body, value)",
    to: "false",
    test: { file: contract, only: "a client cannot answer for the person" },
  },
  {
    name: "an address is at a host that the entry lists",
    file: "shared/relay/url-elicitation.ts",
    from: "elicitationHosts === undefined || elicitationHosts.includes(hostname)",
    to: "elicitationHosts !== null",
    test: { file: "test/shared/wire/elicitation.test.ts" },
  },
  {
    name: "an address is https",
    file: "shared/relay/url-elicitation.ts",
    from: 'if (protocol !== "https:") return "must be',
    to: 'if (protocol === "") return "must be',
    test: { file: "test/shared/wire/elicitation.test.ts" },
  },
  {
    name: "an address has no user name",
    file: "shared/relay/url-elicitation.ts",
    from: 'if (username !== "" || password !== "") return',
    to: "if (false) return",
    test: { file: "test/shared/wire/elicitation.test.ts" },
  },
  {
    name: "an address is public",
    file: "shared/relay/url-elicitation.ts",
    from: "if (!allowPrivate && isPrivateHost(hostname)) return",
    to: "if (false) return",
    test: { file: "test/shared/wire/elicitation.test.ts" },
  },
  {
    name: "a form is for a request that has no answer yet",
    file: "workers/endpoints/relay/sampling/relay-sampling.ts",
    from: "const refuse = (refusal: Refusal) => err(refusing(context, elicitationMethod, originating.name, trace)(refusal));\n  if (context.isOver) return",
    to: "const refuse = (refusal: Refusal) => err(refusing(context, elicitationMethod, originating.name, trace)(refusal));\n  if (false) return",
    test: { file: contract, only: "after its call was answered" },
  },
  {
    name: "Slack has no button that answers a form",
    file: "shared/channels/slack/slack-message.ts",
    from: "...(isForm(view) ? [] : [deny])",
    to: "deny",
    test: { file: "test/shared/channels/form-notices.test.ts", only: "no button that decides" },
  },
  {
    name: "forms are not decided together",
    file: "shared/review/inbox-facts.ts",
    from: '...(view.subject === "form" ? { run: view.run } : {})',
    to: "",
    test: { file: "test/shared/channels/form-notices.test.ts", only: "groups it with no other" },
  },
];
