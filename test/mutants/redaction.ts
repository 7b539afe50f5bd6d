// Redaction and the encryption of what is stored.

import type { Mutant } from "./mutant.ts";

const contract = "test/workers/contract/redaction.test.ts";

export const redactionMutants: readonly Mutant[] = [
  {
    name: "a request is planned as it is masked",
    file: "shared/run/plan.ts",
    from: "const { value: request, redaction: redacted } = masked.value;",
    to: "const { request } = input;\n  const { redaction: redacted } = masked.value;",
    test: { file: contract, only: "the model gets the masked request" },
  },
  {
    name: "a reply on the fast path is masked",
    file: "workers/pipeline/start/fast.ts",
    from: "const outcome = completed(value, input.request",
    to: "const outcome = completed(said.reply, input.request",
    test: { file: contract, only: "the model gets the masked request" },
  },
  {
    name: "a stream waits for the whole reply where a rule may mask it",
    file: "workers/pipeline/start/fast.ts",
    from: "onDelta: isWhole ? undefined : onDelta",
    to: "onDelta",
    test: { file: contract, only: "a stream of the control endpoint" },
  },
  {
    name: "a redaction is lifted by those whom the policy names",
    file: "workers/objects/run/review/run-deciding.ts",
    from: 'if (input.redaction?.mayLift.includes(by.name) !== true) return { kind: "cannotLift" };',
    to: "",
    test: { file: contract, only: "nobody lifts a redaction" },
  },
  {
    name: "an original is shown to those who may lift it",
    file: "shared/run/present.ts",
    from: "const maySee = ({ input, reviewer }: PresentInput): boolean => input.redaction?.mayLift.includes(reviewer.name) === true;",
    to: "const maySee = ({ input }: PresentInput): boolean => input.redaction !== undefined;",
    test: { file: contract, only: "the page shows the marker" },
  },
  {
    name: "a lift ends the votes",
    file: "shared/review/decision.ts",
    from: "digest: liftedDigest, votes: [], lifted",
    to: "digest: liftedDigest, lifted",
    test: { file: contract, only: "whom the policy names lifts it" },
  },
  {
    name: "a notice is masked again",
    file: "workers/objects/run/review/run-views.ts",
    from: "return view === null ? null : forNotice(view, of.input, this.#textsOf(view, of.input));",
    to: "return view === null ? null : { view, excerpt: of.input.gatePolicy.noticeExcerpt };",
    test: { file: contract, only: "has the marker also where" },
  },
  {
    name: "a Slack message that masks something has no Approve button",
    file: "shared/channels/slack/slack-message.ts",
    from: "...(view.maskedHere === undefined ? {} : { masked: view.maskedHere }),",
    to: "",
    test: { file: contract, only: "has the marker also where" },
  },
  {
    name: "the original of a denied reply is deleted",
    file: "workers/objects/run/tables/run-store.ts",
    from: 'this.#delete("redaction:response");',
    to: "",
    test: { file: contract, only: "a denied reply is gone" },
  },
  {
    name: "a pattern's work is bounded",
    file: "shared/redaction/redact.ts",
    from: 'if (masking.over !== null) return err({ kind: "tooMuch", rule: masking.over });',
    to: "",
    test: { file: "test/shared/redaction/redact.test.ts", only: "would work for too long" },
  },
  {
    name: "a sealed text is bound to its row",
    file: "workers/objects/content-seal.ts",
    from: "cipher.setAAD(new TextEncoder().encode(place));\n    const sealed",
    to: 'cipher.setAAD(new TextEncoder().encode(""));\n    const sealed',
    test: { file: "test/workers/objects/content-seal.test.ts", only: "opens where it stands" },
  },
  {
    name: "a key of content is one object's",
    file: "workers/objects/content-seal.ts",
    from: 'derived(secret, object, "countersign/content/v1", 32)',
    to: 'derived(secret, "", "countersign/content/v1", 32)',
    test: { file: "test/workers/objects/content-seal.test.ts", only: "no other object" },
  },
  {
    name: "content is sealed",
    file: "workers/objects/long-text.ts",
    from: "const sealed = isPlain ? some : this.#seal.seal(some, this.#place(name, part));",
    to: "const sealed = some;",
    test: { file: "test/workers/sealed/content-key.test.ts", only: "answered at once" },
  },
  {
    name: "a run whose key is gone ends",
    file: "workers/objects/run/run-object.ts",
    from: "if (this.#store.isUnreadable()) this.#endUnreadable();",
    to: "",
    test: { file: "test/workers/sealed/content-key.test.ts", only: "ends as failed" },
  },
];
