// What the gateway says of a request to a server beside the response, whose text a server could
// write too.

/**
 * Why a response is the gateway's own. `lost`: nobody knows what the server did with the request.
 * `noLogin`: it has not the login that the server wants, and nothing was done.
 */
export type RequestFailure = "lost" | "noLogin";

export type ReportFailure = (failure: RequestFailure) => void;
