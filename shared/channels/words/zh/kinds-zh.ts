// The words that depend on what is reviewed, in simplified Chinese: one entry for each subject, and
// one for each kind of request. What is missing does not compile.

import type { SubjectKind } from "../../../model/subject/subject.ts";
import type { RequestKind } from "../../../review/review-facts.ts";
import type { KindWords, SubjectWords } from "../kind-words.ts";

export const subjectsZh: Readonly<Record<SubjectKind, SubjectWords>> = {
  message: {
    one: "消息",
    many: "模型请求",
    reply: "回复",
    condition: "请求*模型*",
    acts: {
      allow: "*放行*提示和回复。",
      askBoth: "提示和回复均由 {people} 审核。",
      askPrompt: "提示由 {people} 审核，*放行回复*。",
      askReply: "*放行提示*，回复由 {people} 审核。",
    },
  },
  toolCall: {
    one: "工具调用",
    many: "工具调用",
    reply: "结果",
    condition: "调用*工具*",
    acts: {
      allow: "*放行*调用和结果。",
      askBoth: "调用和结果均由 {people} 审核。",
      askPrompt: "调用由 {people} 审核，*放行结果*。",
      askReply: "*放行调用*，结果由 {people} 审核。",
    },
  },
  form: {
    one: "表单",
    many: "表单",
    reply: "填写结果",
    condition: "服务器请求填写*表单*",
    acts: {
      allow: "*放行*。",
      askBoth: "由 {people} 填写。",
      askPrompt: "由 {people} 填写。",
      askReply: "*放行*。",
    },
  },
};

const progress = {
  waiting: "",
  generating: "正在请求模型。",
  responseReview: "模型已回复，回复等待审核。",
  completed: "回复已交付。",
  rejected: "已告知服务器：用户拒绝了请求。",
  expired: "已告知服务器：无人按时决定。",
  cancelled: "请求已撤回，不会再有后续。",
  failed: "已告知服务器：请求失败。",
};
const ownProgress = {
  ...progress,
  rejected: "已告知客户端：请求被拒绝。",
  expired: "已告知客户端：无人按时决定。",
  failed: "已告知客户端：请求失败。",
};

const ofModel = {
  places: {},
  gates: {
    request: {
      lead: "尚未发送任何内容。",
      content: "将要发送的内容",
      approve: "批准并发送",
      link: "审核请求",
      exactly: "批准后，只发送此处显示的内容，先发给第一个模型，失败时才发给下一个。",
      exactlyOne: "批准后，只发送此处显示的内容，只发给这个模型。",
      denyTitle: "拒绝此请求",
      editTitle: "编辑此请求",
      edit: "这是版本 {version}。批准后，只发送这些字段中的内容。",
      effect: { same: "批准后发给 {model}。", changed: "批准后，把你修改的版本发给 {model}。" },
      from: "",
      caution: "",
    },
    response: {
      lead: "尚未交付任何内容。",
      content: "将要交付的内容",
      approve: "批准并交付",
      link: "审核回复",
      exactly: "批准后，原样交付此回复。已批准的提示词可点“打开”查看。",
      exactlyOne: "批准后，原样交付此回复。已批准的提示词可点“打开”查看。",
      denyTitle: "拒绝此回复",
      editTitle: "编辑此回复",
      edit: "这是版本 {version}。批准后，只交付这些字段中的内容。",
      effect: { same: "批准后交付给 {to}。", changed: "批准后，把你修改的版本交付给 {to}。" },
      from: "",
      caution: "",
    },
  },
  silence: "{at} 前无人决定，将自动拒绝。",
  prompt: "已批准的提示词",
  hidden: "此回复已被拒绝，没有交付，也不再显示。",
  steps: { asked: "提示词", served: "模型", answered: "回复" },
  progress: ownProgress,
  next: {
    approved: "{by}已批准提示词。",
    answersNow: "{model} 正在回复。",
    here: "回复已到。",
    answers: "{model} 正在回复",
    answered: "{model} 用 {seconds} 秒作出回复",
    mayWait: "回复可能需要审核",
    waits: "{who} 审核回复",
    waitsHere: "回复等待审核。",
    delivers: "{to} 收到回复",
    review: "审核回复",
  },
};

