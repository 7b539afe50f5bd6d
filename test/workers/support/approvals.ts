// A caller that asks about its calls of tools: as itself, and as Claude Code does.

import type { ApprovalAnswer } from "../../../shared/wire/approvals/approval-answer.ts";
import { type Notice, type PostOptions, admin, configure, devKey, eventually, gateway, notices, policy } from "./gateway.ts";

/** People are asked about the tools whose name begins with "delete", with what `then` says. */
export const askAbout = (then: object = {}, more: object = {}): Promise<void> =>
  configure("policy", {
    ...policy,
    rules: [
      {
        name: "deleting",
        when: { subject: "toolCall", tool: "delete*" },
        then: { request: "review", selfApproval: true, tellReason: true, ...then },
      },
      { name: "never", when: { subject: "toolCall", tool: "drop*" }, then: { request: "refuse" } },
      ...policy.rules,
    ],
    ...more,
  });

const taken = new Set<string>();

/** The next review of a call, each once: one that was just decided may still be listed. */
export async function nextReview(): Promise<Notice> {
  const next = await eventually("a review", async () => (await notices()).find(({ gate, run }) => gate === "request" && !taken.has(run)));
  taken.add(next.run);
  return next;
}

export const deletion = { tool: "delete_file", server: "files", arguments: { path: "/tmp/report.txt", force: true } };

type Posted = PostOptions & { readonly id?: string };

/** A string is sent as it is. */
export const askApproval = (body: object | string = deletion, { key, headers = {}, signal, id }: Posted = {}): Promise<Response> =>
  gateway("/approvals", {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...(id === undefined ? {} : { "Idempotency-Key": id }), ...headers },
    ...(key === undefined ? {} : { key }),
    ...(signal === undefined ? {} : { signal }),
  });

export const approvalIn = async (response: Response | Promise<Response>): Promise<ApprovalAnswer> =>
  (await response).json<ApprovalAnswer>();

/** As Claude Code 2.1 posts it (https://code.claude.com/docs/en/hooks, read on 2026-11-25). */
export const hookInput = (command = "git push --force", more: object = {}) => ({
  session_id: "abc123",
  prompt_id: "550e8400-e29b-41d4-a716-446655440000",
  transcript_path: "/home/user/.claude/projects/x/transcript.jsonl",
  cwd: "/home/user/my-project",
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command, description: "Push the branch", timeout: 120_000, run_in_background: false },
  tool_use_id: "toolu_01ABC123",
  ...more,
});

export const postHook = (body: object | string, { key = devKey, query = "" }: { key?: string; query?: string } = {}): Promise<Response> =>
  gateway(`/hooks/claude-code${query}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
    key,
  });

/** Ends a stop of everything, and waits until this isolate knows: it serves the next test too. */
export async function resume(): Promise<void> {
  await admin("/stops/everything", { method: "DELETE" });
  await eventually("the end of the stop", async () => (await askApproval({ ...deletion, tool: "read_file" })).status === 200);
}
