// The cookie in which a browser says its time zone: the console's script writes it, the gateway
// reads it. It is no secret, and a value that is no zone counts as none.

export const zoneCookie = "countersign-zone";
