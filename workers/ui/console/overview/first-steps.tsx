// What to do with a gateway that no request has reached.

import { isLoopbackHost } from "../../../../shared/this-machine.ts";
import { paths } from "../../../platform/urls.ts";
import { Icon } from "../../icons.tsx";
import { exampleCommand } from "../example-command.ts";
import type { Visit } from "../page.ts";
import { fillText } from "../../sentence.tsx";
import type { OverviewContext } from "./overview-parts.ts";

/** How many keys there are that are not revoked. */
export async function keysIn(visit: Visit): Promise<number> {
  const { keys } = await visit.api.read(paths.admin.keys);
  return keys.filter(({ revokedAt }) => revokedAt === null).length;
}

export const FirstSteps = ({ visit, texts: { first }, keys }: OverviewContext & { keys: number }) => (
  <section class="card" aria-labelledby="first">
    <h2 id="first">{first.heading}</h2>
    <p>{first.lead}</p>
    <ol class="steps-list">
      <li>
        <h3>
          1. {first.key} {keys > 0 ? <Icon of="check" /> : null}
        </h3>
        <p>
          {keys > 0 ? `${fillText(first.hasKeys, { n: keys })} ` : null}
          {first.keySays} {isLoopbackHost(new URL(visit.publicUrl).hostname) ? first.local : null}
        </p>
        {visit.may("change") ? (
          <a class={keys > 0 ? "btn" : "btn yes"} href={visit.at("keys")}>
            {first.makeKey}
          </a>
        ) : null}
      </li>
      <li>
        <h3>2. {first.send}</h3>
        <p>{first.sendSays}</p>
        <pre class="command" tabindex={0} role="region" aria-label={first.send}>
          {exampleCommand(visit.publicUrl)}
        </pre>
      </li>
      <li>
        <h3>3. {first.decide}</h3>
        <p>{first.decideSays}</p>
        <a class="btn" href={visit.at("policy")}>
          {first.policy}
        </a>
      </li>
    </ol>
  </section>
);
