// Who reads an inbox: a reviewer of the policy as it is now, by a session's cookie or by Cloudflare
// Access. Whether the session is still good is the inbox object's to say, at each call.

import { type Policy, type PolicyReviewer, canSignIn, everyoneIn } from "../../../shared/policy/rules.ts";
import { type ConnectionTerms, type Server, connectionTerms } from "../../../shared/relay/servers.ts";
import { addressDigest, inboxNameOf, parseSessionToken, secretDigest } from "../../../shared/review/inbox.ts";
import { accessHeader, accessIdentity } from "../../credentials/access.ts";
import { type Settings, settingsOf } from "../../platform/settings.ts";
import { inboxUrl } from "../../platform/urls.ts";
import { documentsOf } from "../../stores/documents.ts";
import type { WindowVisitor } from "../../stubs/inbox-calls.ts";
import { inboxStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import { nonceOf } from "../review/review-link.ts";
import { cookieOf, homeOfThis, isAtItsAddress } from "../session-address.ts";

export type InboxSettings = Settings & { readonly publicUrl: string };
export type Person = PolicyReviewer & { readonly email: string };

export type Reader = {
  readonly person: Person;
  /** The name of their inbox object. */
  readonly inbox: string;
  readonly visitor: WindowVisitor;
  /**
   * What the nonces of their pages are bound to: this session, or this person where Access signed
   * them in.
   */
  readonly bound: string;
  /** When Access signed them in, Unix milliseconds; null where it did not, or does not say. */
  readonly accessSince: number | null;
  readonly settings: InboxSettings;
  /** The URL of the inbox for this reader. */
  readonly home: string;
};

/** The settings, or null without PUBLIC_URL: then there are no links, and no inbox. */
export function inboxSettings(c: AppContext): InboxSettings | null {
  const settings = settingsOf(c.env);
  const { publicUrl } = settings;
  return publicUrl === undefined ? null : { ...settings, publicUrl };
}

/**
 * The reader of this request, or why there is none. `stranger`: Access signed somebody in who is no
 * reviewer.
 */
export async function readerOf(c: AppContext, settings: InboxSettings): Promise<Reader | "nobody" | "stranger"> {
  const people = peopleOf((await currentDocuments(c)).policy);
  const now = Date.now();
  const identity = await accessIdentity(c.env, c.req.header(accessHeader), now);
  const known = identity === null ? undefined : personAt(people, identity.email);
  if (known !== undefined && identity !== null) {
    const inbox = inboxNameOf(known.name);
    const visitor = { address: addressDigest(known.email), session: null, until: identity.expiresAt };
    return {
      person: known,
      inbox,
      visitor,
      bound: `access/${inbox}/${visitor.address}`,
      accessSince: identity.issuedAt,
      settings,
      home: inboxUrl(settings.publicUrl),
    };
  }
  return readerBySession(c, settings, people) ?? (identity === null ? "nobody" : "stranger");
}

function readerBySession(c: AppContext, settings: InboxSettings, people: readonly Person[]): Reader | null {
  const claims = parseSessionToken(settings.keys, cookieOf(c, "countersign-session", settings.publicUrl) ?? "");
  if (claims === undefined) return null;
  const session = secretDigest(claims.secret);
  if (!isAtItsAddress(c, settings, session)) return null;
  const person = people.find(({ name }) => inboxNameOf(name) === claims.inbox);
  if (person === undefined) {
    // They left the policy: the session ends, also for the case that they come back.
    c.executionCtx.waitUntil(inboxStub(c.env, claims.inbox).signOut(session));
    return null;
  }
  const visitor = { address: addressDigest(person.email), session, until: 0 };
  return {
    person,
    inbox: claims.inbox,
    visitor,
    bound: `session/${session}`,
    accessSince: null,
    settings,
    home: homeOfThis(c, inboxUrl(settings.publicUrl), settings),
  };
}

export const currentDocuments = (c: AppContext) => documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));

/** Everybody who may have an inbox: people with an email address. */
export const peopleOf = ({ reviewers }: Policy): Person[] => Object.values(reviewers).flat().filter(isPerson);

const isPerson = (each: PolicyReviewer): each is Person => canSignIn(each);

/**
 * Whether this person may connect clients to a server with such terms. `address`: the digest of the
 * one that they must have; a name may be another person's by now.
 */
export const mayConnect = (policy: Policy, { reviewers }: ConnectionTerms, name: string, address?: string): boolean =>
  (reviewers === undefined ? peopleOf(policy) : everyoneIn(policy, reviewers)).some(
    (each) => each.name === name && isPerson(each) && (address === undefined || addressDigest(each.email) === address),
  );

/** The same of a key's owner, by the policy as it is now. */
export const ownersAt =
  (c: AppContext, server: Server | undefined) =>
  async (owner: string, address: string | undefined): Promise<boolean> => {
    const terms = server === undefined ? null : connectionTerms(server);
    return terms !== null && mayConnect((await currentDocuments(c)).policy, terms, owner, address);
  };

/** Addresses are unique in a policy, whatever their case. */
export const personAt = (people: readonly Person[], email: string): Person | undefined =>
  people.find((each) => addressDigest(each.email) === addressDigest(email));

/** A nonce for a form of the reader's that is about no review. */
export const readerNonce = (
  { settings, bound }: Reader,
  what: "sign-out" | "connections" | "availability" | "passkeys" | "devices" | `connect ${string}`,
): string => nonceOf({ settings, token: bound }, 0, what);
