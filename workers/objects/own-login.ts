// A person's own login at one server of the relay, in the object that is this login's alone. Its
// tokens leave it for a request to the very entry that they were made for, and for nothing else.
// They are renewed here, where one renewal serves all who wait.

import { Changes } from "./changes.ts";
import type { LoginAccount } from "../../shared/credential/login-account.ts";
import { readJsonOf, type JsonOf, jsonOf } from "../../shared/json/json-of.ts";
import {
  type LoginEntry,
  type LoginIssued,
  type LoginRegistration,
  type LoginServer,
  type LoginTokens,
  expired,
  loginStateDigest,
  loginStep,
} from "../../shared/relay/login.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import type { LoginBegun, LoginEnd, LoginReturn, LoginStart, LoginStatus, LoginToken, OAuthEntry } from "../stubs/oauth-calls.ts";
import type { ContentSeal } from "./content-seal.ts";

type LoginDeps = {
  readonly env: Env;
  readonly now: () => number;
  readonly seal: ContentSeal;
  readonly store: {
    readonly read: (name: string) => OAuthEntry | null;
    readonly write: (name: string, entry: OAuthEntry) => void;
    readonly remove: (name: string) => void;
  };
};

/** A sign-in that was begun. */
type Begun = {
  readonly binding: string;
  readonly issuer: string;
  readonly bound: string;
  readonly verifier: string;
  readonly grant: string;
};

/**
 * The gateway as a client that registered itself for this entry. `isKnown`: its issuer has sent a
 * browser back to it. One that never did may have forgotten it, and says so to the browser alone.
 */
type Registered = { readonly binding: string; readonly registration: LoginRegistration; readonly isKnown: boolean };

/** Both times are Unix milliseconds. `tokens`: null once the server has refused them. */
type Login = {
  readonly binding: string;
  readonly issuer: string;
  readonly grant: string;
  readonly tokens: LoginTokens | null;
  readonly scope: string | null;
  readonly account: string | null;
  readonly endedAt: number | null;
};

/** A person signs in within that time. */
const begunMs = 10 * 60_000;
/** So long a login that ended is shown as such. */
const endedMs = 30 * 86_400_000;
const loginName = "login";
const registeredName = "registered";
/** A registration that nobody uses is forgotten after so long. */
const registeredMs = 90 * 86_400_000;
/** When a server is told that tokens of its end, one try after the other. */
const revokeAfterMs = [0, 1_000, 10_000];

export class OwnLogin {
  readonly #deps: LoginDeps;
  #renewing: { readonly access: string; readonly done: Promise<LoginToken> } | null = null;
  readonly #changes = new Changes();

  constructor(deps: LoginDeps) {
    this.#deps = deps;
  }

  async begin({ entry, bound, ...asked }: LoginStart): Promise<LoginBegun> {
    const { server, binding } = entry;
    const known = this.#read<Registered>(registeredName);
    const registration = known?.binding === binding && known.isKnown ? known.registration : null;
    const started = await this.#deps.env.TOOLS.startLogin({ ...asked, server, registration }).catch(unanswered);
    if (started.kind === "failed") return { kind: "failed", why: started.why };
    const { to, issuer, verifier, grant } = started;
    if (started.registration !== null) this.#keepRegistered({ binding, registration: started.registration, isKnown: false });
    const begun: Begun = { binding: entry.binding, issuer, bound, verifier, grant };
    this.#write(begunName(asked.state), begun, this.#deps.now() + begunMs);
    return { kind: "goOn", to };
  }

  async finish({ server, binding }: LoginEntry, { state, code, iss, bound }: LoginReturn): Promise<LoginEnd> {
    const name = begunName(state);
    const begun = this.#read<Begun>(name);
    if (begun === null || begun.bound !== bound || begun.binding !== binding) return "unknown";
    // Before anything is awaited: a second one finds nothing.
    this.#deps.store.remove(name);
    const { issuer, grant, verifier } = begun;
    const registered = this.#read<Registered>(registeredName);
    if (registered?.registration.issuer === issuer) this.#keepRegistered({ ...registered, isKnown: true });
    if (code === null) return "refused";
    const issued = await this.#deps.env.TOOLS.finishLogin(server, grant, { code, iss, verifier }).catch(unanswered);
    if (issued.kind === "failed") {
      this.#forgetUnknown(issued);
      return issued.why;
    }
    this.#keep({ binding, issuer, grant, scope: issued.scope, account: issued.account }, issued, null);
    this.#changes.tell();
    return "connected";
  }

