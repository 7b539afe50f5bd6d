// The names that the two provider APIs have for types of images and audio. Neither API takes a type
// without a name here.

const essence = (mimeType: string): string => (mimeType.split(";")[0] ?? "").trim().toLowerCase();

export type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/**
 * The image type as both APIs name it, or undefined for one that they do not take. Parameters of
 * the mime type are ignored.
 */
export function imageType(mimeType: string): ImageType | undefined {
  const type = essence(mimeType);
  if (type === "image/jpg") return "image/jpeg";
  return type === "image/jpeg" || type === "image/png" || type === "image/gif" || type === "image/webp" ? type : undefined;
}

/** The format of `input_audio`, or undefined for one that Chat Completions does not take. */
export function audioFormat(mimeType: string): "wav" | "mp3" | undefined {
  switch (essence(mimeType)) {
    case "audio/wav":
    case "audio/x-wav":
    case "audio/wave":
    case "audio/vnd.wave":
      return "wav";
    case "audio/mpeg":
    case "audio/mp3":
      return "mp3";
    default:
      return undefined;
  }
}

/** Whether a resource's bytes are an image or a sound by their mime type. */
export function mediaKind(mimeType: string | undefined): "image" | "audio" | undefined {
  const type = essence(mimeType ?? "");
  if (type.startsWith("image/")) return "image";
  return type.startsWith("audio/") ? "audio" : undefined;
}
