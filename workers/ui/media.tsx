// Images, sound and other bytes from outside. The page shows those that a browser renders without running code, and all others as source or
// base64, so that everything that reaches a provider is on the page. It fetches nothing.

import type { Child } from "hono/jsx";
import { Frame, Name, OutsideText, type Origin } from "./outside-text.tsx";
import { pageWords as words } from "../../shared/channels/words/words.ts";

/** What the gateway makes of every image (`plain-images.ts`). SVG is a document, and may look different elsewhere: it is shown as its source. */
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

const sizeOf = (data: string): string =>
  words.media.bytes(Math.floor((data.length * 3) / 4) - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0));

function decoded(data: string): string {
  const binary = atob(data);
  return new TextDecoder().decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
}

type MediaProps = { data: string; mimeType: string; place: string; from: Origin };

/** Base64 from outside with its claimed type. `place` says in our words where in the content it is. */
export const Media = ({ data, mimeType, place, from }: MediaProps) => {
  const type = mimeType.toLowerCase();
  const facts = (
    <p>
      {words.pieces.mimeType}: <Name value={mimeType} />, {sizeOf(data)}
    </p>
  );
  if (!isBase64(data)) return <Explained facts={facts} why={words.media.notBase64} text={data} from={from} />;
  if (drawable.has(type)) {
    return (
      <>
        {facts}
        <p>{words.media.plain}</p>
        <Frame from={from}>
          <img class="media" src={`data:${type};base64,${data}`} alt={words.media.image(place, sizeOf(data))} />
        </Frame>
      </>
    );
  }
  if (playable.has(type)) {
    return (
      <>
        {facts}
        <Frame from={from}>
          <audio
            class="media"
            controls
            preload="metadata"
            src={`data:${type};base64,${data}`}
            aria-label={words.media.audio(place, sizeOf(data))}
          />
        </Frame>
      </>
    );
  }
  if (type === "image/svg+xml") return <Explained facts={facts} why={words.media.unsafe} text={decoded(data)} from={from} />;
  if (readable.test(type)) return <Explained facts={facts} why="" text={decoded(data)} from={from} />;
  return <Explained facts={facts} why={words.media.unplayable} text={data} from={from} />;
};

const Explained = ({ facts, why, text, from }: { facts: Child; why: string; text: string; from: Origin }) => (
  <>
    {facts}
    {why === "" ? null : <p>{why}</p>}
    <OutsideText text={text} from={from} />
  </>
);
