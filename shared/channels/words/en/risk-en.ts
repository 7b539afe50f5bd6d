// What was found in a text that a reviewer should look at, in English. Nothing of the text itself
// is in these sentences.

export const riskLevelsEn = { low: "low", medium: "medium", high: "high" } as const;

export const riskEn = {
  more: "The same was found in {n} more {n, place/places}.",
  tools: "The model is offered tools, and may ask the server to run them.",
  size: {
    low: "The text is over {n} characters long.",
    more: "The text is over {n} characters long, which few people read.",
  },
  media: "There is {what} here, which the text checks do not cover.",
  mediaOf: { image: "an image", audio: "audio", binaryResource: "a binary resource" },
  blankLines: {
    high: "{n} blank lines in a row, so that the text after them is easily missed.",
    less: "{n} blank lines in a row.",
  },
  longSpace: "{n} spaces or tabs in one line, so that the text after them is easily missed.",
  credential: "There is something here that looks like {what}.",
  credentialOf: {
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
  },
  blob: "{n} characters here look like encoded data, which a person cannot read.",
  urlWithData: {
    low: "A web address here has a query.",
    more: "The query of a web address here carries much data, or has placeholders for data.",
  },
  addressesReviewer: {
    high: "The text addresses the reviewer, asks for approval, or imitates this page.",
    less: "The text mentions review or approval, possibly to influence it.",
  },
  overridesInstructions: "The text tells the model to ignore its instructions, or to hide something from people.",
  asksSecret: "This field asks for a secret. Servers must not ask for one in a form: do not enter it.",
  invisible: "There {n, is #/are #} {what} {n, character/characters} here.",
  invisibleOf: {
    bidirectional: "bidirectional control",
    bidirectionalMark: "bidirectional mark",
    tagCharacters: "invisible tag",
    zeroWidth: "zero-width",
    control: "control",
    unseen: "other invisible or ambiguous",
  },
} as const;
