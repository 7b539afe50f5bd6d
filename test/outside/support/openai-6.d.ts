// Version 6 of OpenAI's SDK is called here as version 7 is, and typed by it.

declare module "openai-6" {
  export * from "openai";
  export { default } from "openai";
}
declare module "openai-6/helpers/zod" {
  export * from "openai/helpers/zod";
}
