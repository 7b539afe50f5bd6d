// Which gates a sampling request must pass, who decides there, and by when.

export type Reviewer = {
  /** Unique within a policy; what the record names. */
  readonly name: string;
  readonly email?: string | undefined;
  readonly slack?: string | undefined;
  /** BCP 47. */
  readonly language?: string | undefined;
};

export type GatePlan = {
  /** The name of the rule that matched, or "default". */
  readonly rule: string;
  readonly request: "review" | "allow" | "refuse";
  readonly response: "review" | "allow";
  /** In the policy's order, no name twice. */
  readonly reviewers: readonly Reviewer[];
  readonly quorum: number;
  readonly selfApproval: boolean;
  readonly deadlineSeconds: number;
  readonly remindAtSeconds: readonly number[];
  readonly escalate: { readonly afterSeconds: number; readonly to: readonly Reviewer[] } | null;
  readonly noticeExcerpt: "none" | "start";
  /** Whether the asker is told the reviewer's reason for a "no". */
  readonly tellReason: boolean;
  readonly grants: boolean;
  readonly context: "none" | "thisServer";
};
