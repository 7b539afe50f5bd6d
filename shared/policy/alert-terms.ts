// The part of the policy that says who hears what of the gateway itself: it decides no request.

import * as z from "zod";

/** What an alert may be about. */
export const alertKinds = ["providerFailing", "budgetUsedUp", "nobodyReached", "reviewsExpire"] as const;
export type AlertKind = (typeof alertKinds)[number];

/** `names`: of groups or reviewers of the policy. */
export const alertsSchema = (names: z.ZodArray<z.ZodString>) =>
  z.strictObject({
    /** Who hears, each by their channels as for a review. */
    to: names.min(1),
    about: z
      .array(z.enum(alertKinds))
      .min(1)
      .default([...alertKinds]),
    /** Of more alerts within an hour nobody hears; the next one says how many. */
    perHour: z.int().min(1).max(100).default(12),
  });

export type Alerts = z.infer<ReturnType<typeof alertsSchema>>;
