// What only the chats say in which nothing can be decided, in English.

export const chatEn = {
  room: "Whoever opens the review from this channel decides as {reviewer}: one vote, without a name of their own.",
  because: "Asked because of the policy’s rule {rule}.",
  noExcerpt: "The policy keeps the content out of notices. It is on the page.",
  page: "Approve, edit and deny on the page. Nothing can be decided in {channel}.",
} as const;
