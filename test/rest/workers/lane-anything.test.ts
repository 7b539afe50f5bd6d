import "../../workers/objects/lane-anything.test.ts";
