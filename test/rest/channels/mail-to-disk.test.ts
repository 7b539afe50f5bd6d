// Mail on one's own machine: wrangler's simulator of Cloudflare's binding writes it to files, and
// nothing leaves the machine.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mailFolder } from "../../../scripts/local-gateway.ts";
import { type Killable, decideByLink, killableGateway, pause } from "../../outside/support/killable-gateway.ts";

const folder = fileURLToPath(new URL(`../../../${mailFolder}`, import.meta.url));
const from = "Countersign <reviews@countersign.example>";
let office: Killable;

beforeAll(async () => {
  office = await killableGateway({ EMAIL_FROM: from, RESEND_API_KEY: "" }, { mailToDisk: true });
  await office.start();
  await office.configure();
  await office.rule({
    default: { request: "review", response: "allow", reviewers: ["everyone"] },
    reviewers: { everyone: [{ name: "Ada", email: "ada@example.com" }] },
  });
});
afterAll(() => office?.close());

/** The text parts on disk that name this server. */
function mailsAbout(server: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.includes("email-text") && path.endsWith(".txt"))
    .map((path) => readFileSync(join(folder, path), "utf8"))
    .filter((text) => text.includes(server));
}

test("a review's mail is a file, its link decides, and the operator's list has it without the link", async () => {
  const server = `disk-${Date.now().toString(36)}`;
  const { answer } = office.ask("mail to disk", server);
  let mails: string[] = [];
  while (mails.length === 0) {
    mails = mailsAbout(server);
    await pause(100);
  }
  const link = /https?:\/\/\S+\/r\/[A-Za-z0-9_-]+/.exec(mails[0] ?? "")?.[0] ?? "";
  expect((await decideByLink(link, "approve")).status).toBe(303);
  expect((await answer)?.result).toBeDefined();
  const listed = await office.listed();
  expect(listed).toContainEqual(expect.objectContaining({ channel: "email", reviewer: "Ada", link: null }));
  expect(mailsAbout(server)).toHaveLength(1);
});
