// The gateway's version, as the API's description and its spans have it.

export const version = "0.1.0";
