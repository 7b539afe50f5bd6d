// The names by which every message of revision 2026-07-28 says what it is: there is no handshake
// (basic/index, "_meta"). Imports nothing.

export const revision2026 = "2026-07-28";
const metaKey = (name: string): string => `io.modelcontextprotocol/${name}`;
export const protocolVersionKey = metaKey("protocolVersion");
export const clientCapabilitiesKey = metaKey("clientCapabilities");
export const clientInfoKey = metaKey("clientInfo");
export const logLevelKey = metaKey("logLevel");
export const serverInfoKey = metaKey("serverInfo");
export const subscriptionIdKey = metaKey("subscriptionId");

export const headerMismatchCode = -32_020;
export const missingCapabilityCode = -32_021;
export const unsupportedVersionCode = -32_022;

export const tasksExtension = "io.modelcontextprotocol/tasks";