  async token(entry: LoginEntry, refused: string | null): Promise<LoginToken> {
    const login = this.#loginFor(entry.binding);
    if (login === null || login.tokens === null) return { kind: "none" };
    const { tokens } = login;
    switch (loginStep(tokens, refused, this.#deps.now())) {
      case "use":
        return tokenOf(login, tokens.access);
      case "end":
        this.#refused(login);
        return { kind: "none" };
      case "renew":
        if (this.#renewing?.access !== tokens.access)
          this.#renewing = { access: tokens.access, done: this.#renewed(entry, login, tokens, refused) };
        return this.#renewing.done;
    }
  }

  async #renewed(
    { server }: LoginEntry,
    login: Login,
    { access, refresh, expiresAt }: LoginTokens,
    refused: string | null,
  ): Promise<LoginToken> {
    const issued = await this.#deps.env.TOOLS.renewLogin(server, login.grant, refresh ?? "").catch(unanswered);
    this.#renewing = null;
    // Its owner ended it meanwhile, or signed in anew: these tokens are nobody's.
    const now = this.#loginFor(login.binding);
    if (now?.tokens?.access !== access) {
      if (issued.kind === "issued") void this.#revoke(server, login.grant, issued);
      return now?.tokens == null ? { kind: "none" } : tokenOf(now, now.tokens.access);
    }
    if (issued.kind === "issued") {
      // The account stays the one that its owner signed in with (OpenID Connect Core 12.2).
      this.#keep({ ...login, scope: issued.scope ?? login.scope }, issued, refresh);
      return tokenOf(login, issued.access);
    }
    // Only a refusal ends a login: any other failure may be of a moment.
    if (issued.why !== "refused") {
      const isGood = refused !== access && !expired(expiresAt, this.#deps.now());
      return isGood ? tokenOf(login, access) : { kind: "unreachable", account: accountOf(login) };
    }
    this.#forgetUnknown(issued);
    this.#refused(login);
    return { kind: "none" };
  }

  #keepRegistered(registered: Registered): void {
    this.#write(registeredName, registered, this.#deps.now() + registeredMs);
  }

  /** Its issuer knows the gateway no more: the next sign-in registers it anew. */
  #forgetUnknown({ isClientUnknown = false }: { readonly kind: "failed"; readonly isClientUnknown?: boolean }): void {
    if (isClientUnknown) this.#deps.store.remove(registeredName);
  }

  status(binding: string): LoginStatus {
    const login = this.#loginFor(binding);
    return login === null ? null : { account: login.account, scope: login.scope, endedAt: login.endedAt };
  }

  async made(binding: string, ms: number): Promise<boolean> {
    const isMade = (): boolean => this.#loginFor(binding)?.tokens != null;
    if (isMade()) return true;
    await this.#changes.next(ms);
    return isMade();
  }

  /** Behind the answer the server is told so, where it is the one that they were made for. */
  end({ server, binding }: LoginEntry): void {
    const login = this.#loginFor(binding);
    this.#deps.store.remove(loginName);
    if (login !== null && login.tokens !== null) void this.#revoke(server, login.grant, login.tokens);
  }

  /** Nothing of this is stored: where this object is evicted meanwhile, the server is not told. */
  async #revoke(server: LoginServer, grant: string, { refresh, access }: Pick<LoginTokens, "refresh" | "access">): Promise<void> {
    const tokens = [...(refresh === null ? [] : [refresh]), access];
    for (const waitMs of revokeAfterMs) {
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      const revoked = await this.#deps.env.TOOLS.revokeLogin(server, grant, tokens).catch(unanswered);
      if (revoked.kind !== "failed" || revoked.why !== "unreachable") return;
    }
  }

  /** Null where there is none, or it was made for another entry. */
  #loginFor(binding: string): Login | null {
    const login = this.#read<Login>(loginName);
    return login?.binding === binding ? login : null;
  }

  #keep(login: Omit<Login, "tokens" | "endedAt">, issued: Extract<LoginIssued, { kind: "issued" }>, refresh: string | null): void {
    const issuedAt = this.#deps.now();
    const expiresAt = issued.seconds === null ? null : issuedAt + issued.seconds * 1000;
    const tokens = { access: issued.access, refresh: issued.refresh ?? refresh, issuedAt, expiresAt };
    this.#write(loginName, { ...login, tokens, endedAt: null } satisfies Login, null);
  }

  /** The server takes it no more: its tokens are forgotten, and its owner is told so. */
  #refused(login: Login): void {
    const endedAt = this.#deps.now();
    this.#write(loginName, { ...login, tokens: null, endedAt } satisfies Login, endedAt + endedMs);
  }

  #write(name: string, value: Begun | Login | Registered, expiresAt: number | null): void {
    this.#deps.store.write(name, { value: this.#deps.seal.sealText(jsonOf(value), `entry\0${name}`), metadata: null, expiresAt });
  }

  /** Null also where the key that sealed it is not set any more. */
  #read<T extends Begun | Login | Registered>(name: string): T | null {
    const stored = this.#deps.store.read(name);
    const text = stored === null ? null : this.#deps.seal.openText(stored.value, `entry\0${name}`);
    return text === null ? null : readJsonOf(text as JsonOf<T>); // written above
  }
}

const accountOf = ({ issuer, account }: Login): LoginAccount => ({ issuer, name: account });
const tokenOf = (login: Login, token: string): LoginToken => ({ kind: "token", token, account: accountOf(login) });

const begunName = (state: string): string => `begun ${loginStateDigest(state)}`;

function unanswered(error: unknown): { readonly kind: "failed"; readonly why: "unreachable" } {
  logEvent("tools.failed", { error: errorClass(error) });
  return { kind: "failed", why: "unreachable" };
}
