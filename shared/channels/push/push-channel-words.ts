// What is said of push as a channel, to operators and on the page of a new link.

import type { WithAddress } from "../channel-words.ts";
import type { Language } from "../words/languages.ts";

export const pushChannelWords: Readonly<Record<Language, WithAddress>> = {
  en: {
    name: "push",
    sentBy: "to your devices",
    address: { label: "Push (optional)", hint: "on, where they turned on a device in their inbox, which sets this." },
    taker: "The push service",
    accepted: "A push service took the test message for at least one device. Check that it appears there.",
    failed: {
      notFound: "No device of this reviewer is on. They turn one on in their inbox, under Notices on your devices.",
      unauthorized:
        "The push service refused the gateway’s signature. Check the gateway’s clock, and turn the device on again in the inbox.",
    },
  },
  "zh-CN": {
    name: "推送",
    sentBy: "到你的设备",
    address: { label: "推送（可选）", hint: "审核人在收件箱中开启设备后为 on，由收件箱设置。" },
    taker: "推送服务",
    accepted: "推送服务已为至少一台设备接受测试消息。请确认它出现在设备上。",
    failed: {
      notFound: "此审核人没有开启任何设备。请在其收件箱的“设备通知”中开启。",
      unauthorized: "推送服务拒绝了网关的签名。请检查网关的时钟，并在收件箱中重新开启设备。",
    },
  },
};
