// How large an image may be. Every bound holds before anything is decoded, but the last, which
// holds while it is encoded.
//
// A Worker has 128 MB for everything: docs/decisions/images.md says what was measured for each
// kind.

/** Of one image as it was received; more than models take. */
export const mostImageBytes = 5 * 1024 * 1024;

/**
 * Of one image that is decoded straight to three bytes a pixel, or in the place where it is encoded
 * again.
 */
export const mostPixels = 16_000_000;
/**
 * The decoder keeps every coefficient of a progressive JPEG: with its colours at full resolution
 * they are twice as many.
 */
export const mostPixelsOfFullProgressive = 10_000_000;
/** The decoder has a WebP's pixels twice before it hands them over. 3840 x 2160 fit. */
export const mostPixelsOfWebp = 8_400_000;

/** Of all images of one request: what one request may make us work. */
export const mostPixelsAltogether = 64_000_000;

/** Each scan of a progressive JPEG goes over the whole picture again; encoders make about ten. */
export const mostScans = 100;

/** Of one image as it is sent on: what the providers' APIs take. */
export const mostPlainBytes = 5 * 1024 * 1024;
/**
 * Of all images of one request or reply as they are sent on: as base64 they are what the largest
 * body may be.
 */
export const mostPlainBytesAltogether = 6 * 1024 * 1024;
