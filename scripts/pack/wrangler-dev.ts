// Runs Workers on wrangler's local server: what `wrangler dev` does, without its debugger.
//
// The debugger listens on ports of its own, and workerd's part of it lets in every web page that
// finds the port, which could then read secrets and prompts out of the running gateway. The command
// line cannot switch it off, and wrangler's API cannot run two Workers. So the command runs in this
// process, in environments without a debugger; a test tries every port for one.

export type Wrangler = typeof import("wrangler");
type DevOptions = Parameters<Wrangler["runCfWranglerDev"]>[0];

export type ServeOptions = {
  readonly port: number;
  readonly persistTo: string;
  /** The gateway's configuration, and those of the Workers beside it. */
  readonly configs: readonly string[];
  /** They override those of `.dev.vars`. */
  readonly variables: Readonly<Record<string, string>>;
};

/**
 * What wrangler must find in the environment before it is loaded. No request's address in its own
 * log files or traces. Its Local Explorer would let every page on a localhost port read and write
 * the stored data.
 */
export const wranglerEnvironment = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_WRITE_LOGS: "false",
  X_LOCAL_OBSERVABILITY: "false",
  X_LOCAL_EXPLORER: "false",
  CI: "true",
  NO_COLOR: "1",
} as const;

/**
 * Serves until the process is told to end. Resolves with the exit status. `wrangler` must be loaded
 * as a CommonJS module, which can be changed.
 */
export function serveWorkers(wrangler: Wrangler, { port, persistTo, configs, variables }: ServeOptions): Promise<number> {
  class WithoutDebugger extends wrangler.unstable_DevEnv {
    constructor(...given: ConstructorParameters<Wrangler["unstable_DevEnv"]>) {
      super(...given);
      const set = this.config.set.bind(this.config);
      this.config.set = (input, throwErrors) => set({ ...input, dev: { ...input.dev, inspector: false } }, throwErrors);
    }
  }
  Object.assign(wrangler, { unstable_DevEnv: WithoutDebugger });

  // Every other argument has its default, which for the command's parser is to be absent.
  const options: Partial<DevOptions> = {
    port,
    persistTo,
    var: Object.entries(variables).map(([name, value]) => `${name}:${value}`),
    // Its info lines have each request's path, and the path of a review has its token: only
    // warnings and errors are printed.
    logLevel: "error",
    showInteractiveDevSession: false,
  };
  // The command takes several; the type tells of one.
  Object.assign(options, { config: configs });
  return wrangler.runCfWranglerDev(options as DevOptions);
}
