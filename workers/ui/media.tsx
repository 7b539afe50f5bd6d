// Images, sound and other bytes from outside. The page shows those that a browser renders without
// running code, and all others as source or base64, so that everything that reaches a provider is
// on the page. It fetches nothing.

import type { Child } from "hono/jsx";
import { useWords } from "./language.ts";
import { Name, OutsideText } from "./outside-text.tsx";
import { fillText } from "./sentence.tsx";

/**
 * What the gateway makes of every image (`plain-images.ts`). SVG is a document, and may look
 * different elsewhere: it is shown as its source.
 */
const drawable: ReadonlySet<string> = new Set(["image/png", "image/jpeg"]);
const playable: ReadonlySet<string> = new Set([
  "audio/wav",
  "audio/x-wav",
  "audio/wave",
  "audio/mpeg",
  "audio/mp3",
  "audio/mp4",
  "audio/aac",
  "audio/ogg",
  "audio/webm",
  "audio/flac",
]);
const readable = /^(?:text\/|image\/svg\+xml$|application\/(?:[\w.+-]+\+)?(?:json|xml|yaml)$)/;

const isBase64 = (data: string): boolean => /^[A-Za-z0-9+/]*={0,2}$/.test(data) && data.length % 4 === 0;

const sizeOf = (data: string): number => Math.floor((data.length * 3) / 4) - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);

function decoded(data: string): string {
  const binary = atob(data);
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

/**
 * The name under which a browser saves a PDF that somebody named: letters, digits and a few marks,
 * with our ending, so that no name makes it another kind of file.
 */
function savedName(name = "document"): string {
  const stem = name
    .replace(/\.pdf$/i, "")
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, "_")
    .slice(0, 80)
    .toWellFormed();
  return `${stem === "" ? "document" : stem}.pdf`;
}

type PdfProps = { readonly data: string; readonly name: string | undefined; readonly title: Child; readonly id: string | undefined };

/**
 * A PDF may have scripts, so the page never renders one: a browser saves the bytes of the link, and
 * opens no `data:` address as a page.
 */
export const PdfPart = ({ data, name, title, id }: PdfProps) => {
  const { page, review } = useWords();
  const { media, pieces } = page;
  return (
    <section class="part" {...(id === undefined ? {} : { id })}>
      <header>
        <h2>{title}</h2>
        <a class="act" href={`data:application/pdf;base64,${data}`} download={savedName(name)}>
          {media.download}
        </a>
      </header>
      <p class="sub">
        {name === undefined ? null : (
          <>
            {pieces.name}
            {review.marks.colon}
            <Name value={name} />
            {review.marks.comma}
          </>
        )}
        {media.bytes(sizeOf(data))}
        {review.marks.stop} {media.pdf}
      </p>
    </section>
  );
};

type MediaProps = { readonly data: string; readonly mimeType: string; readonly place: string };

/**
 * The bytes themselves, where a browser renders them without running code; else their source or
 * base64.
 */
const Rendered = ({ data, mimeType, place }: MediaProps): { inside: Child; why: string } => {
  const { media } = useWords().page;
  const type = mimeType.toLowerCase();
  if (!isBase64(data)) return { inside: <OutsideText text={data} />, why: media.notBase64 };
  const size = media.bytes(sizeOf(data));
  const source = `data:${type};base64,${data}`;
  if (drawable.has(type)) {
    const image = (
      <div class="said">
        <img class="media" src={source} alt={fillText(media.image, { place, size })} />
      </div>
    );
    return { inside: image, why: media.plain };
  }
  if (playable.has(type)) {
    const player = (
      <div class="said">
        <audio class="media" controls preload="metadata" src={source} aria-label={fillText(media.audio, { place, size })} />
      </div>
    );
    return { inside: player, why: "" };
  }
  if (type === "image/svg+xml") return { inside: <OutsideText text={decoded(data)} />, why: media.unsafe };
  if (readable.test(type)) return { inside: <OutsideText text={decoded(data)} />, why: "" };
  return { inside: <OutsideText text={data} />, why: media.unplayable };
};

/**
 * Base64 from outside with its claimed type. `place` says in our words where in the content it is.
 */
export const MediaPart = ({ title, id, about, ...media }: MediaProps & { title: Child; id?: string | undefined; about?: Child }) => {
  const { page, review } = useWords();
  const { inside, why } = Rendered(media);
  return (
    <section class="part" {...(id === undefined ? {} : { id })}>
      <header>
        <h2>{title}</h2>
      </header>
      {about === undefined ? null : <p class="sub">{about}</p>}
      {inside}
      <p class="sub">
        {page.pieces.mimeType}
        {review.marks.colon}
        <Name value={media.mimeType} />
        {isBase64(media.data) ? `${review.marks.comma}${page.media.bytes(sizeOf(media.data))}` : ""}
        {why === "" ? "" : `${review.marks.stop} ${why}`}
      </p>
    </section>
  );
};
