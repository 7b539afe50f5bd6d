// Which gateway a command asks, and with which token: the one that npm start runs, or another.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gatewayAddress, isLocal } from "../client/cli/gateway-address.ts";
import { Unasked } from "../client/subcommand.ts";
import { gatewayOf } from "./data-folder.ts";
import { devVars } from "./dev-vars.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

export type Target = { readonly url: string; readonly adminToken: string };

/**
 * Without `given`, the gateway of this checkout. @throws Unasked where there is none, or no token
 * for it.
 */
export async function targetOf(given: string | undefined): Promise<Target> {
  const fromEnvironment = process.env["ADMIN_TOKEN"];
  if (given === undefined) {
    const folder = process.env["PERSIST_TO"] || ".countersign/state";
    const url = await gatewayOf(folder);
    if (url === null)
      throw new Unasked(
        `no gateway is running with the data in ${folder}: start one with npm start and leave it running, or name another with --url`,
      );
    return { url, adminToken: fromEnvironment || localToken() || wantToken() };
  }
  const url = gatewayAddress(given, "ADMIN_TOKEN");
  return { url, adminToken: fromEnvironment || (isLocal(new URL(url)) ? localToken() : undefined) || wantToken() };
}

/**
 * The token in `.dev.vars`. The file is not made here, because a running gateway has read its own.
 */
function localToken(): string | undefined {
  if (!existsSync(join(root, ".dev.vars"))) return undefined;
  try {
    return devVars().ADMIN_TOKEN;
  } catch (error) {
    throw error instanceof Error ? new Unasked(error.message) : error;
  }
}

function wantToken(): never {
  throw new Unasked(
    "set ADMIN_TOKEN in the environment: for a deployed gateway, the value given to `npx wrangler secret put ADMIN_TOKEN`; for a local one, the value in .dev.vars",
  );
}
