import "../../workers/objects/deciding.test.ts";
