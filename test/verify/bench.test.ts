// The parts of the benchmark that `npm run test:rest` leaves out, in its short mode.

import { parts } from "../../bench/parts.ts";
import { benchTests } from "../outside/support/short-bench.ts";

const inNpmTest = new Set(["overhead", "decision", "relay"]);

benchTests(Object.keys(parts).filter((name) => !inNpmTest.has(name)));
