// What the review page says of parts that rules of the policy masked, in simplified Chinese.

export const pageRedactionZh = {
  redaction: {
    heading: "{n} 处已遮盖",
    byRule: "按策略规则遮盖：",
    item: "{label} · {place} · 规则 {rule}",
    state: { masked: "已遮盖", lifted: "已取消遮盖", edited: "文字已被修改" },
    original: "显示被遮盖的内容",
    lift: "取消遮盖",
    hint: "取消遮盖会生成含原文的新版本，此前的批准随之作废。批准之前不会发送任何内容。",
  },
} as const;
