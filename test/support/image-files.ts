// Images of every type, whole and small, and things that are none.

import { ascii, gifOf, pngOf } from "./made-images.ts";

const bytes = (...parts: readonly number[][]): Uint8Array => Uint8Array.from(parts.flat());
const decoded = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** Four colours, of which one is half transparent. */
export const png = pngOf({
  width: 2,
  height: 2,
  colorType: 6,
  pixel: (x, y) => [255 * x, 255 * y, 0, x === 1 && y === 1 ? 128 : 255],
});
export const gif = gifOf(2, 2, [255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9], [{ width: 2, height: 2, pixel: (x, y) => x + y }]);

// Made by libjpeg-turbo, 160 x 128: the left half is red (black in grey), the right half is blue
// (white in grey).
export const jpeg = decoded(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wgARCACAAKADASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAAAAQF/8QAFgEBAQEAAAAAAAAAAAAAAAAAAAYE/9oADAMBAAIQAxAAAAHPGKkAAAAgFjKgAAAXiOqgAAAIBYyoAAAF4jqoAAACAWMqAAABeI6qAAAAgFjKgAAAXiOqgAAAIBYyoAAAF4jqoAAACAWMqAAABeI6qAAAAgFjKgAAAXiOqgAAAIBYyoAAAH//xAAUEAEAAAAAAAAAAAAAAAAAAACA/9oACAEBAAEFAiB//8QAFBEBAAAAAAAAAAAAAAAAAAAAYP/aAAgBAwEBPwEh/8QAFBEBAAAAAAAAAAAAAAAAAAAAYP/aAAgBAgEBPwEh/8QAFBABAAAAAAAAAAAAAAAAAAAAgP/aAAgBAQAGPwIgf//EABQQAQAAAAAAAAAAAAAAAAAAAID/2gAIAQEAAT8hIH//2gAMAwEAAgADAAAAEAwwww/vvvvgwwww/vvvvgwwww/vvvvgwwww/vvvvgwwww/vvvvgwwww/vvvvgwwww/vvvvgwwww/vvvvv/EABQRAQAAAAAAAAAAAAAAAAAAAGD/2gAIAQMBAT8QIf/EABQRAQAAAAAAAAAAAAAAAAAAAGD/2gAIAQIBAT8QIf/EABQQAQAAAAAAAAAAAAAAAAAAAID/2gAIAQEAAT8QIH//2Q==",
);
export const greyJpeg = decoded(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//wAALCACAAKABAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APMKKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK+YqKKKKKKKKK+naKKKKKKKKK//Z",
);

// Made by libwebp, 16 x 8. Without transparency: left red, right blue. With it: left (250, 250,
// 250) and wholly transparent, right black.
export const webp = decoded("UklGRiYAAABXRUJQVlA4TBoAAAAvD8ABEA8w+qM/+vsfeBALJvOX7kwhov+RAw==");
export const lossyWebp = decoded(
  "UklGRkQAAABXRUJQVlA4IDgAAAAwAgCdASoQAAgAAMASJaACdLoB+AH4gARoAAD+/Suf/9+gm/93m/10S8z/60c//rRlcH9aOb+gAA==",
);
export const alphaWebp = decoded(
  "UklGRlYAAABXRUJQVlA4WAoAAAAQAAAADwAABwAAQUxQSBIAAAABDzD/ERFCLJjMX7ozhYj+hw5WUDggHgAAAFABAJ0BKhAACAAAwBIlpAAEdAAA/s3v//5wkAAAAA==",
);

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
