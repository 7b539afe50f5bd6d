// The clients that people have for OpenAI's Responses API, at a gateway of its own process, by the
// table of those of chat completions.

import { responsesClients } from "../../outside/support/v1-clients.ts";
import { v1Scenarios } from "../../outside/support/v1-scenarios.ts";

v1Scenarios(responsesClients);
