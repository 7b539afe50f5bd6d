// A text in the reviewer's own editor: $VISUAL, else $EDITOR, else vi.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The text as it was saved; null where the editor failed, and then nothing changed. The file is the
 * user's alone, and deleted after.
 */
export function inEditor(text: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const folder = mkdtempSync(join(tmpdir(), "countersign-review-")); // mode 0700
  try {
    const file = join(folder, "text.txt");
    writeFileSync(file, text, { mode: 0o600 });
    const command = environment["VISUAL"] || environment["EDITOR"] || "vi";
    // By a shell, because EDITOR may have arguments: "code --wait".
    const { status } = spawnSync(`${command} "$COUNTERSIGN_FILE"`, {
      shell: true,
      stdio: "inherit",
      env: { ...environment, COUNTERSIGN_FILE: file },
    });
    if (status !== 0) return null;
    const saved = readFileSync(file, "utf8");
    // Editors end a file with a line end.
    return !text.endsWith("\n") && saved.endsWith("\n") ? saved.replace(/\r?\n$/, "") : saved;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
