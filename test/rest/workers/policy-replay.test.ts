import "../../workers/contract/policy-replay.test.ts";
