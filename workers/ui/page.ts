// Every page for people, by its kind: what the gateway asks the pages Worker for. The values are
// plain, because they cross a service binding.

import type { Language } from "../../shared/channels/words/languages.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import { unreachable } from "../../shared/result.ts";
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
import { OpenapiPage, type OpenapiPageInput } from "./openapi/openapi-page.tsx";
import { ErrorPage, type ErrorPageInput, NoSuchLinkPage } from "./plain-pages.tsx";
import { ReceiptPage, type ReceiptPageInput } from "./receipt-page.tsx";
import { ReviewPage, type ReviewPageInput } from "./review-page.tsx";
import { asHtml } from "./document.tsx";

export type Page =
  | { readonly kind: "review"; readonly input: ReviewPageInput }
  | { readonly kind: "expiredLink"; readonly input: ExpiredLinkPageInput }
  | { readonly kind: "linkSent"; readonly input: LinkSentPageInput }
  | { readonly kind: "inbox"; readonly input: InboxPageInput }
  | { readonly kind: "bulk"; readonly input: BulkPageInput }
  | { readonly kind: "bulkDone"; readonly input: DonePageInput }
  | { readonly kind: "signIn"; readonly input: SignInPageInput }
  | { readonly kind: "signInAsked"; readonly input: SignInAskedPageInput }
  | { readonly kind: "signInEnter"; readonly input: SignInEnterPageInput }
  | { readonly kind: "issuerLeave"; readonly input: IssuerLeavePageInput }
  | { readonly kind: "issuerReturn"; readonly input: IssuerReturnPageInput }
  | { readonly kind: "connect"; readonly input: ConnectPageInput }
  | { readonly kind: "connected"; readonly input: ConnectedPageInput }
  | { readonly kind: "connectRefused"; readonly input: ConnectRefusedPageInput }
  | { readonly kind: "connectNotAllowed"; readonly input: ConnectNotAllowedPageInput }
  | { readonly kind: "connections"; readonly input: ConnectionsPageInput }
  | { readonly kind: "loginLeave"; readonly input: LoginLeavePageInput }
  | { readonly kind: "loginReturn"; readonly input: LoginReturnPageInput }
  | { readonly kind: "consoleSignIn"; readonly input: ConsoleSignInInput }
  | { readonly kind: "receipt"; readonly input: ReceiptPageInput }
  | { readonly kind: "openapi"; readonly input: OpenapiPageInput }
  | { readonly kind: "noSuchLink" }
  | { readonly kind: "error"; readonly input: ErrorPageInput };

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

function componentOf(page: Page, cspNonce: string) {
  switch (page.kind) {
    case "review":
      return ReviewPage({ ...page.input, cspNonce });
    case "expiredLink":
      return ExpiredLinkPage({ ...page.input, cspNonce });
    case "linkSent":
      return LinkSentPage({ ...page.input, cspNonce });
    case "inbox":
      return InboxPage({ ...page.input, cspNonce });
    case "bulk":
      return BulkPage({ ...page.input, cspNonce });
    case "bulkDone":
      return DonePage({ ...page.input, cspNonce });
    case "signIn":
      return SignInPage({ ...page.input, cspNonce });
    case "signInAsked":
      return SignInAskedPage({ ...page.input, cspNonce });
    case "signInEnter":
      return SignInEnterPage({ ...page.input, cspNonce });
    case "issuerLeave":
      return IssuerLeavePage({ ...page.input, cspNonce });
    case "issuerReturn":
      return IssuerReturnPage({ ...page.input, cspNonce });
    case "connect":
      return ConnectPage({ ...page.input, cspNonce });
    case "connected":
      return ConnectedPage({ ...page.input, cspNonce });
    case "connectRefused":
      return ConnectRefusedPage({ ...page.input, cspNonce });
    case "connectNotAllowed":
      return ConnectNotAllowedPage({ ...page.input, cspNonce });
    case "connections":
      return ConnectionsPage({ ...page.input, cspNonce });
    case "loginLeave":
      return LoginLeavePage({ ...page.input, cspNonce });
    case "loginReturn":
      return LoginReturnPage({ ...page.input, cspNonce });
    case "consoleSignIn":
      return ConsoleSignInPage({ ...page.input, cspNonce });
    case "receipt":
      return ReceiptPage({ ...page.input, cspNonce });
    case "openapi":
      return OpenapiPage({ ...page.input, cspNonce });
    case "noSuchLink":
      return NoSuchLinkPage({ cspNonce });
    case "error":
      return ErrorPage({ ...page.input, cspNonce });
    default:
      return unreachable(page);
  }
}
