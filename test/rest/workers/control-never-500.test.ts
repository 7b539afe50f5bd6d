import "../../workers/contract/control/never-500.test.ts";
