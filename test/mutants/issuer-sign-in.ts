// Signing in at an OIDC issuer: whose address it is, and in whose browser.

import type { Mutant } from "./mutant.ts";

const test = (only: string) => ({ file: "test/workers/contract/issuer-sign-in.test.ts", only });
const claims = "shared/credential/person-sign-in.ts";
const endpoint = "workers/endpoints/inbox/issuer-sign-in.ts";

export const issuerSignInMutants: readonly Mutant[] = [
  {
    name: "an ID token is of the sign-in that was begun",
    file: claims,
    from: 'if (claims["nonce"] !== nonce) return err("nonce");',
    to: "",
    test: test("sign-in's nonce"),
  },
  {
    name: "an ID token is for the gateway alone",
    file: claims,
    from: "(azp !== undefined && azp !== clientId)",
    to: "(azp !== undefined && azp === nonce)",
    test: test("another is the party"),
  },
  {
    name: "an ID token for several says for which",
    file: claims,
    from: "aud.length > 1 &&",
    to: "aud.length > 2 &&",
    test: test("without a party"),
  },
  {
    name: "an address that nobody verified is nobody's",
    file: claims,
    from: 'return claims["email_verified"] === true;',
    to: 'return claims["email_verified"] !== 1;',
    test: test("that is not verified"),
  },
  {
    name: "an issuer vouches for its domains alone",
    file: claims,
    from: "domains === undefined || domains.includes(domain)",
    to: "domains !== null || domain === nonce",
    test: test("not at another domain"),
  },
  {
    name: "Entra's claim says whose the domain is",
    file: claims,
    from: '[true, 1, "1"].some((value) => claims["xms_edov"] === value)',
    to: 'claims["xms_edov"] !== 1',
    test: test("not: Entra's claim"),
  },
  {
    name: "an issuer that is trusted for addresses is bound to domains",
    file: "shared/credential/issuers.ts",
    from: 'signIn?.emailVerified === "issuer" && signIn.domains === undefined',
    to: 'signIn?.emailVerified === "issuer" && signIn.domains?.length === 0',
    test: { file: "test/shared/credential/issuers.test.ts", only: "trusted for addresses" },
  },
  {
    name: "an ID token is for the gateway as a client, and no token of the control endpoint",
    file: endpoint,
    from: "{ ...entry, audience: entry.signIn.clientId }",
    to: "{ ...entry }",
    test: test("for the audience of the control endpoint"),
  },
  {
    name: "an issuer's sign-in ends in the browser that began it",
    file: "workers/objects/oauth-object.ts",
    from: "if (entry === null || entry.metadata !== jsonOf({ holder })) return null;",
    to: "if (entry === null) return null;",
    test: test("in another browser"),
  },
  {
    name: "an issuer's sign-in counts once",
    file: "workers/objects/oauth-object.ts",
    from: 'this.sql.exec("DELETE FROM entry WHERE name = ?", name);\n    return entry;',
    to: "return entry;",
    test: test("twice by one state"),
  },
  {
    name: "an issuer's sign-in is of the entry that it was begun with",
    file: endpoint,
    from: " || begun.binding !== issuerBinding(entry)",
    to: "",
    test: test("after the entry has changed"),
  },
  {
    name: "an issuer's sign-in opens the console for operators alone",
    file: endpoint,
    from: "person === undefined : !isOperator)",
    to: "person === undefined : isOperator && false)",
    test: test("a reviewer who is none"),
  },
  {
    name: "an operator's session ends with their issuer",
    file: "workers/endpoints/console/console-operator.ts",
    from: "return isIssuer ? roleOf(operators, email) : null;",
    to: "return isIssuer || true ? roleOf(operators, email) : null;",
    test: test("by one sign-in"),
  },
  {
    name: "only issuers for people sign people in",
    file: "workers/endpoints/inbox/sign-in.ts",
    from: "each[1].signIn !== undefined",
    to: "each[1] !== undefined",
    test: test("only for the control endpoint"),
  },
  {
    name: "an issuer's answer names the issuer that was asked",
    file: "workers/tools/sign-in.ts",
    from: "...(iss === null ? {} : { iss }),",
    to: "iss: metadata.issuer,",
    test: test("mix-up"),
  },
];
