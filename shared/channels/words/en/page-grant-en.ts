// What a review page says of the grants that a reviewer may give, or has given, in English.

export const pageGrantEn = {
  grant: {
    heading: { request: "Allow later requests", response: "Allow later replies" },
    approve: { request: "Approve and allow later requests", response: "Approve and allow later replies" },
    /** With the number that was written. */
    approveMore: {
      request: { one: "Approve and allow 1 more request", other: "Approve and allow {n} more requests" },
      response: { one: "Approve and allow 1 more reply", other: "Approve and allow {n} more replies" },
    },
    lead: {
      request: "Later requests that you allow here go to a model without review. Not together with a change.",
      response: "Later replies that you allow here are delivered without review. Not together with a change.",
    },
    exact: {
      request: "“Exactly this” is an identical request, character by character.",
      response: "“Exactly this” is any reply to an identical request, character by character.",
    },
    shape: {
      request:
        "“Any like this” has the same system prompt, tools, settings, models and kinds of content. Its messages may say anything else, in at most 1,000 characters or two and a half times as many as here.",
      response:
        "“Any like this” is a reply to a request with the same system prompt, tools, settings, models and kinds of content. Request and reply may say anything else.",
    },
    limits: "It ends by itself. You or an operator can revoke it. Rules that refuse still apply.",
    risk: {
      none: "A request with any warning is still reviewed.",
      low: "A request with warnings above the level low is still reviewed.",
      medium: "A request with warnings above the level medium is still reviewed.",
      high: "This request already has warnings of the highest level, so no warning causes a later review.",
    },
    replyRisk: {
      none: "A reply with any warning is still reviewed.",
      low: "A reply with warnings above the level low is still reviewed.",
      medium: "A reply with warnings above the level medium is still reviewed.",
      high: "This reply already has warnings of the highest level, so no warning causes a later review.",
    },
    what: "Allow",
    kinds: { exact: "Exactly this", shape: "Any like this" },
    scopes: {
      session: "in this session, for {name} of {server}",
      tool: "for {name} of {server}, for {client}",
      server: "for any tool of {server}, for {client}",
      key: "for any tool of any server, for {client}",
    },
    /** How the gateway knows the tool of a later request. */
    known: {
      claimed: "The tool is reported by the client, and the gateway does not verify it. This applies to requests whose tool is reported.",
      inferred:
        "The tool was inferred: a server may wait until this tool is in use, and then ask for something else. This applies to requests whose tool is inferred.",
    },
    hours: "For",
    hoursOf: { 1: "1 hour", 24: "1 day", 168: "7 days", 720: "30 days" },
    uses: "Uses",
    usesHint: "Uses: a number from 1 to {most}.",
    /** The grant that was given with the approval. */
    given: {
      heading: { request: "You allowed later requests", response: "You allowed later replies" },
      covers: "{what}, {scope}",
      until: "{uses, Once/# times} at most, until {at}.",
      undo: "Undo: review them again",
      undone: { request: "Later requests are reviewed again, since {at}.", response: "Later replies are reviewed again, since {at}." },
    },
  },
  clientGrant: {
    session: "in this session, {name} from {client} itself",
    tool: "{name} from {client} itself",
    server: "anything from {client} itself",
    key: "anything from {client}, from any server",
  },
  runGrant: {
    lead: "Later runs that you allow here happen without review. Not together with a change.",
    shape: {
      request:
        "“Any like this” is the same tool with the same arguments by name. Those that are not marked may have any value, in at most 1,000 characters or two and a half times as many as here.",
      response:
        "“Any like this” is the result of the same tool, run with the same arguments by name; those that are not marked may have any value.",
    },
    heading: { request: "Allow later calls", response: "Allow later results" },
    pinned: { legend: "Must stay as it is here", one: "{name} is {value}", hint: "This counts for “Any like this”." },
    scopes: {
      session: "in this session, {name} on {server}",
      tool: "{name} on {server} for {client}",
      server: "any tool of {server} for {client}",
    },
  },
} as const;
