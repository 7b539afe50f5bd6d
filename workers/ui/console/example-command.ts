// A first request to try: it stands for itself, with no session, no file, one tool of one server.

/** The command works in bash and zsh: the body has no quote of a shell's in it. */
export const exampleCommand = (publicUrl: string): string => `curl "${publicUrl}/sampling" \\
  -H "Authorization: Bearer YOUR_KEY" \\
  -H "Content-Type: application/json" -d '
{ "jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {
  "messages": [
    { "role": "user", "content": { "type": "text", "text": "Say hello in five words." } } ],
  "maxTokens": 50,
  "_meta": {
    "countersign/session": "first-steps",
    "countersign/originatingRequest": {
      "id": 1, "method": "tools/call", "name": "summarize", "server": "notes" } } } }'`;
