import "../../workers/contract/control/schema.test.ts";
