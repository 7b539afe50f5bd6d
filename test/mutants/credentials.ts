// Tokens of configured issuers.

import type { Mutant } from "./mutant.ts";

const auth = "test/workers/endpoints/control/control-auth.test.ts";
const token = { file: "workers/credentials/token.ts", test: { file: auth } };
const issuers = { file: "shared/credential/issuers.ts", test: { file: "test/shared/credential/issuers.test.ts" } };

const metrics = {
  file: "workers/endpoints/metrics.ts",
  test: { file: "test/workers/contract/metrics.test.ts", only: "not a wrong token" },
};

export const credentialMutants: readonly Mutant[] = [
  { ...metrics, name: "metrics are for a token", from: "if (!mayRead(c)) return refuse(c);\n", to: "" },
  {
    file: "shared/environment-name.ts",
    test: { file: "test/shared/environment-name.test.ts" },
    name: "no document names the metrics token or the collector's credential",
    from: "METRICS_TOKEN|OTEL_|",
    to: "",
  },
  {
    file: "shared/telemetry/request-spans.ts",
    test: { file: "test/shared/telemetry/request-spans.test.ts" },
    name: "what outsiders call a server is one word in a span",
    from: '{ "countersign.server": providersWord(server) }',
    to: '{ "countersign.server": server }',
  },
  { ...token, name: "a token is signed with its issuer's one algorithm", from: "algorithms: [issuer.algorithm],\n", to: "" },
  { ...token, name: "a token is made for us", from: "audience: issuer.audience,\n", to: "" },
  {
    ...token,
    name: "a token ends, and is somebody's",
    from: 'requiredClaims: ["exp", "sub"],\n',
    to: "",
    survives:
      "the two claims are looked at again when the token is verified: without `exp` it is refused there, without `sub` it stands for no key",
  },
  { ...token, name: "a token's time is judged by our clock", from: "currentDate: new Date(now),\n", to: "currentDate: new Date(0),\n" },
  {
    ...issuers,
    name: "a secret belongs to HS algorithms",
    from: "if (secret !== undefined && !isSymmetric(algorithm))",
    to: 'if (secret !== undefined && algorithm === "HS256" && !isSymmetric(algorithm))',
  },
  {
    ...issuers,
    name: "public keys are no secrets of HS algorithms",
    from: "if (given.includes(name) && isSymmetric(algorithm))",
    to: "if (given.length > 9 && isSymmetric(algorithm))",
  },
  { ...issuers, name: "one issuer has one entry", from: "if (seen.has(entry.issuer)) issues", to: "if (seen.size > 99) issues" },
  {
    ...issuers,
    name: "keys are not read from private addresses",
    from: 'if (isPrivateHost(url.host)) return "urlPrivate";',
    to: "",
  },
  {
    ...issuers,
    name: "keys are read over https",
    from: 'return url.scheme === "https" ? undefined : "urlNotHttps";',
    to: "return undefined;",
  },
  {
    ...issuers,
    name: "a subject stands for a key by its own name",
    from: 'typeof sub === "string" && Object.hasOwn(subjects, sub) ? subjects[sub] : undefined',
    to: 'typeof sub === "string" ? subjects[sub] : undefined',
  },
];
