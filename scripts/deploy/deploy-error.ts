// Why a deployment stopped: what is wrong, and what to do. Pure.

/** The message is one or two sentences for the person who deploys. It has no secret. */
export class DeployError extends Error {
  /** What wrangler or Cloudflare said, shown below the message. */
  readonly details: string;

  constructor(message: string, details = "") {
    super(message);
    this.details = details;
  }
}

type Known = { readonly found: RegExp; readonly message: string };

const again = "Then run npm run deploy again: it goes on with what is there.";

/**
 * By the error codes of Cloudflare's API, which wrangler prints, and by wrangler's own words. The
 * first that fits is told.
 */
const known: readonly Known[] = [
  {
    found:
      /Not logged in|not authenticated|CLOUDFLARE_API_TOKEN environment variable|code: (?:9109|1000[01]|6003|9106)\]|Authentication error/,
    message: `Cloudflare does not accept this credential, or it may not do this. Run \`npx wrangler login\`, or set CLOUDFLARE_API_TOKEN to a token made from the template "Edit Cloudflare Workers", and CLOUDFLARE_ACCOUNT_ID. ${again}`,
  },
  {
    found: /code: 10034\]/,
    message: `Cloudflare wants the account's email address to be verified: follow the link in its email. ${again}`,
  },
  {
    found: /code: 10063\]|register a workers\.dev subdomain/,
    message: `The account has no workers.dev subdomain. Choose one in the dashboard under Workers & Pages, or deploy with --domain. ${again}`,
  },
  {
    found: /code: 10015\]/,
    message: "The account is not entitled to use Workers. Open Workers & Pages in the dashboard once, and accept what it asks for.",
  },
  {
    found: /code: 10037\]/,
    message: `The account has as many Workers as its plan allows (100 on the free plan), and a gateway needs four. Delete some, or move to Workers Paid. ${again}`,
  },
  {
    found: /code: 10072\]|too_many_crons/,
    message: `The account has as many cron triggers as its plan allows (5 on the free plan). Delete one, or move to Workers Paid. The code is deployed; its cron trigger is not. ${again}`,
  },
  {
    found: /code: 10027\]/,
    message: "A Worker is larger than the plan allows. Move to Workers Paid, for which this gateway is made.",
  },
  {
    found: /code: 100328\]|not supported for the Free plan|limit for free accounts|free plan/i,
    message: `The account's free plan does not allow this. Move to Workers Paid: the free plan is not supported. ${again}`,
  },
  {
    found: /code: 10014\]/,
    message:
      "A KV namespace of that name was made in this moment by somebody else. Run npm run deploy again: it uses the one that is there.",
  },
  {
    found: /code: 10021\]/,
    message: "Cloudflare could not start the Worker. If you did not change it, report this as a bug.",
  },
  {
    found: /code: 10013\]|code: 1003[59]\]|code: 10035\]|\b(?:500|502|503|504)\b|ECONNRE|ETIMEDOUT|ENOTFOUND|fetch failed|network/i,
    message: `Cloudflare's API did not answer as it should, or somebody else deploys in this moment. Wait a minute. ${again}`,
  },
];

/**
 * What a failure of wrangler means. `doing`: what was under way, as in "deploying
 * countersign-images".
 */
export function explain(doing: string, output: string): DeployError {
  const found = known.find((each) => each.found.test(output))?.message;
  const message = found ?? `Wrangler's message is below. Correct what it names. ${again}`;
  return new DeployError(`${doing} failed. ${message}`, essence(output));
}

/** Wrangler's errors without its banner, hints and log files. */
function essence(output: string): string {
  const lines = output.split("\n").map((line) => line.trimEnd());
  const first = lines.findIndex((line) => /\[ERROR\]|^Error: /.test(line));
  return lines
    .slice(Math.max(first, 0))
    .filter((line) => line.trim() !== "" && !/open an issue|Logs were written|report this|^🪵|^─+$/.test(line))
    .slice(0, 12)
    .join("\n");
}
