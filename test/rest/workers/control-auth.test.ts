import "../../workers/endpoints/control/control-auth.test.ts";
