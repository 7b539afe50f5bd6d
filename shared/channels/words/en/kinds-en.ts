// The words that depend on what is reviewed, in English: one entry for each subject, and one for
// each kind of request. What is missing does not compile.

import type { SubjectKind } from "../../../model/subject/subject.ts";
import type { RequestKind } from "../../../review/review-facts.ts";
import type { KindWords, SubjectWords } from "../kind-words.ts";

export const subjectsEn: Readonly<Record<SubjectKind, SubjectWords>> = {
  message: {
    one: "message",
    many: "model requests",
    reply: "reply",
    condition: "a *model* is asked",
    acts: {
      allow: "*allow* prompt and reply.",
      askBoth: "ask {people} about prompt and reply.",
      askPrompt: "ask {people} about the prompt. *Allow the reply.*",
      askReply: "*allow the prompt*. Ask {people} about the reply.",
    },
  },
  toolCall: {
    one: "tool call",
    many: "tool calls",
    reply: "result",
    condition: "a *tool* is called",
    acts: {
      allow: "*allow* call and result.",
      askBoth: "ask {people} about call and result.",
      askPrompt: "ask {people} about the call. *Allow the result.*",
      askReply: "*allow the call*. Ask {people} about the result.",
    },
  },
  form: {
    one: "form",
    many: "forms",
    reply: "answer",
    condition: "a server asks for a *form*",
    acts: {
      allow: "*let it pass*.",
      askBoth: "ask {people} to answer it.",
      askPrompt: "ask {people} to answer it.",
      askReply: "*let it pass*.",
    },
  },
};

const progress = {
  waiting: "",
  generating: "The model is being asked now.",
  responseReview: "The model has replied; the reply waits for its own review.",
  completed: "The reply was delivered.",
  rejected: "The server was told that the user rejected the request.",
  expired: "The server was told that nobody decided in time.",
  cancelled: "The request was withdrawn; nothing more will happen.",
  failed: "The server was told that the request failed.",
};
const ownProgress = {
  ...progress,
  rejected: "The client was told that the request was denied.",
  expired: "The client was told that nobody decided in time.",
  failed: "The client was told that the request failed.",
};

const ofModel = {
  places: {},
  gates: {
    request: {
      lead: "Nothing has been sent yet.",
      content: "What would be sent",
      approve: "Approve and send",
      link: "Review the request",
      exactly: "Approving sends exactly what is shown here, to the first model, and to the next only if that one fails.",
      exactlyOne: "Approving sends exactly what is shown here, to this model only.",
      denyTitle: "Deny this request",
      editTitle: "Edit this request",
      edit: "This is version {version}. Approving sends exactly what is in these fields.",
      effect: { same: "Approve sends it to {model}.", changed: "Sends your version to {model}." },
      from: "",
      caution: "",
    },
    response: {
      lead: "Nothing has been delivered yet.",
      content: "What would be delivered",
      approve: "Approve and deliver",
      link: "Review the reply",
      exactly: "Approving delivers exactly this reply. The approved prompt is behind Open.",
      exactlyOne: "Approving delivers exactly this reply. The approved prompt is behind Open.",
      denyTitle: "Deny this reply",
      editTitle: "Edit this reply",
      edit: "This is version {version}. Approving delivers exactly what is in these fields.",
      effect: { same: "Approve delivers it to {to}.", changed: "Approve delivers your version to {to}." },
      from: "",
      caution: "",
    },
  },
  silence: "If nobody decides before {at}, it is denied automatically.",
  prompt: "Approved prompt",
  hidden: "This reply was denied. It was not delivered and is no longer shown.",
  steps: { asked: "Prompt", served: "Model", answered: "Reply" },
  progress: ownProgress,
  next: {
    approved: "{by} approved the prompt.",
    answersNow: "{model} is answering.",
    here: "The reply is here.",
    answers: "{model} is answering",
    answered: "{model} replied in {seconds} s",
    mayWait: "The reply may need a review",
    waits: "{who} review the reply",
    waitsHere: "The reply waits for review.",
    delivers: "{to} gets the reply",
    review: "Review reply",
  },
};

