// Clients of OpenAI's API that nobody here wrote, at a gateway of its own process: only their base
// URL and key are changed.

import { v1Clients } from "../support/v1-clients.ts";
import { v1Scenarios } from "../support/v1-scenarios.ts";

v1Scenarios(v1Clients);
