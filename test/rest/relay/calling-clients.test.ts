// Calls of tools by clients that nobody here wrote, which a person approves, denies, or decides
// about after the client gave up. test/verify/clients.test.ts has the heavy ones.

import { callingClients } from "../../outside/support/calling-clients.ts";
import { callingScenarios } from "../../outside/support/calling-scenarios.ts";

callingScenarios(callingClients);
