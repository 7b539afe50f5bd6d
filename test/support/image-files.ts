// The first bytes of images of every type, and of things that are none.

const ascii = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));
const bytes = (...parts: readonly number[][]): Uint8Array => Uint8Array.from(parts.flat());

export const png = bytes([0x89], ascii("PNG\r\n\x1a\n"), [0, 0, 0, 13], ascii("IHDR"));
export const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 16], ascii("JFIF\0"), [1, 1, 0, 0]);
export const gif = bytes(ascii("GIF89a"), [1, 0, 1, 0, 0, 0, 0, 0x3b]);
export const webp = bytes(ascii("RIFF"), [26, 0, 0, 0], ascii("WEBPVP8L"), [13, 0, 0, 0]);

export const images = { "image/png": png, "image/jpeg": jpeg, "image/gif": gif, "image/webp": webp } as const;

export const noImages: Readonly<Record<string, Uint8Array>> = {
  nothing: new Uint8Array(),
  "a page": bytes(ascii("<!doctype html>")),
  "a drawing with scripts": bytes(ascii("<svg xmlns='http://www.w3.org/2000/svg'>")),
  "a sound in RIFF": bytes(ascii("RIFF"), [26, 0, 0, 0], ascii("WAVEfmt ")),
  "half a signature": png.slice(0, 7),
  "another year's GIF": bytes(ascii("GIF88a"), [1, 0, 1, 0, 0, 0]),
  "a PDF": bytes(ascii("%PDF-1.7")),
};

/** The image with so many bytes behind it. */
export function padded(image: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  whole.set(image.subarray(0, length));
  return whole;
}

export const base64Of = (image: Uint8Array): string => btoa(String.fromCharCode(...image));
