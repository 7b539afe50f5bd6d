// What was found in a text that a reviewer should look at, in English. Nothing of the text itself
// is in these sentences.

import type { RiskFinding, RiskLevel, RiskNote } from "../../../policy/risk.ts";
import { unreachable } from "../../../result.ts";

export const riskLevelsEn: Readonly<Record<RiskLevel, string>> = { low: "low", medium: "medium", high: "high" };

const media: Readonly<Record<Extract<RiskFinding, { kind: "media" }>["of"], string>> = {
  image: "an image",
  audio: "audio",
  binaryResource: "a binary resource",
};

const credentials: Readonly<Record<Extract<RiskFinding, { kind: "credential" }>["of"], string>> = {
  apiKey: "an API key",
  awsAccessKey: "an AWS access key",
  gitHubToken: "a GitHub token",
  gitLabToken: "a GitLab token",
  slackToken: "a Slack token",
  googleApiKey: "a Google API key",
  npmToken: "an npm token",
  jsonWebToken: "a JSON Web Token",
  privateKey: "a private key",
  countersignKey: "an API key or a token of a Countersign gateway",
  password: "a password",
  cardNumber: "the number of a payment card",
};

const invisible = {
  bidirectional: "bidirectional control",
  bidirectionalMark: "bidirectional mark",
  tagCharacters: "invisible tag",
  zeroWidth: "zero-width",
  control: "control",
  unseen: "other invisible or ambiguous",
} as const;

const easilyMissed = ", so that the text after them is easily missed.";

/** One sentence for one note. */
export function riskEn(note: RiskNote): string {
  if ("more" in note) return `The same was found in ${note.more} more ${note.more === 1 ? "place" : "places"}.`;
  switch (note.kind) {
    case "tools":
      return "The model is offered tools, and may ask the server to run them.";
    case "size":
      return `The text is over ${note.characters.toLocaleString("en-US")} characters long${note.level === "low" ? "." : ", which few people read."}`;
    case "media":
      return `There is ${media[note.of]} here, which the text checks do not cover.`;
    case "blankLines":
      return `${note.lines} blank lines in a row${note.level === "high" ? easilyMissed : "."}`;
    case "longSpace":
      return `${note.spaces} spaces or tabs in one line${easilyMissed}`;
    case "credential":
      return `There is something here that looks like ${credentials[note.of]}.`;
    case "blob":
      return `${note.characters} characters here look like encoded data, which a person cannot read.`;
    case "urlWithData":
      return note.level === "low"
        ? "A web address here has a query."
        : "The query of a web address here carries much data, or has placeholders for data.";
    case "addressesReviewer":
      return note.level === "high"
        ? "The text addresses the reviewer, asks for approval, or imitates this page."
        : "The text mentions review or approval, possibly to influence it.";
    case "overridesInstructions":
      return "The text tells the model to ignore its instructions, or to hide something from people.";
    case "bidirectional":
    case "bidirectionalMark":
    case "tagCharacters":
    case "zeroWidth":
    case "control":
    case "unseen":
      return note.characters === 1
        ? `There is 1 ${invisible[note.kind]} character here.`
        : `There are ${note.characters} ${invisible[note.kind]} characters here.`;
    default:
      return unreachable(note);
  }
}
