// What may be a session's name in a path.

export const isSessionName = (name: string): boolean => /^[\x21-\x7e]{1,128}$/.test(name);

export const sessionNameError = "A session's name is 1 to 128 visible ASCII characters";
