// The types of JSON values. Imports nothing, so that declarations which name them need no package.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };
