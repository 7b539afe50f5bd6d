// `countersign review`: decides reviews in a terminal.

import { parseArgs } from "node:util";
import { isReviewLink, reviewLink, reviewWaiting } from "../review/terminal.ts";
import { gatewayAddress } from "./gateway-address.ts";
import { endedWith, isWrongUse, readArguments, type Subcommand, wrongUse } from "../subcommand.ts";

const USAGE = `Usage: countersign review <link>
       countersign review [--url <address>]

Reads, edits (in $VISUAL or $EDITOR), approves or denies a review by its link; without a link, lists those that wait.

  --url <address>          the gateway's base address; by default $COUNTERSIGN_URL
  --help, --version

The list is the operator's: it needs $ADMIN_TOKEN, and a gateway whose outbox lists links. A link needs nothing else.
`;

export const review: Subcommand = {
  summary: "reads, edits, approves or denies reviews in a terminal",
  usage: USAGE,
  read: (args, env) => {
    const read = readArguments(() =>
      parseArgs({ args: [...args], options: { url: { type: "string" } }, strict: true, allowPositionals: true }),
    );
    if (isWrongUse(read)) return read;
    const { values, positionals } = read;
    const [link, ...others] = positionals;
    if (others.length > 0) return wrongUse("there is one link at most.");
    if (link !== undefined) {
      if (values.url !== undefined) return wrongUse("give a link or --url, not both.");
      if (!isReviewLink(link)) return wrongUse("this is not a review's link.");
      return () => reviewLink(link).then(() => endedWith(0));
    }
    const url = values.url ?? env["COUNTERSIGN_URL"] ?? "";
    if (url === "") return wrongUse("a link is missing, or the gateway's address; give --url or set COUNTERSIGN_URL.");
    const adminToken = env["ADMIN_TOKEN"] ?? "";
    if (adminToken === "") return wrongUse("ADMIN_TOKEN is not set; the list of reviews is for the gateway's operator.");
    return async () => {
      await reviewWaiting(gatewayAddress(url, "ADMIN_TOKEN"), adminToken);
      return endedWith(0);
    };
  },
};
