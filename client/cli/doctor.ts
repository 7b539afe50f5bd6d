// `countersign doctor`: whether this machine can sample through a gateway, and what to do where it
// cannot.

import { parseArgs } from "node:util";
import { checksFromOutside } from "../doctor/checks.ts";
import { report } from "../doctor/report.ts";
import { gatewayAddress } from "./gateway-address.ts";
import { endedWith, isWrongUse, readArguments, type Subcommand, wrongUse } from "../subcommand.ts";
import { VERSION } from "./version.ts";

const USAGE = `Usage: countersign doctor [--url <address>]

Checks whether the gateway answers, whether it accepts the API key, this machine's clock, and the protocol. Changes nothing.

  --url <address>          the gateway's base address; by default $COUNTERSIGN_URL
  --help, --version

The gateway's API key is read from $COUNTERSIGN_API_KEY. Exit codes: 0 nothing needs attention; 1 something does; 2 there is no
gateway to ask.
`;

export const doctor: Subcommand = {
  summary: "checks whether the gateway answers and accepts the API key",
  usage: USAGE,
  read: (args, env) => {
    const read = readArguments(() => parseArgs({ args: [...args], options: { url: { type: "string" } }, strict: true }).values);
    if (isWrongUse(read)) return read;
    const given = read.url ?? env["COUNTERSIGN_URL"] ?? "";
    if (given === "") return wrongUse("the gateway's address is missing; give --url or set COUNTERSIGN_URL.");
    return async () => {
      const url = gatewayAddress(given, "the API key");
      process.stdout.write(`Countersign at ${url}\n\n`);
      const checks = await checksFromOutside({ url, apiKey: env["COUNTERSIGN_API_KEY"], version: VERSION, fetch, now: Date.now });
      const { text, exitCode } = report(checks, process.stdout.isTTY ? process.stdout.columns : undefined);
      process.stdout.write(`${text}\n`);
      return endedWith(exitCode);
    };
  },
};
