// `countersign init`: writes a Worker project around `@countersign/worker`.

import { INIT_USAGE, readInit, runInit } from "../init/command.ts";
import { endedWith, type Subcommand, wrongUse } from "../subcommand.ts";

export const init: Subcommand = {
  summary: "writes a Worker project that runs and deploys a gateway",
  usage: INIT_USAGE,
  read: (args) => {
    const read = readInit(args);
    return read.ok ? async () => endedWith(runInit(read.value)) : wrongUse(read.error);
  },
};