const ofTool = {
  places: {},
  gates: {
    request: {
      lead: "尚未运行。一经批准，工具就会运行：这是一次操作，而不是向模型提问。",
      content: "将要运行的内容",
      approve: "批准并运行",
      link: "审核请求",
      exactly: "批准后，按此处显示的内容运行，先在第一个服务器上运行，失败时才换下一个。",
      exactlyOne: "批准后，按此处显示的内容运行，只在这个服务器上运行。",
      denyTitle: "拒绝运行",
      editTitle: "编辑参数",
      edit: "这是版本 {version}。批准后，先按工具的 schema 检查，再按这些字段中的内容运行。",
      effect: { same: "批准后在 {server} 上运行。", changed: "批准后，在 {server} 上运行你修改的版本。" },
      from: "来自客户端：工具参数",
      caution: "",
    },
    response: {
      lead: "已经运行。结果尚未交付。",
      content: "将要交付的内容",
      approve: "批准并交付",
      link: "审核结果",
      exactly: "批准后，原样交付此结果。运行的内容可点“打开”查看；拒绝不会撤销已执行的操作。",
      exactlyOne: "批准后，原样交付此结果。运行的内容可点“打开”查看；拒绝不会撤销已执行的操作。",
      denyTitle: "拒绝此结果",
      editTitle: "编辑此结果",
      edit: "这是版本 {version}。批准后，只交付这些字段中的内容。",
      effect: { same: "交付后，{to} 会收到它。", changed: "交付后，{to} 会收到你修改的版本。" },
      from: "来自工具：结果",
      caution: "",
    },
  },
  silence: ofModel.silence,
  prompt: "已运行的内容",
  hidden: "此结果已被拒绝，没有交付，也不再显示。工具已执行的操作不会撤销。",
  steps: { asked: "调用", served: "工具", answered: "结果" },
  progress: { ...ownProgress, generating: "工具正在运行。", responseReview: "工具已运行，结果等待审核。", completed: "结果已交付。" },
  next: {
    approved: "{by}已批准调用。",
    answersNow: "{name} 正在 {server} 上运行。",
    here: "结果已到。",
    answers: "{name} 正在 {server} 上运行",
    answered: "{name} 在 {server} 上运行了 {seconds} 秒",
    mayWait: "结果可能需要审核",
    waits: "{who}审核结果",
    waitsHere: "结果等待审核。",
    delivers: "{to} 收到结果",
    review: "审核结果",
  },
};

const choice = { caution: "模型选择的函数会返回给客户端，或在登记它的服务器上运行。策略要求时，每次运行会单独审核。" };

const formGate = { ...ofModel.gates.request, lead: "服务器在等待回答。", content: "它的问题", approve: "回答", link: "回答问题" };

const ofForm = {
  ...ofModel,
  places: { "/message": "表单的说明", "/url": "要打开的网址", "/content": "填写结果", "/schema": "要填写的内容" },
  gates: { request: formGate, response: { ...formGate, from: "来自填写人：填写的内容" } },
  silence: "{at} 前无人回答，服务器会得知无人回答。",
  steps: { asked: "问题", answered: "回答" },
  progress: {
    ...progress,
    completed: "回答已交付。",
    rejected: "服务器已得知有人谢绝。",
    expired: "服务器已得知无人回答。",
    cancelled: "服务器已得知无人回答。",
    failed: "服务器已得知无人回答。",
  },
};

