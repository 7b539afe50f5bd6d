import "../../workers/channels/webhook.test.ts";
