// What the doctor and the gateway's health say to operators, in English.

import { channelTitles } from "../../notice-channels.ts";

export const doctorEn = {
  // What is checked.
  settings: "settings",
  workers: "workers",
  documents: "documents",
  routing: "routing",
  policy: "policy",
  reviewers: "reviewers",
  providers: "providers",
  provider: "provider {name}",
  channels: "channels",
  servers: "servers",
  server: "server {name}",
  issuers: "issuers",
  issuer: "issuer {name}",
  telemetry: "telemetry",
  record: "record",
  keys: "keys",
  worker: "worker {name}",
  late: "This check did not finish within {seconds} seconds; try again.",
  broken: "This could not be checked, because of an error in the gateway or its storage; try again.",

  // How to do it.
  putLocally: "add {variables} to .dev.vars and restart the gateway",
  putSecrets: "run {commands}",
  more: "{n} more",
  stop: "{sentence}.",
  sentences: "{first}. {rest}",
  either: "{first}; or {rest}",
  alsoSaid: "{first} {rest}",

  // Settings.
  thenLocally: "{issue}. Change it in .dev.vars, and restart the gateway.",
  thenSecret: "{issue}. It is a secret: change it with `npx wrangler secret put` or `npx wrangler secret delete`.",
  thenVariable: "{issue}. Set it under [vars] in wrangler.toml, and deploy.",
  secretRefused: "{variable} {error}, so it is not accepted; {fix}",
  empty: "is empty",
  short: "is shorter than {least} characters",
  example: "is an example and not a secret",
  previousOr: "remove it, or set it to the previous LINK_KEY",
  chooseRandom: "choose a random one of 32 characters or more",
  contentKeyWeak: "CONTENT_KEY is weak, so stored content could be decrypted by guessing it; set a random one of 32 characters or more",
  contentKeyMissing:
    "CONTENT_KEY is missing while CONTENT_KEY_PREVIOUS is set: content is encrypted with the previous key; set CONTENT_KEY",
  publicUrlUnset: "PUBLIC_URL is not set, so review links cannot be sent; set it to the address at which reviewers reach the gateway",
  publicUrlWrong: "PUBLIC_URL is not a plain http or https address; correct it",
  publicUrlPlain: "PUBLIC_URL must be https unless it is a loopback address; correct it",
  accessDomain: "ACCESS_TEAM_DOMAIN is not a host such as team.cloudflareaccess.com: Cloudflare Access signs nobody in; correct it",
  accessAudience: "ACCESS_AUD is missing or not an audience tag: Cloudflare Access signs nobody in; set it to the application's tag",
  operators:
    'OPERATORS is not understood, so Cloudflare Access brings no operators: "{part}" is not an email address or *@domain, followed by see, decide or change; correct it',
  recordWhen: "RECORD must be behind or before; until it is corrected, before is used: each answer waits for its line in the record",
  witnessAddress:
    "RECORD_WITNESS_URL is not an https address (or http on a loopback address) without user name, query and fragment, so no checkpoint is sent; correct it",
  outOfRange: "{variable} must be a number from {least} to {most}; the default {standard} is used instead",
  otlpAddress:
    "OTEL_EXPORTER_OTLP_ENDPOINT is not an https address (or http on a loopback address) without user name, query and fragment, so no spans are exported; correct it",
  otlpHeaders:
    "OTEL_EXPORTER_OTLP_HEADERS is not a list such as name=value,name=value with encoded values, so no header is sent; correct it",
  linksBegin: "Review links begin with {url}.",
  linkKey: "It is set. Ids, links and keys are signed with it.",
  linkKeySame: "It is the same as LINK_KEY, so the key was not rotated: set LINK_KEY to a new key, or run {command}.",
  linkKeyRotates:
    "A key rotation is in progress: this key's signatures are still accepted. After the longest deadline plus RETENTION_HOURS, and at least one day, run {command}.",
  contentPlainHere: "It is not set, so prompts and replies are stored as plain text on this machine.",
  contentPlain:
    "It is not set, so prompts and replies are stored as plain text for as long as they are kept: run {command} with 32 random characters or more to encrypt them.",
  contentKey: "It is set. Stored prompts and replies are encrypted with it.",
  contentKeySame: "It is the same as CONTENT_KEY: set CONTENT_KEY to a new key, or run {command}.",
  contentKeyRotates:
    "A key rotation is in progress: content of this key can still be read. After the longest deadline plus RETENTION_HOURS, and the longest time for which callers have something cached or remembered, run {command}.",
  adminToken: "It is set, and it is the token that was sent.",
  adminTokenSame: "It is the same as {variable}, so a person who has one has both: set a different ADMIN_TOKEN.",
  metricsToken: "It is set. It may read {request} and nothing else.",
  metricsTokenSame: "It is the same as ADMIN_TOKEN, so whoever reads metrics can administer the gateway: set a different one.",
  devKeyPublic:
    "It is set but not accepted, because PUBLIC_URL is not a loopback address: run {command}, and create API keys with POST /admin/keys.",
  devKeyWeak: "It {error}, so it is not accepted: set a random one of 32 characters or more in .dev.vars.",
  devKey: "It is accepted as an API key, on this machine only.",
  outboxHere: "It is on: review links are printed by npm start and listed at {request}.",
  outboxPublic:
    "It is on: anyone with ADMIN_TOKEN can read every reviewer's link at /admin/notices and decide with it. Turn it off once reviewers have a channel.",

  // The Workers beside the gateway.
  workerMissing:
    "The binding {binding} is missing, so {without}: run {command}, and deploy the gateway with the service {name} as {binding} in wrangler.toml",
  workerAnswers: "It is bound and answers.",
  workerSilent: "It does not answer, so {without}: run {command}.",
  withoutImages: "requests with images are refused, and images in replies are left out",
  withoutTools: "no registered function can be called",
  withoutOAuth: "no client can connect by OAuth",
  withoutPages: "nobody can open a review, and no notice is sent",
  bindingsMissing:
    "wrangler.toml lacks {n, the binding/the bindings} {names}, which this version uses: add what its own wrangler.toml has for that (docs/packages.md), and deploy again",

  // Documents.
  documentMissing:
    "The {document} document is missing from KV; the ConfigObject's copy is used and published again. If this message stays, write the document again with PUT /admin/{document}.",
  documentNotGenuine:
    "The {document} document in KV was not written by this gateway and is not used; the ConfigObject's copy is used and published again. Find out who writes to KV; change configuration only with PUT /admin/{document}.",
  documentOlder:
    "The {document} document in KV is an older version and is not used; the ConfigObject's copy is used and published again. If this message stays, write the document again with PUT /admin/{document}.",
  documentNewer:
    "The {document} document in KV is newer than the ConfigObject's and is not used; the ConfigObject's copy is used and published again. Write the document that you want with PUT /admin/{document}.",
  documentUnreadable: "The {document} document could not be read from KV; the ConfigObject's copy is used.",
  documentUnreachable: "The ConfigObject did not say which {document} document is current; the last valid one is used.",
  documentMalformed: "The {document} document is malformed; {used}. Write it again with PUT /admin/{document}.",
  builtInUsed: "the built-in one is used",
  lastUsed: "the last valid one is used",
  noModelCalled: "no model is called",
  firstIssue: "{malformed} The first issue is at {pointer}: {issue}.",
  itsTop: "its top",
  builtIn:
    "The built-in default is in use, because no document has been written. GET /admin/{document} shows it, and PUT /admin/{document} writes your own.",
  versionComes: "Version {version} is in use and version {written} was written: a new version takes up to a minute.",
  routingValid: "The routing table is valid; version {version} is in use.",
  policyValid: "The policy is valid; version {version} is in use.",
  keyCopy:
    "An API key's record in KV was not written by this gateway and is not used; the ConfigObject's copy is used and published again. Find out who writes to KV; create keys only with POST /admin/keys.",
  providersFail:
    "{n, # provider fails/# providers fail} now, in half of the model calls of the last minutes: the console says which, and why",
  configurationUnreadable:
    "The configuration cannot be read from KV or from the ConfigObject: requests are refused until one of them answers",
  settingsUnreadable: "The gateway's settings cannot be read; its log names the error",

  // Reviewers.
  nobodyAsked: "No rule of the policy asks a reviewer: every request is approved automatically or refused.",
  noPublicUrl: "No reviewer can be reached without PUBLIC_URL, because review links begin with it: set it first.",
  noSignIn: "the reviewers have to be signed in, and nobody can sign in: set up email, Cloudflare Access, or an issuer with `signIn`",
  reviewerReached: "The one reviewer in the policy can be reached.",
  reviewersReached: "All {n} reviewers in the policy can be reached.",
  noneReached:
    "No channel reaches any reviewer, so each review ends at once as undeliverable: set up a channel, and write reviewers with an address for it in the policy",
  someNotReached:
    "No channel reaches the reviewers of some rules, so their reviews end at once as undeliverable: `npm run doctor` names them",
  ofRules: "{rules}: {finding}.",
  rule: 'rule "{name}"',
  theDefault: "the default",
  reachesNobody: "no channel reaches {people}, so a review there fails at once",
  belowQuorum: "the quorum is {quorum}, and only {reached} can be reached, not {people}",
  alerts: "alerts",
  alertsReach: "Alerts go to {n, # reviewer/# reviewers} of the policy.",
  alertsReachSome: "Alerts reach only {reached}: {remedies}.",
  alertsReachNobody: "No channel carries alerts to anybody: {remedies}.",
  someReached: "{reached} can be reached, {people} cannot",
  escalatesToNobody: "the escalation reaches nobody, not {people}",
  escalatesToSome: "the escalation does not reach {people}",
  aReviewer: "a reviewer",
  at: "{name} ({pointer} of the policy)",
  hasNoAddress: "{who} has no address: add one ({addresses}), and set up that channel",
  hasAddress: "{who} has {ways}",
  unsetAddress: "{pointer} of the policy names it, and neither of its variables is set: {how}; or remove it from the policy.",

  // Channels.
  ...channelTitles("en"),
  noLinks: "Reviewers get no links, because {channels} are not set up: {fix}.",
  outboxOff: "remove OUTBOX=off from .dev.vars",
  setOneUp: "set one of them up (see {guides})",
  outboxOnly: "Review links are in the outbox only: {channels} are not set up.",
  listedOnly: "Review links are only listed at {request}, because {channels} are not set up. To set one up, see {guides}.",

  // What a channel says of its setup.
  emailNotSetUp: "Email is not configured.",
  emailFromUnset: "EMAIL_FROM is not set: no email is sent; set it to the sender address that reviewers see",
  emailFromAddress: "EMAIL_FROM is neither an address nor `Name <address>`: no email is sent; correct it",
  emailFromName:
    "EMAIL_FROM has a name with quotes, angle brackets, backslashes or control characters, or one that is too long: no email is sent; correct it",
  emailNoSender:
    "EMAIL_FROM is set, but there is no way to send email: set RESEND_API_KEY, or add the send_email binding EMAIL to the Worker",
  emailKeyWrong: "RESEND_API_KEY has characters that are not allowed in a header: no email is sent; set it again",
  emailBaseUrl: "RESEND_BASE_URL is not a plain https address (http is for loopback addresses only): no email is sent; correct it",
  emailBinding:
    "Email is sent through the send_email binding, which exists. Whether it delivers cannot be checked without sending an email.",
  resendSendingOnly: "Resend accepts the key for sending. Whether EMAIL_FROM's domain is verified cannot be checked with this key.",
  resendRefused: "Resend refused the key, or is not at RESEND_BASE_URL: check RESEND_API_KEY and RESEND_BASE_URL.",
  resendSilent: "Resend did not answer, or is overloaded: try again.",
  resendVerified: "Resend accepts the key, and EMAIL_FROM's domain is verified.",
  resendUnverified: "Resend accepts the key, but EMAIL_FROM's domain is not verified: verify it, or use another domain.",
  emailRemedy: "an email address: set up email (EMAIL_FROM, and RESEND_API_KEY or the send_email binding)",
  chatNotSetUp: "{chat} is not set up.",
  roomUrl: "{variable} is not a plain https address: this room gets no notices; set it to the address that {chat} gives for it",
  roomSetUp:
    "{chat} is set up for {names}. Only a message can test it, and the doctor posts none: press Test at a reviewer with this name in `{member}`, on the page Reviewers of the console.",
  roomRemedy: "a {chat} channel: set up its address ({variable})",
  slackWebhookUrl: "SLACK_WEBHOOK_URL is not an https address: no Slack message is sent; correct it",
  slackTokenUnset: "SLACK_SIGNING_SECRET is set and SLACK_BOT_TOKEN is not: no Slack message is sent; set both",
  slackTokenWrong: "SLACK_BOT_TOKEN is not a bot token, which begins with xoxb-; set it again",
  slackSecretUnset: "SLACK_BOT_TOKEN is set and SLACK_SIGNING_SECRET is not: no Slack message is sent; set both",
  slackSecretShort: "SLACK_SIGNING_SECRET is shorter than {least} characters; copy it from Basic Information in the app's settings",
  slackApiUrl: "SLACK_API_URL must be https, except on a loopback address; correct it or leave it out",
  slackAppId: "SLACK_APP_ID is not an app id, which begins with A; correct it",
  slackTeamId: "SLACK_TEAM_ID is not a workspace id, which begins with T; correct it",
  slackBoth: "SLACK_WEBHOOK_URL is not used while SLACK_BOT_TOKEN is set; remove one of them",
  slackWebhookOnly:
    "Slack is set up as an incoming webhook, which only a message can test, and the doctor posts none. To test it, press Test at a reviewer whose slack is a channel id, on the page Reviewers of the console.",
  slackRefuses: "Slack refuses SLACK_BOT_TOKEN: {error}.",
  anError: "an error",
  slackRateLimited: "Slack answers with a rate limit; try again in a minute.",
  slackSilent: "Slack does not answer at SLACK_API_URL.",
  slackOtherTeam: "SLACK_TEAM_ID is not the workspace that SLACK_BOT_TOKEN belongs to, so every button would be refused: correct it.",
  slackAccepts:
    "Slack accepts SLACK_BOT_TOKEN. For the buttons to work, the app's Request URL must be PUBLIC_URL followed by /slack/interactions.",
  slackRemedy: "a Slack id: set up Slack (SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET)",
  slackRoomRemedy: "a Slack id: set up Slack (SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET, or SLACK_WEBHOOK_URL)",
  ntfyUrl: "{variable} is not the https address of a topic, such as https://ntfy.sh/topic: it gets no notices; correct it",
  ntfyToken: "{variable} has characters that are not allowed in a header: its topic gets no notices; set it again",
  ntfyRefused: "the ntfy server refuses {variable}: set it to a token of that server",
  ntfySilent: "no ntfy server answers at the address of {variable}: correct it, or try again",
  ntfySetUp:
    "The ntfy server answers for {names}. Only a message shows whether its topic may be written: press Test at a reviewer with this name in `ntfy`, on the page Reviewers of the console.",
  ntfyRemedy: "an ntfy topic: set up its address ({variable})",
  telegramTokenUnset: "TELEGRAM_API_URL is set and TELEGRAM_BOT_TOKEN is not: no Telegram message is sent; set both",
  telegramToken: "TELEGRAM_BOT_TOKEN is not a bot's token, such as 123456789:AA…: no Telegram message is sent; copy it from @BotFather",
  telegramApiUrl: "TELEGRAM_API_URL must be https, except on a loopback address; correct it or leave it out",
  telegramAccepts: "Telegram accepts TELEGRAM_BOT_TOKEN. The bot may write to those who opened it and pressed Start.",
  telegramRefuses: "Telegram refuses TELEGRAM_BOT_TOKEN: copy it from @BotFather again.",
  telegramSilent: "Telegram does not answer, or limits the bot's requests: try again.",
  telegramRemedy: "a Telegram chat: set up Telegram (TELEGRAM_BOT_TOKEN)",
  pushReady:
    "Reviewers turn on push notices in their inbox. To test somebody's devices, press Test at the reviewer, on the page Reviewers of the console.",
  pushRemedy: "push notices: give them an email address too, because devices are turned on in the inbox",
  webhookNotSetUp: "No webhook is configured.",
  webhookUrlUnset: "{variable} is not set: the webhook cannot be used; set it to the receiver's address",
  webhookUrl: "{variable} is not an https address: the webhook cannot be used; correct it",
  webhookUrlExtras:
    "{variable} has a user name, a password or a fragment: the webhook cannot be used; remove them, because the receiver authenticates the gateway by its signature",
  webhookSecretUnset: "{variable} is not set: the webhook cannot be used; set it to `whsec_` and base64 of 24 to 64 random bytes",
  webhookSecret: "{variable} is not `whsec_` and base64 of 24 to 64 bytes, or two of these: the webhook cannot be used; correct it",
  webhookSilent: "Webhook {name}: the receiver did not answer within {seconds} seconds.",
  webhookAccepts: "Webhook {name}: the receiver accepted a signed ping.",
  webhookRefuses: "Webhook {name}: the receiver answered {status} to a signed ping.",
  webhookRemedy: "a webhook: set it up ({url} and {secret})",

  // API keys.
  oneKey: "One API key is accepted.",
  someKeys: "{n} API keys are accepted.",
  keysOver: "Every API key is revoked or expired",
  noKeys: "No API key has been created yet",
  devKeyAlone: "DEV_API_KEY is accepted. {over}.",
  noKeyAtAll: "{over}, so no client can send a request. To create one: {command}",
  ownersUnknown:
    "The policy forbids self-approval (selfApproval: false), and the owner of {keys} is not a reviewer's name or email, so {n, its requests are/their requests are} refused: create the key again with a reviewer's name or email as its owner, and revoke the old one.",
  ownersRefused:
    "Requests of keys whose owner is not a reviewer are refused where the policy says selfApproval: false: {keys}. Create these keys again with a reviewer's name or email as owner.",

  // Providers.
  partlySet: "{set} is set and {unset} is not, so its models ({models}) are not used: {how}.",
  addressUnusable: "Its address {wrong}, so its models ({models}) are not used: correct {address}.",
  inTable: "{pointer} in the routing table",
  providersUnset: "These are not set up, so their models are not used: {providers}. See docs/routing.md.",
  demoOnly: "Only the built-in demo model answers. To use a real model, {how}.",
  noModel: "No model can be used, so every request fails. To use one, {how}.",
  addProvider: "add a provider and its models to the routing table",
  forProvider: "{how} (for {provider})",
  orAnother: "{how}; or set up another provider of the table: {providers}",
  needs: "{provider} ({variables})",
  and: "{first}, {rest}",
  noModelList: "It has no list of models, so it was not asked.",
  notAModelList: "It answers, but not with a list of models, so its credential and its models could not be checked.",
  answers: "It answers",
  accepts: "It answers and accepts its credential",
  listsOne: "{greets}; it lists the one model in the routing table.",
  listsAll: "{greets}; it lists all {n} models in the routing table.",
  listsNot:
    "{greets}. It does not list {models}. Some providers list only some of their models; if calls fail, correct the name in the routing table.",
  modelAt: "{model} ({pointer})",
  setAgain: "set {variable} again",
  nameVariable: "name the variable with its credential at {pointer} in the routing table",
  redirects: "It answers with a redirect ({status}), and redirects are not followed: correct {address}.",
  refusesCredential: "It refuses the credential ({status}): {fix}.",
  refusesList: "It does not let this credential list models ({status}), so its models could not be checked; if calls fail, {fix}.",
  rateLimited: "It answers with a rate limit (429), so its credential and its models could not be checked.",
  maybeCredential: "It refuses to list its models (400), as some providers do when the credential is not valid: {fix}.",
  nothingThere:
    "It has no list of models at its address ({status}), so its models could not be checked; if calls fail, check the path in {address} (many end in /v1).",
  noStatus: "no status",
  noAnswer: "It did not answer within {seconds} seconds: check that it is running, and that {address} is correct.",
  serverError: "It answers with a server error ({status}): try again, or look at its status page.",
  modelListLong: "Its list of models is too long to read, so its models could not be checked.",
  notJson: "Its answer is not JSON, so this address is not the provider's API: correct {address}.",
  unreachable: "It cannot be reached: check that it is running, and that {address} is correct.",

  // MCP servers.
  clientsSignIn: "Each client signs in to this server itself, so it was not checked.",
  ownersSignIn: "Each owner of a key signs in to this server themselves, so it was not checked.",
  secretUnset: "Its entry names {variable}, which is not set: {how}.",
  serverUrl: "/servers/{name}/url of the servers document",
  serverRedirects: "It answers with a redirect, and redirects are not followed: set {address} to the address that it redirects to.",
  session: "It answers and started a session.",
  serverRefuses: "It refuses the credential ({status}): set {secret} again, or let clients sign in themselves with passAuthorization.",
  aSecret: "a secret in its entry",
  serverAnswers: "It answers {status} to initialize: check that {address} is its MCP endpoint (Streamable HTTP).",

  // Issuers.
  secretFits: "{variable} is set, and long enough for {algorithm}.",
  secretShort: "{variable} is shorter than the {bytes} bytes that {algorithm} needs: {how}.",
  keysInside: "Its keys are in the document, for {algorithm}.",
  keysUnread: "Its keys cannot be read, so its tokens are not accepted: {fix}.",
  jwksUrl: "/issuers/{name}/jwksUrl of the issuers document",
  issuerUnreachable: "check that it is running, and that {address} is correct",
  issuerNotOk: "it answers with a status other than 200, and redirects are not followed; check {address}",
  issuerTooLarge: "the document there is larger than 256 KiB; check {address}",
  issuerNotKeySet: "the document there is not a JSON Web Key Set; check {address}",
  noKeyFits: "It publishes no key for {algorithm}: check that {address} is this issuer's, and that it signs with {algorithm}.",
  oneKeyFits: "It publishes one key for {algorithm}.",
  keysFit: "It publishes {n} keys for {algorithm}.",
  signInReads: "People can sign in there: its configuration was read.",
  signInFails:
    "Nobody can sign in there ({why}): check that {address} is an OpenID Connect issuer with the code flow and PKCE, to the letter.",
  issuerAddress: "/issuers/{name}/issuer of the issuers document",
  noSubjects: "It maps no subject to an API key, so its tokens are not accepted.",
  subjectsDead: "Its subjects map to keys that are not accepted: {keys}. Create new keys, or change {pointer}.",
  keyWhy: "{key} ({why})",
  revoked: "revoked",
  expired: "expired",
  unknown: "unknown",
  missing: "missing",
  subjectsElsewhere: 'Its subjects map to keys without the scope "{scope}": {keys}. Create new keys with that scope, and change {pointer}.',

  // Spans.
  recordStored: "The record's log goes to R2.",
  recordBehind:
    "R2 does not take the record's log, which waits in its objects; the fullest has used {percent}% of its 10 GB: see that the bucket is there, and that CONTENT_KEY opens the record's key.",
  recordWitnessed: "The witness at RECORD_WITNESS_URL cosigns the record's checkpoints.",
  recordUnkept:
    "The witness at RECORD_WITNESS_URL takes the record's checkpoints; its cosignatures are not kept: set RECORD_WITNESS_KEY to its key.",
  recordUnwitnessed:
    "The witness at RECORD_WITNESS_URL does not answer as a witness does; checkpoints are sent again every 5 minutes: see that the address is what stands before its /add-checkpoint.",
  witnessUnknownLog:
    "The witness at RECORD_WITNESS_URL does not know the record's logs by their keys (403 or 404): give it the key of each, which GET /record/0/checkpoint to /record/15/checkpoint have in the header Countersign-Record-Key.",
  witnessNotContinued:
    "The witness at RECORD_WITNESS_URL saw other entries than the record has now: it was changed, or another gateway has the same address. Verify it with `npm run verify-record` and an earlier checkpoint.",
  witnessAhead:
    "The witness at RECORD_WITNESS_URL saw more entries than the record has now: it was cut short or restored, or another gateway has the same address. Verify it with `npm run verify-record` and an earlier checkpoint.",
  witnessUncosigned: "The witness at RECORD_WITNESS_URL does not sign with RECORD_WITNESS_KEY: set that to its key, of Ed25519.",
  witnessUnsigned: "The record's key cannot be read, so no checkpoint goes to the witness: see that CONTENT_KEY opens it.",
  recordInObjects: "The record's log stays in its objects, without an R2 bucket; the fullest has used {percent}% of its 10 GB.",
  recordInObjectsFor:
    "The record's log stays in its objects, without an R2 bucket; the fullest has used {percent}% of its 10 GB, and at this rate is full in {days} days: bind a bucket as RECORD_BUCKET before.",
  spansTaken: "The collector answers, and takes spans.",
  spansLost: "The collector does not answer, so spans are lost: correct the address, or start it.",
  spansRefused: "The collector refuses the credential ({status}), so spans are lost: set OTEL_EXPORTER_OTLP_HEADERS again.",
  spansNowhere: "The collector has nothing at its /v1/traces (404), so spans are lost: the address must be the one before /v1/traces.",
  spansFailed: "The collector answers with status {status}, so spans are lost: see its own log.",
} as const;
