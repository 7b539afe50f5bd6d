// Why a model may answer, and why in this place, in English: for pages, and for JSON.

export const whyEn = {
  function: "The servers document registers {tool} of the MCP server {server} as a function, so it runs there and nowhere else.",
  both: "{match} {order}",
  noPriorities: "No priorities given, so the routing table's order applies.",
  score: "Score: {sum} = {points}.",
  axes: { cost: "cost", speed: "speed", intelligence: "intelligence" },
  hint: "Matched {asked}.",
  through: "Matched {asked} through {alias}.",
  rest: "Default model.",
  nearly: {
    version: "Matched the name of {asked}; the version differs.",
    provider: "Matched the name of {asked}; the provider differs.",
    both: "Matched the name of {asked}; the version and the provider differ.",
  },
  alias: "an alias",
  aliasOf: "the alias {entry}",
  named: {
    version: "{name} version {version}",
    provider: "{name} of {provider}",
    both: "{name} version {version} of {provider}",
  },
} as const;
