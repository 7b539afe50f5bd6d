// The tools Worker: reads a tool of an MCP server, and calls it once; signs people in at servers
// that want their own login, and at OIDC issuers; checks passkeys. Apart from the gateway for the
// size of their libraries, which few requests need. It keeps nothing: each call brings the server's
// address and credential.

import { WorkerEntrypoint } from "cloudflare:workers";
import type { LoginAsked, LoginCode, LoginIssued, LoginRevoked, LoginServer, LoginStarted } from "../../shared/relay/login.ts";
import { finishLogin, renewLogin, revokeLogin, startLogin } from "./login.ts";
import { type SignInAsked, type SignedIn, finishSignIn, startSignIn } from "./sign-in.ts";
import { type AssertionInput, type NewPasskey, type RegistrationInput, checkAssertion, checkRegistration } from "./passkey.ts";
import { type AskedTool, type CallAnswer, type DefinitionAnswer, type ToolUse, callTool, readTool } from "./tool-call.ts";

export default class ToolsWorker extends WorkerEntrypoint {
  /**
   * 404 to every HTTP request: the Worker should have no address, and serves nothing where it is
   * given one.
   */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  /** The tool as its server describes it now, or why it cannot be called. */
  definition(asked: AskedTool): Promise<DefinitionAnswer> {
    return readTool(asked);
  }

  /** Where a person signs in at the server itself, and with what they come back. */
  startLogin(asked: LoginAsked): Promise<LoginStarted> {
    return startLogin(asked);
  }

  /** The tokens for the code that they came back with. */
  finishLogin(server: LoginServer, grant: string, code: LoginCode): Promise<LoginIssued> {
    return finishLogin(server, grant, code);
  }

  /** New tokens for those. */
  renewLogin(server: LoginServer, grant: string, refreshToken: string): Promise<LoginIssued> {
    return renewLogin(server, grant, refreshToken);
  }

  /** Where a person signs in to the gateway at an issuer, and with what they come back. */
  startSignIn(asked: SignInAsked): Promise<LoginStarted> {
    return startSignIn(asked);
  }

  /** The ID token for the code that they came back with. */
  finishSignIn(server: LoginServer, grant: string, code: LoginCode): Promise<SignedIn> {
    return finishSignIn(server, grant, code);
  }

  /** The passkey that a browser made; null where it is none. */
  passkey(input: RegistrationInput): Promise<NewPasskey | null> {
    return checkRegistration(input);
  }

  /** The counter of the passkey that confirmed; null where it did not. */
  confirmed(input: AssertionInput): Promise<number | null> {
    return checkAssertion(input);
  }

  /** These tokens are good no more, where the server can be told so. */
  revokeLogin(server: LoginServer, grant: string, tokens: readonly string[]): Promise<LoginRevoked> {
    return revokeLogin(server, grant, tokens);
  }

  /** Calls the tool, once at most. Where this throws, the tool may have run. */
  call(asked: AskedTool, use: ToolUse): Promise<CallAnswer> {
    return callTool(asked, use);
  }
}
