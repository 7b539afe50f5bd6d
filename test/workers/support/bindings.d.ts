// What `cloudflare:workers` hands the tests: this Worker's own environment and its exports.

declare namespace Cloudflare {
  interface Env extends GatewayEnv {}
  interface GlobalProps {
    mainModule: typeof import("../../../workers/index.ts");
  }
}

type GatewayEnv = import("../../../workers/platform/env.ts").Env;

/** A file's text, as Vite gives it. */
declare module "*?raw" {
  const text: string;
  export default text;
}
