// The devices on which a reviewer gets push notices: a section of the inbox. Turning one on needs a
// script and a press, which browsers ask for; the rest needs none.

import type { DeviceSaid } from "../../../shared/review/devices.ts";
import { formFields } from "../../../shared/review/form.ts";
import { useWords } from "../language.ts";
import { fill } from "../sentence.tsx";

export type DevicesInput = {
  readonly action: string;
  readonly nonce: string;
  readonly devices: readonly { readonly id: string; readonly label: string; readonly madeAt: number }[];
  /** Whether the policy sends this reviewer push notices. */
  readonly isUsed: boolean;
  readonly said: DeviceSaid | null;
  /** `home`: the path of the inbox, without a session's mark. */
  readonly app: { readonly home: string; readonly inbox: string };
};

const Said = ({ said }: Pick<DevicesInput, "said">) => {
  const { sayings } = useWords().inbox.devices;
  if (said === null) return null;
  const isGood = said === "on" || said === "off";
  return (
    <p class={isGood ? "note" : "note bad"} role={isGood ? "status" : "alert"}>
      {sayings[said]}
    </p>
  );
};

export const Devices = ({ action, nonce, devices, isUsed, said, app }: DevicesInput) => {
  const { inbox, numbers } = useWords();
  const words = inbox.devices;
  const { denied, failed, unsupported } = words;
  const fields = ["endpoint", "p256dh", "auth", "secret"];
  return (
    <section class="ours devices" id="devices" data-page={JSON.stringify({ ...app, isUsed, words: { denied, failed, unsupported } })}>
      <div class="in">
        <h2>{words.heading}</h2>
        <Said said={said} />
        <p class="soft">{words.lead}</p>
        {devices.length > 0 && !isUsed ? <p class="note bad">{words.unused}</p> : null}
        <p class="note bad" id="device-problem" role="alert" hidden></p>
        {devices.length === 0 ? null : (
          <ul>
            {devices.map(({ id, label, madeAt }) => (
              <li data-device={id}>
                <span>
                  <b>{label === "" ? words.nameless : label}</b>{" "}
                  <span class="here tag" hidden>
                    {words.here}
                  </span>
                  <br />
                  <span class="soft">{fill(words.since, { at: numbers.time(madeAt) })}</span>
                </span>
                <form method="post" action={action} accept-charset="utf-8">
                  <input type="hidden" name={formFields.nonce} value={nonce} />
                  <input type="hidden" name={formFields.act} value="off" />
                  <input type="hidden" name="device" value={id} />
                  <button type="submit" class="btn small">
                    {words.off}
                    <span class="sr"> {label}</span>
                  </button>
                </form>
              </li>
            ))}
          </ul>
        )}
        <form method="post" action={action} accept-charset="utf-8">
          <input type="hidden" name={formFields.nonce} value={nonce} />
          <input type="hidden" name={formFields.act} value="on" />
          {fields.map((name) => (
            <input type="hidden" name={name} value="" />
          ))}
          <button type="button" class="btn" id="device-on" hidden>
            {words.on}
          </button>
        </form>
      </div>
    </section>
  );
};
