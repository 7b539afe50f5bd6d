// A neutral request as params of MCP, contents as lists: what is read of them must be the request
// again.

import type { SamplingRequest } from "../../../shared/model/sampling.ts";

export const paramsOf = ({ toolChoice, ...request }: SamplingRequest) =>
  toolChoice === undefined ? request : { ...request, toolChoice: { mode: toolChoice } };