export const kindsZh: Readonly<Record<RequestKind, KindWords>> = {
  sampling: {
    ...ofModel,
    progress,
    notice: { request: "{server} · {name} 请求 {model}", response: "{model} 回复 {server} · {name}" },
    heading: {
      request: { now: "{caller} 请求 {model}", then: "{caller} 请求了 {model}" },
      response: { now: "{model} 回复 {caller}", then: "{model} 回复了 {caller}" },
    },
    title: { request: "服务器想请求模型", response: "模型的回复等待交付" },
    closedTitle: { request: "服务器曾想请求模型", response: "模型的回复" },
    asks: "{server} 在处理 {client} 的 {method} {name} 时提出。",
    asked: "{server}，处理 {client} 的 {method} {name} 时。",
  },
  text: {
    ...ofModel,
    notice: { request: "{client} 请 {model} 生成文字", response: "{model} 回复 {client}" },
    heading: {
      request: { now: "{client} 请 {model} 生成文字", then: "{client} 曾请 {model} 生成文字" },
      response: { now: "{model} 回复 {client}", then: "{model} 回复了 {client}" },
    },
    title: { request: "客户端请模型生成文字", response: "模型的回复等待交付" },
    closedTitle: { request: "客户端曾请模型生成文字", response: "模型的回复" },
    asks: "{client} 请模型生成文字。",
    asked: "{client} 曾请模型生成文字。",
  },
  translation: {
    ...ofModel,
    notice: { request: "{client} 请 {model} 翻译", response: "{model} 回复 {client}" },
    heading: {
      request: { now: "{client} 请 {model} 翻译", then: "{client} 曾请 {model} 翻译" },
      response: { now: "{model} 为 {client} 翻译", then: "{model} 为 {client} 翻译了" },
    },
    title: { request: "客户端请求翻译", response: "译文等待交付" },
    closedTitle: { request: "客户端曾请求翻译", response: "译文" },
    asks: "{client} 请求翻译。",
    asked: "{client} 曾请求翻译。",
  },
  embedding: {
    ...ofModel,
    prompt: "已批准的文字",
    steps: { asked: "文字", served: "模型", answered: "向量" },
    notice: { request: "{client} 请 {model} 生成向量", response: "{model} 回复 {client}" },
    heading: {
      request: { now: "{client} 请 {model} 生成向量", then: "{client} 曾请 {model} 生成向量" },
      response: { now: "{model} 为 {client} 生成向量", then: "{model} 为 {client} 生成了向量" },
    },
    title: { request: "客户端请求把文字转成向量", response: "向量等待交付" },
    closedTitle: { request: "客户端曾请求把文字转成向量", response: "文字的向量" },
    asks: "{client} 请求把文字转成向量（嵌入）。",
    asked: "{client} 曾请求把文字转成向量（嵌入）。",
  },
  functionChoice: {
    ...ofModel,
    gates: { request: { ...ofModel.gates.request, ...choice }, response: { ...ofModel.gates.response, ...choice } },
    notice: { request: "{client} 请 {model} 选择函数", response: "{model} 回复 {client}" },
    heading: {
      request: { now: "{client} 请 {model} 选择函数", then: "{client} 曾请 {model} 选择函数" },
      response: { now: "{model} 为 {client} 选择函数", then: "{model} 为 {client} 选择了函数" },
    },
    title: { request: "客户端请模型选择函数", response: "模型的选择等待交付" },
    closedTitle: { request: "客户端曾请模型选择函数", response: "模型选择的函数" },
    asks: "{client} 请模型从多个函数中选择。",
    asked: "{client} 曾请模型从多个函数中选择。",
  },
  multimodal: {
    ...ofModel,
    notice: { request: "{client} 请 {model} 解读图片", response: "{model} 回复 {client}" },
    heading: {
      request: { now: "{client} 请 {model} 解读图片", then: "{client} 曾请 {model} 解读图片" },
      response: { now: "{model} 回复 {client}", then: "{model} 回复了 {client}" },
    },
    title: { request: "客户端请模型解读图片", response: "模型的回复等待交付" },
    closedTitle: { request: "客户端曾请模型解读图片", response: "模型的回复" },
    asks: "{client} 请模型解读图片。",
    asked: "{client} 曾请模型解读图片。",
  },
  toolCall: {
    ...ofTool,
    notice: { request: "{client} 想在 {server} 上运行 {name}", response: "{server} 上的 {name} 回复 {client}" },
    heading: {
      request: { now: "{client} 想在 {server} 上运行 {name}", then: "{client} 曾想在 {server} 上运行 {name}" },
      response: { now: "{name} 已在 {server} 上为 {client} 运行", then: "{name} 曾在 {server} 上为 {client} 运行" },
    },
    title: { request: "客户端想运行工具", response: "工具的结果等待交付" },
    closedTitle: { request: "客户端曾想运行工具", response: "工具的结果" },
    asks: "{client} 想在 {server} 上运行 {name}。",
    asked: "{client} 曾想在 {server} 上运行 {name}。",
  },
  form: {
    ...ofForm,
    notice: { request: "{server} · {name} 向你提问", response: "给 {server} 的填写结果" },
    heading: {
      request: { now: "{caller} 向你提问", then: "{caller} 曾提问" },
      response: { now: "给 {caller} 的填写结果", then: "给 {caller} 的填写结果" },
    },
    title: { request: "服务器请求填写表单", response: "填写结果等待交付" },
    closedTitle: { request: "服务器曾请求填写表单", response: "表单的填写结果" },
    asks: "{server} 在处理 {client} 的 {method} {name} 时提出。",
    asked: "{server}，处理 {client} 的 {method} {name} 时。",
  },
  address: {
    ...ofForm,
    notice: { request: "{server} · {name} 请你打开一个网址", response: "给 {server} 的填写结果" },
    heading: {
      request: { now: "{caller} 请你打开", then: "{caller} 曾请求打开一个网址" },
      response: { now: "给 {caller} 的填写结果", then: "给 {caller} 的填写结果" },
    },
    title: { request: "服务器请求打开一个网址", response: "填写结果等待交付" },
    closedTitle: { request: "服务器曾请求打开一个网址", response: "填写结果" },
    asks: "{server} 在处理 {client} 的 {method} {name} 时提出。",
    asked: "{server}，处理 {client} 的 {method} {name} 时。",
  },
};
