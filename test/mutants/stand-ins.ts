// Holidays and quiet hours: who stands in for whom, who may say so, and what waits; and what the
// inbox shows of the content.

import type { Mutant } from "./mutant.ts";

const standIns = { file: "shared/policy/stand-ins.ts", test: { file: "test/shared/policy/stand-ins.test.ts" } };
const inbox = "test/workers/contract/inbox.test.ts";

export const standInMutants: readonly Mutant[] = [
  { ...standIns, name: "the requestor stands in for nobody", from: " || isSamePerson(owner, end.name)", to: "" },
  { ...standIns, name: "a stand-in is one to whom the rule lets a review go", from: " || !mayStandIn.has(end.name)", to: "" },
  { ...standIns, name: "a holiday leaves enough people for the quorum", from: " || able(next) < enough", to: "" },
  {
    ...standIns,
    name: "one's own request is nobody else's",
    from: " || isSamePerson(owner, person.name)) return null;",
    to: ") return null;",
  },
  {
    name: "an excerpt in the inbox only where notices may have one",
    file: "shared/channels/excerpt.ts",
    from: '  if (excerpt === "none") return null;\n',
    to: "",
    test: { file: inbox, only: "has what waits" },
  },
  {
    name: "a notice waits in quiet hours",
    file: "workers/objects/run/notices/notice-sender.ts",
    from: "if (quiet !== null) return quiet - now;",
    to: "",
    test: { file: "test/workers/objects/notices.test.ts", only: "quiet hours" },
  },
  {
    name: "a holiday is set by a form of one's own session",
    file: "workers/endpoints/inbox/admitted.ts",
    from: 'return judged === "forged" ? errorPage(c, "crossSite", 403) : { reader, fields };',
    to: 'return judged === undefined ? errorPage(c, "crossSite", 403) : { reader, fields };',
    test: { file: inbox, only: "are not set by a form" },
  },
];
