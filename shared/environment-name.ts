// The name of a variable or secret of the environment, as configuration documents refer to it.
// Never one of the gateway's own.

import * as z from "zod";
import { isChannelSetting } from "./notice-channels.ts";

/** The gateway's own secrets: a document that could name one would have it sent elsewhere. */
const ownSecrets = /^(?:ADMIN_|LINK_|CONTENT_|CLOUDFLARE_|DEV_API_KEY|MAC_|METRICS_TOKEN|OTEL_|OUTBOX|PUBLIC_URL|RECORD_)/;

export const environmentName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,63}$/, "variableName")
  .refine((value) => !ownSecrets.test(value) && !isChannelSetting(value), "ownSetting");
