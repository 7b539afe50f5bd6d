// The documents of the configuration, by their names, as the operator's API checks and describes
// them.

import { budgetsJsonSchema, parseBudgets } from "../../../shared/budget/budgets.ts";
import { issuersJsonSchema, parseIssuers } from "../../../shared/credential/issuers.ts";
import type { JsonObject } from "../../../shared/json-types.ts";
import type { PointedError } from "../../../shared/model/outcome.ts";
import { parsePolicy, policyJsonSchema } from "../../../shared/policy/rules.ts";
import { parseServers, serversJsonSchema } from "../../../shared/relay/servers.ts";
import type { Result } from "../../../shared/result.ts";
import { parseRoutingTable, routingJsonSchema } from "../../../shared/routing/table.ts";
import type { DocumentName } from "../../stubs/config-calls.ts";
import { type NamedSchema, named } from "../answer-schema.ts";

type Kind = NamedSchema<JsonObject> & {
  readonly parse: (value: unknown) => Result<{ readonly version: number }, readonly PointedError[]>;
};

/** Each document by its name: how it is read, and what it may be. */
export const documentKinds: Record<DocumentName, Kind> = {
  routing: { ...named("Routing", routingJsonSchema), parse: parseRoutingTable },
  policy: { ...named("Policy", policyJsonSchema), parse: parsePolicy },
  servers: { ...named("Servers", serversJsonSchema), parse: parseServers },
  issuers: { ...named("Issuers", issuersJsonSchema), parse: parseIssuers },
  budgets: { ...named("Budgets", budgetsJsonSchema), parse: parseBudgets },
};
