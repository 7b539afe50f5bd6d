// npm run review: lists the reviews that wait, and reads, edits, approves or denies them in a
// terminal. `countersign review` of the client, with the gateway that npm start runs where none is
// named.
//
//   npm run review                                     (the gateway that npm start runs)
//   ADMIN_TOKEN=… npm run review -- --url https://gateway.example.com
//   npm run review -- https://gateway.example.com/r/…  (one review, by its link)
//
// Exit codes: 0 done; 2 the gateway could not be asked.

import { parseArgs } from "node:util";
import { Unasked } from "../client/subcommand.ts";
import { isReviewLink, reviewLink, reviewWaiting } from "../client/review/terminal.ts";
import { targetOf } from "./target.ts";

const usage = "usage: npm run review [-- LINK | --url https://gateway.example.com]";

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { url: { type: "string" } }, allowPositionals: true });
  const [link] = positionals;
  if (link === undefined) {
    const { url, adminToken } = await targetOf(values.url);
    return reviewWaiting(url, adminToken);
  }
  if (!isReviewLink(link)) throw new Unasked(`this is not a review's link. ${usage}`);
  return reviewLink(link);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Unasked ? `npm run review: ${error.message}.` : error instanceof Error && "code" in error ? usage : error);
  process.exitCode = 2;
});
