// Node's own bytes and texts under the names of `@noble/hashes/utils.js` and `@scure/base`: the client's package has these in place of the
// libraries, which are larger than what uses them. They accept and refuse the same texts: test/client/node-bytes.test.ts.

export const bytesToHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

export const concatBytes = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

export const utf8ToBytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The codec of an encoding of Node's. A text that Node would read and never write is refused: other letters, stray bits, missing padding. */
const codec = (encoding: "base64" | "base64url") => ({
  encode: (bytes: Uint8Array): string => Buffer.from(bytes).toString(encoding),
  decode: (text: string): Uint8Array => {
    const bytes = Buffer.from(text, encoding);
    if (bytes.toString(encoding) !== text) throw new Error(`not ${encoding}`);
    return new Uint8Array(bytes);
  },
});

export const base64 = codec("base64");
export const base64urlnopad = codec("base64url");

/** As in `@scure/base`, text is what bytes are encoded to. */
export const utf8 = {
  encode: (bytes: Uint8Array): string => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
  decode: utf8ToBytes,
};
