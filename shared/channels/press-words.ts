// What a channel with buttons answers one member's press with.

/** The names of the sentences with which a channel answers one member's press. */
export type PressWords =
  | "notYours"
  | "alreadyDecided"
  | "stale"
  | "late"
  | "ownRequest"
  | "ownReply"
  | "left"
  | "openPersonalLink"
  | "tooLongToEdit"
  | "dialogFailed"
  | "invalidEdit"
  | "oldMessage";
