// An image in the record: what came, and what was shown and sent in its place.

/** SHA-256 of the bytes of the files, as lower-case hex, as `sha256sum` prints it. */
export type ImageDigests = {
  readonly received: string;
  /**
   * Of the image that was shown and sent; null where none was, because it could not be (of a reply
   * alone: a request is refused for it).
   */
  readonly plain: string | null;
};
