// The gateway's entry for tests, and the tools Worker and the pages Worker in the same isolate: a test scripts what `fetch` answers the one,
// and the other is not built for each run. The tests in test/outside/ have them as Workers of their own.

export * from "../../../workers/index.ts";
export { default } from "../../../workers/index.ts";
export { default as ToolsWorker } from "../../../workers/tools/worker.ts";
export { default as PagesWorker } from "../../../workers/ui/worker.ts";
