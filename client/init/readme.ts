// The README.md of a new project: what there is, and the steps to a gateway that answers.

import { channelFacts, noticeChannelNames } from "../../shared/notice-channels.ts";
import type { GatewayNames } from "./wrangler-files.ts";

const channels = (): string =>
  new Intl.ListFormat("en-GB", { type: "disjunction" }).format(
    noticeChannelNames.toSorted().map((channel) => channelFacts(channel).title.en),
  );

/** The text. Its commands run in the project's folder, in bash and zsh, with Node 20 or later. */
export const projectReadme = ({ name, publicUrl }: GatewayNames): string => `# ${name}

A Countersign gateway: it answers MCP sampling requests with a person's approval. The code comes
from the npm package \`@countersign/worker\`; this repository has its configuration.

\`src/index.ts\` is the gateway's entry: put your own routes before it there. \`workers/\` has the Workers beside it, \`.dev.vars.example\` every
secret. You need Node 20 or later and npm; \`npm install\` brings the Node that the commands use.

## Run it here

\`\`\`sh
npm install
(umask 077; for NAME in LINK_KEY ADMIN_TOKEN DEV_API_KEY; do echo "$NAME=$(openssl rand -base64 32)"; done > .dev.vars)
npm run dev
\`\`\`

\`curl http://localhost:8787/healthz\` says whether the gateway can serve. \`npm run dev -- --port 8788\` chooses another port. The data is in
\`.wrangler/state\`. Reviews that wait, with their links:

\`\`\`sh
. ./.dev.vars
curl http://localhost:8787/admin/notices -H "Authorization: Bearer $ADMIN_TOKEN"
\`\`\`

## Deploy it

1. ${publicUrl === "" ? "In `wrangler.toml`, set `PUBLIC_URL` to the `https` address that reviewers reach" : `\`PUBLIC_URL\` in \`wrangler.toml\` is \`${publicUrl}\`: check that it leads to this Worker`}. Without a domain of your own it is \`https://${name}.<your subdomain>.workers.dev\`.
2. \`npx wrangler login\`, then \`npm run deploy\`. It deploys the four Workers beside the gateway first, and makes the KV namespace.
3. \`openssl rand -base64 32 | npx wrangler secret put LINK_KEY\`. For the operator's token, keep a copy: \`npx wrangler secret put ADMIN_TOKEN\` asks for it.
   A provider's credential is a secret too: \`npx wrangler secret put ANTHROPIC_API_KEY\`.
4. Set up a channel that reaches your reviewers (${channels()}), and write their addresses in the policy. Without a channel
   each review ends at once as undeliverable.
5. \`curl\` the gateway's \`/healthz\`. \`POST /admin/doctor\` with the operator's token says what still needs attention.

\`npm run check\` checks the types and builds all four Workers without deploying them: run it in CI.

## Upgrade it

Change the version of \`@countersign/worker\` in \`package.json\`, run \`npm install\`, and compare the configuration with that of the new version:

\`\`\`sh
diff wrangler.toml node_modules/@countersign/worker/dist/project/wrangler.toml
\`\`\`

A new \`[exports.…]\` section with its \`[[durable_objects.bindings]]\` belongs in yours too, and so does a new line in one of \`workers/\`.
Then \`npm run check\` and \`npm run deploy\`. The gateway's \`/healthz\` names a binding that is still missing.
`;
