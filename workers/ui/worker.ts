// The pages Worker: makes every page, email and notice that a person reads, in their language.
// Apart from the gateway for its size: words in several languages, styles and scripts, which no
// request of a machine needs. It keeps nothing and has no secrets; to the console it has the
// authority of the operator who visits, for that visit.

import { WorkerEntrypoint } from "cloudflare:workers";
import type { SlackMessage } from "../../shared/channels/slack/slack-message.ts";
import type { SlackModal } from "../../shared/channels/slack/slack-modal.ts";
import type { TeamsMessage } from "../../shared/channels/teams/teams-card.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { type AskedTest, type TestResult, type TestWords, testResultWords, testWordsOf } from "./channel-test.tsx";
import { answerConsole } from "./console/console.tsx";
import type { ConsoleAnswer, ConsoleApi, ConsoleVisit } from "./console/visit.ts";
import { type AskedMail, renderMail } from "./mails.ts";
import type { MailContent } from "./mail.tsx";
import {
  type AskedSlackErrors,
  type AskedSlackMessage,
  type AskedSlackModal,
  type AskedTeamsMessage,
  type AskedWebhookWords,
  type WebhookWords,
  renderSlackErrors,
  renderSlackMessage,
  renderSlackModal,
  renderTeamsMessage,
  renderWebhookWords,
} from "./notices.ts";
import { type Page, type PageReader, renderPage } from "./page.ts";

export default class PagesWorker extends WorkerEntrypoint {
  /**
   * 404 to every HTTP request: the Worker should have no address, and serves nothing where it is
   * given one.
   */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  page(page: Page, reader: PageReader): string {
    return renderPage(page, reader);
  }

  /** A visit to the console. `api`: the operator's API, good until this is answered. */
  console(visit: ConsoleVisit, api: ConsoleApi): Promise<ConsoleAnswer> {
    return answerConsole(visit, api);
  }

  mail(asked: AskedMail): MailContent {
    return renderMail(asked);
  }

  slackMessage(asked: AskedSlackMessage, language: Language): SlackMessage {
    return renderSlackMessage(asked, language);
  }

  slackModal(asked: AskedSlackModal, language: Language): SlackModal | null {
    return renderSlackModal(asked, language);
  }

  slackErrors(asked: AskedSlackErrors, language: Language): Record<string, string> | null {
    return renderSlackErrors(asked, language);
  }

  teamsMessage(asked: AskedTeamsMessage, language: Language): TeamsMessage {
    return renderTeamsMessage(asked, language);
  }

  /** A test of a channel, for a webhook. */
  testWords(asked: AskedTest, language: Language): TestWords {
    return testWordsOf(asked, language);
  }

  /** What a test of a channel came to, in a sentence. */
  testResult(result: TestResult, language: Language): string {
    return testResultWords(result, language);
  }

  webhookWords(asked: AskedWebhookWords, language: Language): WebhookWords {
    return renderWebhookWords(asked, language);
  }
}
