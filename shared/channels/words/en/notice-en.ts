// The line that says what a notice is about, in English: for a subject, a header, a fallback text
// or a title.

export const noticeEn = {
  noModel: "a model",
  until: "until {time}",
  /** How much time is left, in its largest unit. */
  left: { second: "{n} s", minute: "{n} min", hour: "{n} h", day: "{n} days" },
  passed: "deadline passed",
  warnings: "{n, # warning/# warnings}",
} as const;
