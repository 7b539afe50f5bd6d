// A client and a server of each family behind the command. The others are in
// test/rest/stdio/cells.test.ts.

import { oneOfEach, stdioCells } from "../support/stdio-cells.ts";

stdioCells(oneOfEach);
