// Every phrase that the gateway sends or stores, in simplified Chinese. The gateway itself says it
// in English; a page says it in its reader's language.

import { doctorZh } from "./doctor-zh.ts";
import { issuesZh } from "./issues-zh.ts";
import { reasonsZh } from "./reasons-zh.ts";

export const findingsZh: Readonly<Record<string, string>> = { ...reasonsZh, ...issuesZh, ...doctorZh };
