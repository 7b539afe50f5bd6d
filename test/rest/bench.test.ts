// Some parts of the benchmark in its short mode. `npm run verify` has the others.

import { benchTests, stopTest } from "../outside/support/short-bench.ts";

benchTests(["overhead", "decision", "relay"]);
stopTest();
