// The subcommands of `countersign`, in the order of its help. Each is loaded when it is called: a
// server behind `stdio` starts without what `review` needs.

import type { Subcommand } from "../subcommand.ts";

export const subcommands: Readonly<Record<string, () => Promise<Subcommand>>> = {
  stdio: async () => (await import("./stdio.ts")).stdio,
  review: async () => (await import("./review.ts")).review,
  init: async () => (await import("./init.ts")).init,
  verify: async () => (await import("./verify.ts")).verify,
  doctor: async () => (await import("./doctor.ts")).doctor,
};
