// The gateway's entry for tests, and the tools Worker in the same isolate, where a test scripts
// what `fetch` answers. The tests in test/outside/ have them as two Workers.

export * from "../../../workers/index.ts";
export { default } from "../../../workers/index.ts";
export { default as ToolsWorker } from "../../../workers/tools/worker.ts";
