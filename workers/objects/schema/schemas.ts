// The schema of each of the gateway's objects, by its class.

import { alertSchema } from "./alert-schema.ts";
import { bridgeSchema } from "./bridge-schema.ts";
import { budgetSchema } from "./budget-schema.ts";
import { callSchema } from "./call-schema.ts";
import { configSchema } from "./config-schema.ts";
import { digestSchema } from "./digest-schema.ts";
import { inboxSchema } from "./inbox-schema.ts";
import { cacheSchema, conversationSchema } from "./kept-text-schema.ts";
import { keySchema } from "./key-schema.ts";
import { ledgerSchema } from "./ledger-schema.ts";
import { oauthSchema } from "./oauth-schema.ts";
import { queueSchema } from "./queue-schema.ts";
import { runSchema } from "./run-schema.ts";
import type { Schema } from "./schema.ts";
import { sessionSchema } from "./session-schema.ts";
import { stopSchema } from "./stop-schema.ts";
import { toolsSchema } from "./tools-schema.ts";

export const schemas = {
  ConfigObject: configSchema,
  KeyObject: keySchema,
  SessionObject: sessionSchema,
  RunObject: runSchema,
  CallObject: callSchema,
  BridgeObject: bridgeSchema,
  CacheObject: cacheSchema,
  ConversationObject: conversationSchema,
  DigestObject: digestSchema,
  InboxObject: inboxSchema,
  ConcurrencyQueueObject: queueSchema,
  LedgerObject: ledgerSchema,
  BudgetObject: budgetSchema,
  StopObject: stopSchema,
  ToolsObject: toolsSchema,
  OAuthObject: oauthSchema,
  AlertObject: alertSchema,
} as const satisfies Readonly<Record<string, Schema>>;
