// The gateway's version, as the API's description and its spans have it.

export const version = "1.0.0-rc.1";
