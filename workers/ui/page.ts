// Every page for people, by its kind: what the gateway asks the pages Worker for. The values are
// plain, because they cross a service binding.

import type { Language } from "../../shared/channels/words/languages.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import type { Child } from "hono/jsx";
import { type ExpiredLinkPageInput, ExpiredLinkPage, type LinkSentPageInput, LinkSentPage } from "./expired-pages.tsx";
import { type ConsoleSignInInput, ConsoleSignInPage } from "./console/sign-in-page.tsx";
import { DonePage, type DonePageInput } from "./inbox/done-page.tsx";
import { InboxPage, type InboxPageInput } from "./inbox/inbox-page.tsx";
import {
  IssuerLeavePage,
  type IssuerLeavePageInput,
  IssuerReturnPage,
  type IssuerReturnPageInput,
  SignInAskedPage,
  type SignInAskedPageInput,
  SignInEnterPage,
  type SignInEnterPageInput,
  SignInPage,
  type SignInPageInput,
} from "./inbox/sign-in-pages.tsx";
import {
  ConnectPage,
  type ConnectPageInput,
  ConnectedPage,
  type ConnectedPageInput,
  ConnectNotAllowedPage,
  type ConnectNotAllowedPageInput,
  ConnectRefusedPage,
  type ConnectRefusedPageInput,
} from "./inbox/connect-pages.tsx";
import { ConnectionsPage, type ConnectionsPageInput } from "./inbox/connections-page.tsx";
import { LoginLeavePage, type LoginLeavePageInput, LoginReturnPage, type LoginReturnPageInput } from "./inbox/logins.tsx";
import { BulkPage, type BulkPageInput } from "./inbox/bulk-page.tsx";
import { PasskeysPage, type PasskeysPageInput } from "./inbox/passkeys-page.tsx";
import { OpenapiPage, type OpenapiPageInput } from "./openapi/openapi-page.tsx";
import { ErrorPage, type ErrorPageInput, NoSuchLinkPage } from "./plain-pages.tsx";
import { ReceiptPage, type ReceiptPageInput } from "./receipt-page.tsx";
import { ReviewPage, type ReviewPageInput } from "./review-page.tsx";
import { asHtml } from "./document.tsx";

/** What each page is made of. */
type PageInputs = {
  readonly review: ReviewPageInput;
  readonly expiredLink: ExpiredLinkPageInput;
  readonly linkSent: LinkSentPageInput;
  readonly inbox: InboxPageInput;
  readonly passkeys: PasskeysPageInput;
  readonly bulk: BulkPageInput;
  readonly bulkDone: DonePageInput;
  readonly signIn: SignInPageInput;
  readonly signInAsked: SignInAskedPageInput;
  readonly signInEnter: SignInEnterPageInput;
  readonly issuerLeave: IssuerLeavePageInput;
  readonly issuerReturn: IssuerReturnPageInput;
  readonly connect: ConnectPageInput;
  readonly connected: ConnectedPageInput;
  readonly connectRefused: ConnectRefusedPageInput;
  readonly connectNotAllowed: ConnectNotAllowedPageInput;
  readonly connections: ConnectionsPageInput;
  readonly loginLeave: LoginLeavePageInput;
  readonly loginReturn: LoginReturnPageInput;
  readonly consoleSignIn: ConsoleSignInInput;
  readonly receipt: ReceiptPageInput;
  readonly openapi: OpenapiPageInput;
  readonly error: ErrorPageInput;
};

type PageOf<Kind extends keyof PageInputs> = { readonly [Each in Kind]: { readonly kind: Each; readonly input: PageInputs[Each] } }[Kind];
export type Page = PageOf<keyof PageInputs> | { readonly kind: "noSuchLink" };

export type PageReader = {
  /** The nonce of the style and the script in the response's Content-Security-Policy. */
  readonly cspNonce: string;
  readonly language: Language;
};

/** The whole page, from `<!doctype html>` on. Every string in it is escaped. */
export function renderPage(page: Page, reader: PageReader): string {
  const { cspNonce } = reader;
  return asHtml(wordsOf(reader.language), () => componentOf(page, cspNonce));
}

const componentOf = (page: Page, cspNonce: string) => (page.kind === "noSuchLink" ? NoSuchLinkPage({ cspNonce }) : madeOf(page, cspNonce));

const madeOf = <Kind extends keyof PageInputs>({ kind, input }: PageOf<Kind>, cspNonce: string) => components[kind]({ ...input, cspNonce });

const components: { readonly [Kind in keyof PageInputs]: (input: PageInputs[Kind] & { cspNonce: string }) => Child } = {
  review: ReviewPage,
  expiredLink: ExpiredLinkPage,
  linkSent: LinkSentPage,
  inbox: InboxPage,
  passkeys: PasskeysPage,
  bulk: BulkPage,
  bulkDone: DonePage,
  signIn: SignInPage,
  signInAsked: SignInAskedPage,
  signInEnter: SignInEnterPage,
  issuerLeave: IssuerLeavePage,
  issuerReturn: IssuerReturnPage,
  connect: ConnectPage,
  connected: ConnectedPage,
  connectRefused: ConnectRefusedPage,
  connectNotAllowed: ConnectNotAllowedPage,
  connections: ConnectionsPage,
  loginLeave: LoginLeavePage,
  loginReturn: LoginReturnPage,
  consoleSignIn: ConsoleSignInPage,
  receipt: ReceiptPage,
  openapi: OpenapiPage,
  error: ErrorPage,
};
