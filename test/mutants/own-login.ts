// A person's own login at a server: to which requests its token goes, and who may connect it.

import type { Mutant } from "./mutant.ts";

const file = "test/workers/contract/own-login.test.ts";
const object = "workers/objects/own-login.ts";
const tools = "workers/tools/login.ts";

export const ownLoginMutants: readonly Mutant[] = [
  {
    name: "a login is for the entry that it was made for",
    file: object,
    from: "return login?.binding === binding ? login : null;",
    to: "return login;",
    test: { file, only: "not sent to an entry that was changed" },
  },
  {
    name: "a sign-in ends in the session that began it",
    file: object,
    from: "begun.bound !== bound || ",
    to: "",
    test: { file, only: "a state is good once" },
  },
  {
    name: "a sign-in's state is used once",
    file: object,
    from: "this.#deps.store.remove(name);\n    if (code === null)",
    to: "if (code === null)",
    test: { file, only: "a state is good once" },
  },
  {
    name: "one renewal serves all calls that wait",
    file: object,
    from: "if (this.#renewing?.access !== tokens.access)",
    to: "if (true)",
    test: { file, only: "is renewed before it expires" },
  },
  {
    name: "what a server's metadata names is not reached inside",
    file: tools,
    from: 'protocol === "https:" && !isPrivateHost(hostname)',
    to: "true",
    test: { file, only: "a token endpoint inside" },
  },
  {
    name: "a server gets no token for another's resource",
    file: tools,
    from: "if (!checkResourceAllowed({ requestedResource: own, configuredResource: resource }))",
    to: "if (false)",
    test: { file, only: "another server's resource" },
  },
  {
    name: "the issuer of a code is checked",
    file: tools,
    from: "...(iss === null ? {} : { iss }),",
    to: "iss: metadata.issuer,",
    test: { file, only: "a code of another authorization server" },
  },
];
