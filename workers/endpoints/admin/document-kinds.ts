// The documents of the configuration, by their names, as the operator's API checks and describes
// them.

import { budgetsJsonSchema, parseBudgets } from "../../../shared/budget/budgets.ts";
import { issuersJsonSchema, parseIssuers } from "../../../shared/credential/issuers.ts";
import type { PointedError } from "../../../shared/model/outcome.ts";
import { parsePolicy, policyJsonSchema } from "../../../shared/policy/rules.ts";
import { parseServers, serversJsonSchema } from "../../../shared/relay/servers.ts";
import type { Result } from "../../../shared/result.ts";
import { parseRoutingTable, routingJsonSchema } from "../../../shared/routing/table.ts";
import type { DocumentName } from "../../stubs/config-calls.ts";
import type { SchemaName } from "../openapi/schemas.ts";

type Kind = {
  readonly parse: (value: unknown) => Result<{ readonly version: number }, readonly PointedError[]>;
  readonly schema: () => object;
  /** The schema's name in the description. */
  readonly name: SchemaName;
};

/** Each document by its name: how it is read, and what it may be. */
export const documentKinds: Record<DocumentName, Kind> = {
  routing: { parse: parseRoutingTable, schema: routingJsonSchema, name: "Routing" },
  policy: { parse: parsePolicy, schema: policyJsonSchema, name: "Policy" },
  servers: { parse: parseServers, schema: serversJsonSchema, name: "Servers" },
  issuers: { parse: parseIssuers, schema: issuersJsonSchema, name: "Issuers" },
  budgets: { parse: parseBudgets, schema: budgetsJsonSchema, name: "Budgets" },
};
