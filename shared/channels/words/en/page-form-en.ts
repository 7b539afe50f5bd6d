// The page of a form, in English: an MCP server asks a person.

export const pageFormEn = {
  form: {
    send: "Send answer",
    decline: "Decline",
    declineHint: "{server} is told that you declined.",
    dismiss: "Dismiss",
    dismissHint: "{server} is told that nobody answered. To say no, decline.",
    effect: "Your answer goes to {server}. Do not enter passwords.",
    check: "Check the form",
    optional: "optional",
    choose: "Choose …",
    fields: "Your answer",
    answer: "The answer",
    yes: "yes",
    no: "no",
    hints: {
      number: { both: "{min} to {max}", min: "{min} or more", max: "{max} or less" },
      text: { both: "{min} to {max} characters", min: "{min} characters or more", max: "up to {max} characters" },
      choices: { both: "choose {min} to {max}", min: "choose {min} or more", max: "choose up to {max}" },
      example: "such as {example}",
      pattern: "pattern {pattern}",
    },
    invalid: "Nothing was sent. Some fields need another look.",
    address: {
      open: "Open {host}",
      opened: "I opened it",
      effect: "It opens in a new tab. Come back and say that you opened it: {server} is told that, and nothing else.",
      alone: "Whoever opens it links their own account. It is for you alone.",
      punycode: "The name of this host is written with letters that can look like others. This is its technical form.",
    },
    states: { approved: "{by} answered", denied: "{by} declined", expired: "Nobody answered in time.", dismissed: "Dismissed" },
  },
} as const;
