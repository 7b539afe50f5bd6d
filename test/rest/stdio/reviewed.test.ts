// Forms and results under review behind the command, for all clients and servers but those of
// test/outside/stdio/reviewed.test.ts.

import { reviewedOverStdio } from "../../outside/support/reviewed-stdio.ts";
import { otherCells } from "../../outside/support/stdio-cells.ts";

reviewedOverStdio(otherCells);
