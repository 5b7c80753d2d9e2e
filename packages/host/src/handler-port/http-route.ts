/** The answer to a plain HTTP request, as JSON. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: object;
}

/**
 * Answers POST requests to one path. The server has checked `Host` and `Origin`, not a token. `body`: the body of type `application/json`, not
 * parsed yet, of at most 4 KiB.
 */
export type HttpRoute = (body: string) => Promise<HttpAnswer>;

/** The routes of a host by path, such as `/push-answer`. */
export type HttpRoutes = Readonly<Record<string, HttpRoute>>;
