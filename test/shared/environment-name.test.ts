// Which names of the environment a document may refer to: a secret of the gateway's own would be
// sent to whoever the document names.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { environmentName } from "../../shared/environment-name.ts";
import { channelVariables } from "../../shared/notice-channels.ts";

const source = readFileSync(new URL("../../workers/platform/env.ts", import.meta.url), "utf8");
/** Those of env.ts, and those of the channels, with a name where the policy has one. */
const variables = [
  ...[...source.matchAll(/readonly ([A-Z_]+)\?: string/g)].map(([, name = ""]) => name),
  ...channelVariables.map(([name]) => name.replace("<NAME>", "OPS")),
];
const secrets = variables.filter((name) => /KEY|TOKEN|SECRET|_URL$/.test(name));

test("every secret of the gateway's own is refused, and the list is read from its environment", () => {
  expect(secrets).toEqual(
    expect.arrayContaining([
      "ADMIN_TOKEN",
      "LINK_KEY_PREVIOUS",
      "CONTENT_KEY",
      "CONTENT_KEY_PREVIOUS",
      "SLACK_SIGNING_SECRET",
      "RESEND_API_KEY",
      "WEBHOOK_OPS_SECRET",
      "TEAMS_OPS_URL",
    ]),
  );
  expect(secrets.filter((name) => environmentName.safeParse(name).success)).toEqual([]);
});

test("an operator's own secrets may be named", () => {
  for (const name of ["ANTHROPIC_API_KEY", "NOTES_TOKEN", "CONTENTS"]) expect(environmentName.safeParse(name).success).toBe(true);
});