const ofTool = {
  places: {},
  gates: {
    request: {
      lead: "Nothing has run yet. If you approve, the tool runs: this is an action, not a question to a model.",
      content: "What would run",
      approve: "Approve and run",
      link: "Review the request",
      exactly: "Approving runs exactly what is shown here, on the first server, and on the next only if that one fails.",
      exactlyOne: "Approving runs exactly what is shown here, on this server only.",
      denyTitle: "Deny this run",
      editTitle: "Edit the arguments",
      edit: "This is version {version}. Approving runs exactly what is in these fields, after a check against the tool’s schema.",
      effect: { same: "Approve runs it on {server}.", changed: "Approve runs your version on {server}." },
      from: "From the client: arguments of the tool",
      caution: "",
    },
    response: {
      lead: "It has run. Nothing of its result has been delivered yet.",
      content: "What would be delivered",
      approve: "Approve and deliver",
      link: "Review the result",
      exactly: "Approving delivers exactly this result. What was run is behind Open; denying does not undo it.",
      exactlyOne: "Approving delivers exactly this result. What was run is behind Open; denying does not undo it.",
      denyTitle: "Deny this result",
      editTitle: "Edit this result",
      edit: "This is version {version}. Approving delivers exactly what is in these fields.",
      effect: { same: "Deliver gives it to {to}.", changed: "Deliver gives your version to {to}." },
      from: "From the tool: result",
      caution: "",
    },
  },
  silence: ofModel.silence,
  prompt: "What ran",
  hidden: "This result was denied. It was not delivered and is no longer shown. What the tool did is not undone.",
  steps: { asked: "Call", served: "Tool", answered: "Result" },
  progress: {
    ...ownProgress,
    generating: "The tool runs now.",
    responseReview: "The tool has run; its result waits for its own review.",
    completed: "The result was delivered.",
  },
  next: {
    approved: "{by} approved the call.",
    answersNow: "{name} is running on {server}.",
    here: "The result is here.",
    answers: "{name} is running on {server}",
    answered: "{name} ran on {server} for {seconds} s",
    mayWait: "The result may need a review",
    waits: "{who} review the result",
    waitsHere: "The result waits for review.",
    delivers: "{to} gets the result",
    review: "Review result",
  },
};

const choice = {
  caution:
    "The function that the model chooses is returned to the client, or runs on the server where it is registered. Each run is reviewed separately where the policy says so.",
};

const formGate = {
  ...ofModel.gates.request,
  from: "From the server: what a person is asked for",
  lead: "The server waits for an answer.",
  content: "What it asks",
  approve: "Answer",
  link: "Answer the question",
};

/** A person answers, and nobody else. */
const ofForm = {
  ...ofModel,
  places: { "/message": "Message of the form", "/url": "Address to open", "/content": "Answer", "/schema": "What is asked for" },
  gates: { request: formGate, response: { ...formGate, from: "From a person: what was entered" } },
  silence: "If nobody answers before {at}, the server is told that nobody did.",
  steps: { asked: "Question", answered: "Answer" },
  progress: {
    ...progress,
    completed: "The answer was delivered.",
    rejected: "The server was told that somebody declined.",
    expired: "The server was told that nobody answered.",
    cancelled: "The server was told that nobody answered.",
    failed: "The server was told that nobody answered.",
  },
};

