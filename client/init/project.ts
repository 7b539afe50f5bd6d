// The files of a new Worker project around `@countersign/worker`. Pure: options in, files out.
// Reads and writes nothing.

import { type Result, err, ok } from "../../shared/result.ts";
import { projectReadme } from "./readme.ts";
import { devVarsExample } from "./secrets.ts";
import { versions } from "./versions.ts";
import { type GatewayNames, besideToml, besides, gatewayToml } from "./wrangler-files.ts";

type ProjectOptions = GatewayNames & {
  /**
   * Where npm finds `@countersign/worker`: a version, or `file:` and a tarball's path in the
   * project.
   */
  readonly worker: string;
};

export type ProjectFile = { readonly path: string; readonly text: string };

type NameError = { readonly kind: "badName" | "badUrl"; readonly why: string };

/**
 * Cloudflare allows 63 characters, and the longest name of a Worker beside the gateway adds
 * `-images`.
 */
const longestName = 63 - "-images".length;

/**
 * Checks what a person chose. `name`: lower-case letters, digits and dashes, as Cloudflare names
 * Workers. `publicUrl`: empty, or an `https` address without user, query or fragment; refused are
 * others, because reviewers' links are built from it.
 */
export function checkNames({ name, publicUrl }: GatewayNames): Result<GatewayNames, NameError> {
  if (name.length > longestName || !/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(name))
    return err({
      kind: "badName",
      why: `the name must be 1 to ${longestName} lower-case letters, digits and dashes, and begin and end with a letter or digit: choose one with --name.`,
    });
  if (publicUrl !== "" && !isPublicAddress(publicUrl))
    return err({
      kind: "badUrl",
      why: "--url must be an https address without user, query and fragment, like https://gateway.example.com.",
    });
  return ok({ name, publicUrl: publicUrl.replace(/\/+$/, "") });
}

function isPublicAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === "https:" && [username, password, search, hash].every((part) => part === "") && !/["\\\s]/.test(text);
}

/**
 * Every file of the project, in the order in which it is shown. The names are those that
 * `checkNames` let through.
 */
export function projectFiles(options: ProjectOptions): readonly ProjectFile[] {
  return [
    { path: "package.json", text: packageJson(options) },
    { path: "wrangler.toml", text: gatewayToml(options) },
    { path: "src/index.ts", text: gatewayEntry },
    ...besides.flatMap((beside) => [
      { path: `workers/${beside.folder}/wrangler.toml`, text: besideToml(options.name, beside) },
      { path: `workers/${beside.folder}/worker.ts`, text: `export { default } from "@countersign/worker/${beside.entry}";\n` },
    ]),
    { path: "tsconfig.json", text: tsconfig },
    { path: ".dev.vars.example", text: devVarsExample() },
    { path: ".gitignore", text: gitignore },
    { path: "README.md", text: projectReadme(options) },
  ];
}

/**
 * `export *` brings the Durable Object classes, those of later versions too; it leaves out the
 * default export.
 */
const gatewayEntry = `// The gateway: its routes and its cron trigger, and the Durable Object classes that wrangler.toml names.
export { default } from "@countersign/worker";
export * from "@countersign/worker";
`;

function packageJson({ name, worker }: ProjectOptions): string {
  const configs = [...besides.map(({ folder }) => `workers/${folder}/wrangler.toml`), "wrangler.toml"];
  const deploy = (flag: string): string => configs.map((config) => `wrangler deploy${flag} --config ${config}`).join(" && ");
  return json({
    name,
    private: true,
    type: "module",
    scripts: { dev: "countersign-dev", check: `tsc && ${deploy(" --dry-run")}`, deploy: deploy("") },
    dependencies: { "@countersign/worker": worker },
    devDependencies: {
      "@cloudflare/workers-types": versions["@cloudflare/workers-types"],
      node: versions.node,
      typescript: versions.typescript,
      wrangler: versions.wrangler,
    },
    engines: { node: ">=20" },
    allowScripts: { node: true, esbuild: true, workerd: true },
  });
}

const tsconfig = json({
  compilerOptions: {
    target: "ES2024",
    lib: ["ES2024"],
    module: "ESNext",
    moduleResolution: "Bundler",
    types: ["@cloudflare/workers-types"],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    isolatedModules: true,
    verbatimModuleSyntax: true,
  },
  include: ["src", "workers"],
});

const gitignore = `node_modules/
dist/
.wrangler/
.dev.vars*
!.dev.vars.example
*.log
`;

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
