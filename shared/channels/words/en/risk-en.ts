// What was found in a text that a reviewer should look at, in English. Nothing of the text itself
// is in these sentences.

export const riskLevelsEn = { low: "low", medium: "medium", high: "high" } as const;

/** One short line each: it stands in a list on a phone. */
export const riskEn = {
  more: "The same in {n} more {n, place/places}",
  size: "Over {n} characters long",
  blankLines: { high: "{n} blank lines hide the rest", less: "{n} blank lines in a row" },
  longSpace: "{n} spaces hide the rest",
  credential: "Looks like {what}",
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
    countersignKey: "a Countersign key",
    password: "a password",
    cardNumber: "a payment card number",
  },
  blob: "{n} encoded characters",
  urlWithData: "Address may carry data away",
  addressesReviewer: { high: "Asks the reviewer to approve", less: "Mentions review or approval" },
  overridesInstructions: "Overrides earlier instructions",
  asksSecret: "Asks for a secret: enter none",
  lookAlikes: "Letters that only look Latin",
  invisible: {
    bidirectional: "{n, Invisible character reverses text/# characters reverse the text}",
    bidirectionalMark: "{n, # direction mark/# direction marks}",
    tagCharacters: "{n, # hidden tag character/# hidden tag characters}",
    zeroWidth: "{n, # zero-width character/# zero-width characters}",
    control: "{n, # control character/# control characters}",
    unseen: "{n, # other invisible character/# other invisible characters}",
  },
} as const;
