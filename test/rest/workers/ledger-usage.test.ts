import "../../workers/objects/ledger-usage.test.ts";
