// Types for what we use of the codecs' packages, which have none for it.

declare module "@cornerstonejs/codec-libjpeg-turbo-8bit/wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "@cornerstonejs/codec-libjpeg-turbo-8bit/wasmjs" {
  type FrameInfo = {
    readonly width: number;
    readonly height: number;
    readonly bitsPerSample: number;
    readonly componentCount: number;
    readonly isSigned: boolean;
  };
  /** Buffers are views of the codec's memory, valid until it next allocates. */
  export type JpegCodec = {
    readonly JPEGDecoder: new () => {
      getEncodedBuffer(bytes: number): Uint8Array;
      decode(): void;
      getFrameInfo(): FrameInfo;
      getDecodedBuffer(): Uint8Array;
      delete(): void;
    };
    readonly JPEGEncoder: new () => {
      getDecodedBuffer(frame: FrameInfo): Uint8Array;
      setQuality(quality: number): void;
      setSubSampling(kind: number): void;
      setProgressive(progressive: boolean): void;
      encode(): void;
      getEncodedBuffer(): Uint8ClampedArray;
    };
  };
  type Options = {
    readonly instantiateWasm: (
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance) => void,
    ) => WebAssembly.Instance["exports"];
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
  };
  const makeCodec: (options: Options) => Promise<JpegCodec>;
  export default makeCodec;
}

declare module "@jsquash/webp/codec/dec/webp_dec.wasm" {
  const module: WebAssembly.Module;
  export default module;
}

declare module "@jsquash/webp/codec/dec/webp_dec.js" {
  type Options = {
    readonly noInitialRun: boolean;
    readonly instantiateWasm: (
      imports: WebAssembly.Imports,
      done: (instance: WebAssembly.Instance) => void,
    ) => WebAssembly.Instance["exports"];
    readonly print: (text: string) => void;
    readonly printErr: (text: string) => void;
  };
  type Decoded = { readonly data: Uint8ClampedArray; readonly width: number; readonly height: number };
  const makeCodec: (options: Options) => Promise<{ decode(bytes: Uint8Array): Decoded | null }>;
  export default makeCodec;
}
