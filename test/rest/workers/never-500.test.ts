import "../../workers/contract/never-500.test.ts";
