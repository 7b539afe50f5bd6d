// What a review page says after a form that did not count, and the pages without a review, in
// simplified Chinese.

import type { ReviewState } from "../../../review/view.ts";

export const pageAnswersZh = {
  answers: {
    sentBefore: "此表单已提交过，没有产生新的决定。本页显示当前状态。",
    stale: "你阅读期间内容有变。这是新版本，请读完再决定。",
    staleChanges: "你阅读期间内容有变。这是新版本；你的修改针对的是旧版本。",
    notAReviewer: "你不是此请求的审核人。",
    invalidEdit: "部分修改无法发送。尚未作出任何决定。",
    cannotBe: { request: "部分修改无法发送。", response: "部分修改无法交付。" },
    unseenChanges: "尚未作出任何决定：你批准的页面没有显示你的修改。修改已在下方列出，请核对后再批准。",
    twoChoices:
      "尚未作出任何决定：本页既有你写的回复，又有要发给模型的内容，请二选一。要发送你的回复，先撤销其他修改，再按回复下方的按钮；要批准请求，先清空你的回复。",
    cannotLift: "没有任何改动：你无权取消此处的遮盖，或文字已被修改。",
    giveUp: {
      ownRequest: "这是你自己的请求，不能由你选择审核人。你可以声明不归你审核。",
      ownReply: "这份回复是你写的，不能由你选择审核人。你可以声明不归你审核。",
      left: "你已退出此审核，没有任何改动。",
      hasApproved: "你已批准，批准仍然有效。你仍可以拒绝。",
      isAskedAlready: "对方已是审核人。没有任何改动，你仍是审核人。",
      noSuchReviewer: "不能请此人审核。没有任何改动，你仍是审核人。",
      unreachable: "无法通过任何渠道联系到对方，或对方无权批准。没有任何改动，你仍是审核人。",
    },
    noGrant: {
      title: "尚未作出任何决定：此处不能放行后续请求。",
      message: "只有在不作修改、使用首选模型批准时，才能放行后续请求。只批准这一次请按“批准”，或先撤销修改。",
    },
    uses: {
      title: "尚未作出任何决定：次数无效。",
      message: "最多放行几次：请填 1 到 {most} 之间的整数。",
    },
    passkey: {
      missing: "批准需要你的通行密钥。没有作出决定：请再次按下按钮。",
      none: "批准需要你的通行密钥，而你还没有。没有作出决定：请在收件箱中添加。",
      failed: "你的通行密钥没有确认这一决定。没有作出决定：请再次按下按钮。",
      late: "你用通行密钥确认已超过五分钟。没有作出决定：请再次按下按钮。",
      unreachable: "无法核验你的通行密钥。没有作出决定：请一分钟后重试，或询问管理员。",
    },
    nonce: {
      early: "页面刚打开就按下了按钮。尚未作出任何决定；请读完再按。",
      late: "本页打开已超过半小时。尚未作出任何决定，你的修改仍在。请重新查看后再决定。",
      forged: "此表单不属于本页面。尚未作出任何决定；请重新查看后再决定。",
    },
  },
  expiredLink: {
    title: "链接已过期",
    until: "链接有效期至 {until}。",
    states: {
      open: "审核仍在进行，还没有人决定。",
      voted: "审核仍在进行，还需要更多人批准。",
      approved: "审核已结束：已批准。",
      denied: "审核已结束：已拒绝。",
      expired: "审核已结束：无人按时决定，已自动拒绝。",
      cancelled: "审核已结束：请求已撤回。",
      failed: "审核已结束：请求失败。",
    } satisfies Record<ReviewState["kind"], string>,
    unsendable: "无法为此审核发送新链接。请联系这个 Countersign 的管理员。",
    offer: "可以向你发送新链接，只走原渠道、只发到登记的地址。此链接不会恢复。",
    renew: "发送新链接",
    problems: {
      early: "页面刚打开就按下了按钮。尚未发送；请再按一次。",
      late: "本页打开已超过半小时。尚未发送；请再按一次。",
      forged: "此表单不属于本页面。尚未发送；请再按一次。",
      decided: "你的决定在链接过期之后才到达，不计入。",
      tooOften: "一小时内最多发送三个新链接。尚未发送；请稍后再试。",
    },
    sent: {
      title: "新链接已发出",
      lead: "已{channel}发到登记的地址，可能要等一分钟。可以关闭本页。",
    },
  },
  plain: {
    noSuchLink: {
      title: "此链接没有内容",
      lead: "地址不完整，或审核记录已不再保存。",
      help: "如果你是从邮件或消息点进来的，请回到那里重新打开。有些程序会把长地址截成两段，这时请复制完整地址。仍打不开时，请向这个 Countersign 的管理员索取新链接。",
    },
    problems: {
      badRequest: {
        title: "无法读取",
        lead: "这不是本页面发出的表单。尚未作出任何决定。",
      },
      crossSite: {
        title: "此表单来自其他网站",
        lead: "只接受从审核页面本身提交的决定。尚未作出任何决定。请从邮件或消息重新打开链接，在那里决定。",
      },
      tooLarge: {
        title: "内容过大",
        lead: "表单超出本页可接受的大小。尚未作出任何决定。请缩短修改，或拒绝请求。",
      },
      wrongType: { title: "这不是表单", lead: "此地址只接受审核页面自己的表单。尚未作出任何决定。" },
      tooMany: { title: "尝试次数过多", lead: "尚未作出任何决定。请等一分钟，再打开链接。" },
      fault: {
        title: "这里出了问题",
        lead: "网关发生错误。请重新打开链接，查看是否已有决定。",
      },
    },
    quote: "求助时请提供此编号：",
  },
} as const;
