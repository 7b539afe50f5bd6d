// What every channel says of a form in the same words, in simplified Chinese.

import type { Gate } from "../../../model/gate.ts";

const gate = { lead: "服务器在等待回答。", content: "它的问题", approve: "回答" } as const;

export const formZh = {
  gates: { request: gate, response: gate } satisfies Record<Gate, object>,
  silence: "{at} 前无人回答，服务器会得知无人回答。",
  /** In a chat, where nothing can be filled in. */
  open: "请打开页面回答。在这里无法回答。",
  ended: {
    titles: { approved: "已回答", denied: "已谢绝", expired: "已过期" },
    approved: "{by} 于 {at} 回答。",
    denied: "{by} 于 {at} 谢绝。",
    expired: "{at} 前无人回答。服务器已得知无人回答。",
  },
} as const;
