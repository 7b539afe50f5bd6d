import "../../workers/contract/budgets.test.ts";
