// Every area of attacks, in the order in which they are tried. An area is a file in areas/ and one
// line here.

import { type Area } from "./attack.ts";
import { calls } from "./areas/calls.ts";
import { chats } from "./areas/chats.ts";
import { console as operatorConsole } from "./areas/console.ts";
import { deciding } from "./areas/deciding.ts";
import { exhaustion } from "./areas/exhaustion.ts";
import { faults } from "./areas/faults.ts";
import { forms } from "./areas/forms.ts";
import { guardrails } from "./areas/guardrails.ts";
import { headers } from "./areas/headers.ts";
import { keys } from "./areas/keys.ts";
import { links } from "./areas/links.ts";
import { oauth } from "./areas/oauth.ts";
import { outward } from "./areas/outward.ts";
import { push } from "./areas/push.ts";
import { passkeys } from "./areas/passkeys.ts";
import { receipts } from "./areas/receipts.ts";
import { relay } from "./areas/relay.ts";
import { resets } from "./areas/resets.ts";
import { scripts } from "./areas/scripts.ts";
import { shapes } from "./areas/shapes.ts";
import { slack } from "./areas/slack.ts";
import { tokens } from "./areas/tokens.ts";

export const areas: readonly Area[] = [
  keys,
  shapes,
  headers,
  links,
  deciding,
  calls,
  forms,
  scripts,
  outward,
  relay,
  slack,
  chats,
  push,
  guardrails,
  tokens,
  oauth,
  passkeys,
  receipts,
  operatorConsole,
  exhaustion,
  faults,
  resets,
];
