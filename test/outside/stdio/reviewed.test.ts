// Forms and results under review, for a client and a server of each family behind the command. The
// others are in test/rest/stdio/reviewed.test.ts.

import { reviewedOverStdio } from "../support/reviewed-stdio.ts";
import { oneOfEach } from "../support/stdio-cells.ts";

reviewedOverStdio(oneOfEach);
