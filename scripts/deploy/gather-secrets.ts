// Asks for secrets, makes those that are missing, and keeps what was made before it is sent.

import { randomBytes } from "node:crypto";
import { DeployError } from "./deploy-error.ts";
import type { Tell } from "./deploy-workers.ts";
import { keepSecrets, keptPath, keptSecrets } from "./kept-secrets.ts";
import type { DeployOptions } from "./options.ts";
import type { Person } from "./person.ts";
import { chooseSecrets } from "./secret-choice.ts";

/** A new gateway's models: the default routing table reads these. */
const providers = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] as const;

type Given = {
  readonly name: string;
  readonly folder: string;
  readonly there: ReadonlySet<string>;
  readonly isNew: boolean;
  readonly options: DeployOptions;
  readonly person: Person | null;
  readonly tell: Tell;
};

/** What is to be set, by name. Values are in no line that is printed. */
export async function gatherSecrets({
  name,
  folder,
  there,
  isNew,
  options,
  person,
  tell,
}: Given): Promise<Readonly<Record<string, string>>> {
  const { env } = process;
  const asked: Record<string, string> = {};
  for (const secret of options.secrets) {
    const value = env[secret] || (await person?.askHidden(`${secret} (not shown): `));
    if (!value) throw new DeployError(`--secret ${secret}: put its value into the environment variable ${secret}. Nothing was changed.`);
    asked[secret] = value;
  }
  if (person !== null && isNew && options.secrets.length === 0)
    for (const secret of providers) {
      const value = await person.askHidden(`${secret}, if a model of that provider is to answer (not shown; Enter leaves it out): `);
      if (value !== "") asked[secret] = value;
    }
  const random = env["CI"] ? null : () => randomBytes(32).toString("base64url");
  const chosen = chooseSecrets({ there, isNew, kept: keptSecrets(folder, name), environment: env, asked, random });
  if (!chosen.ok) {
    // Whoever deploys by the button sets them in the dashboard; the gateway says at /healthz which
    // are missing.
    if (env["WORKERS_CI"] === "1" && options.secrets.length === 0) return {};
    throw new DeployError(`${chosen.error}. Nothing was changed.`);
  }
  const { set, made } = chosen.value;
  keepSecrets(folder, name, Object.fromEntries(made.map((each) => [each, set[each] ?? ""])));
  if (made.length > 0)
    tell("made", "secrets", `${made.join(", ")}, in ${keptPath(folder, name)}: keep them, Cloudflare does not show them again`);
  const given = Object.keys(set).filter((each) => !made.includes(each));
  if (given.length > 0) tell("set", "secrets", given.join(", "));
  const present = ["LINK_KEY", "ADMIN_TOKEN", "CONTENT_KEY"].filter((each) => there.has(each) && set[each] === undefined);
  if (present.length > 0) tell("found", "secrets", present.join(", "));
  return set;
}
