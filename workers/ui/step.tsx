// One line of what happened to a review, or of what comes next.

import type { Child } from "hono/jsx";
import { Icon } from "./icons.tsx";

type StepProps = { readonly as: "ok" | "now" | "todo"; readonly at?: Child; readonly children: Child };

/** `at`: when, or what else there is to say of it. */
export const Step = ({ as, at, children }: StepProps) => (
  <li class={as} {...(as === "now" ? { "aria-current": "step" } : {})}>
    <span class="dot">{as === "ok" ? <Icon of="check" /> : null}</span>
    {children}
    {at === undefined ? null : <div class="at">{at}</div>}
  </li>
);