export const kindsEn: Readonly<Record<RequestKind, KindWords>> = {
  sampling: {
    ...ofModel,
    progress,
    notice: { request: "{server} · {name} asks {model}", response: "{model} answers {server} · {name}" },
    heading: {
      request: { now: "{caller} asks {model}", then: "{caller} asked {model}" },
      response: { now: "{model} replies to {caller}", then: "{model} replied to {caller}" },
    },
    title: { request: "A server wants to ask a model", response: "A model’s reply waits for delivery" },
    closedTitle: { request: "A server wanted to ask a model", response: "A model’s reply" },
    asks: "Asked by {server} for {client}, while it handles {method} {name}.",
    asked: "{server} for {client}, {method} {name}.",
  },
  text: {
    ...ofModel,
    notice: { request: "{client} asks {model} for text", response: "{model} answers {client}" },
    heading: {
      request: { now: "{client} asks {model} for text", then: "{client} asked {model} for text" },
      response: { now: "{model} replies to {client}", then: "{model} replied to {client}" },
    },
    title: { request: "A client asks a model for text", response: "A model’s reply waits for delivery" },
    closedTitle: { request: "A client asked a model for text", response: "A model’s reply" },
    asks: "{client} asks a model for text.",
    asked: "{client} asked a model for text.",
  },
  translation: {
    ...ofModel,
    notice: { request: "{client} asks {model} for a translation", response: "{model} answers {client}" },
    heading: {
      request: { now: "{client} asks {model} for a translation", then: "{client} asked {model} for a translation" },
      response: { now: "{model} translates for {client}", then: "{model} translated for {client}" },
    },
    title: { request: "A client asks for a translation", response: "A translation waits for delivery" },
    closedTitle: { request: "A client asked for a translation", response: "A translation" },
    asks: "{client} asks for a translation.",
    asked: "{client} asked for a translation.",
  },
  embedding: {
    ...ofModel,
    prompt: "Approved texts",
    steps: { asked: "Texts", served: "Model", answered: "Vectors" },
    notice: { request: "{client} asks {model} for vectors", response: "{model} answers {client}" },
    heading: {
      request: { now: "{client} asks {model} for vectors", then: "{client} asked {model} for vectors" },
      response: { now: "{model} gives {client} vectors", then: "{model} gave {client} vectors" },
    },
    title: { request: "A client asks for texts as vectors", response: "Vectors wait for delivery" },
    closedTitle: { request: "A client asked for texts as vectors", response: "Vectors of texts" },
    asks: "{client} asks for texts as vectors (embeddings).",
    asked: "{client} asked for texts as vectors (embeddings).",
  },
  functionChoice: {
    ...ofModel,
    gates: { request: { ...ofModel.gates.request, ...choice }, response: { ...ofModel.gates.response, ...choice } },
    notice: { request: "{client} asks {model} to choose a function", response: "{model} answers {client}" },
    heading: {
      request: { now: "{client} asks {model} to choose a function", then: "{client} asked {model} to choose a function" },
      response: { now: "{model} chooses for {client}", then: "{model} chose for {client}" },
    },
    title: { request: "A client asks a model to choose a function", response: "A model’s choice waits for delivery" },
    closedTitle: { request: "A client asked a model to choose a function", response: "A model’s choice of a function" },
    asks: "{client} asks a model to choose among functions.",
    asked: "{client} asked a model to choose among functions.",
  },
  multimodal: {
    ...ofModel,
    notice: { request: "{client} asks {model} about images", response: "{model} answers {client}" },
    heading: {
      request: { now: "{client} asks {model} about images", then: "{client} asked {model} about images" },
      response: { now: "{model} replies to {client}", then: "{model} replied to {client}" },
    },
    title: { request: "A client asks a model about images", response: "A model’s reply waits for delivery" },
    closedTitle: { request: "A client asked a model about images", response: "A model’s reply" },
    asks: "{client} asks a model about images.",
    asked: "{client} asked a model about images.",
  },
  toolCall: {
    ...ofTool,
    notice: { request: "{client} wants to run {name} on {server}", response: "{name} on {server} answers {client}" },
    heading: {
      request: { now: "{client} wants to run {name} on {server}", then: "{client} wanted to run {name} on {server}" },
      response: { now: "{name} ran on {server} for {client}", then: "{name} ran on {server} for {client}" },
    },
    title: { request: "A client wants to run a tool", response: "A tool’s result waits for delivery" },
    closedTitle: { request: "A client wanted to run a tool", response: "A tool’s result" },
    asks: "{client} wants to run {name} on {server}.",
    asked: "{client} wanted to run {name} on {server}.",
  },
  form: {
    ...ofForm,
    notice: { request: "{server} · {name} asks you", response: "An answer for {server}" },
    heading: {
      request: { now: "{caller} asks you", then: "{caller} asked" },
      response: { now: "An answer for {caller}", then: "An answer for {caller}" },
    },
    title: { request: "A server asks for a form to be filled in", response: "An answer waits for delivery" },
    closedTitle: { request: "A server asked for a form to be filled in", response: "An answer to a form" },
    asks: "Asked by {server} for {client}, while it handles {method} {name}.",
    asked: "{server} for {client}, {method} {name}.",
  },
  address: {
    ...ofForm,
    notice: { request: "{server} · {name} asks you to open an address", response: "An answer for {server}" },
    heading: {
      request: { now: "{caller} asks you to open", then: "{caller} asked for an address to be opened" },
      response: { now: "An answer for {caller}", then: "An answer for {caller}" },
    },
    title: { request: "A server asks for an address to be opened", response: "An answer waits for delivery" },
    closedTitle: { request: "A server asked for an address to be opened", response: "An answer" },
    asks: "Asked by {server} for {client}, while it handles {method} {name}.",
    asked: "{server} for {client}, {method} {name}.",
  },
};
