// The globs of tools in the servers document and in a key.

import * as z from "zod";

const globs = z.array(z.string().min(1).max(512)).max(500);

/** As `ToolNames`. */
export const toolNamesSchema = z.strictObject({ allow: globs.optional(), deny: globs.optional() });
