// The versions that a new project pins: those that this project is tested with. A test holds them
// to package.json.

export const versions = {
  "@countersign/worker": "1.0.0-rc.1",
  "@cloudflare/workers-types": "5.20261117.1",
  node: "24.21.0",
  typescript: "7.0.2",
  wrangler: "4.156.2",
} as const;
