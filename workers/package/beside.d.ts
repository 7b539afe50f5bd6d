// The types of a Worker beside the gateway: only the gateway's service binding reaches it.

import { WorkerEntrypoint } from "cloudflare:workers";

export default class extends WorkerEntrypoint {}
