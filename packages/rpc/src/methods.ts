/**
 * The methods that one side serves, by name: `requests: { [method]: { params, result } }` and `notifications:
 * { [method]: params }`. Exists at compile time only; handlers validate params.
 */
export interface MethodMap {
  readonly requests: object;
  readonly notifications: object;
}

/** Names of the requests in a map. */
export type RequestName<M extends MethodMap> = keyof M['requests'] & string;

/** Names of the notifications in a map. */
export type NotificationName<M extends MethodMap> = keyof M['notifications'] & string;

/** Params of one request. Not a conditional type, so that it works where the method is generic. */
export type RequestParams<M extends MethodMap, N extends RequestName<M>> = (M['requests'][N] & {
  params: unknown;
})['params'];

/** Result of one request. */
export type RequestResult<M extends MethodMap, N extends RequestName<M>> = (M['requests'][N] & {
  result: unknown;
})['result'];

/** Params of one notification. */
export type NotificationParams<M extends MethodMap, N extends NotificationName<M>> = M['notifications'][N];

/** A map of any method with unchecked params, for custom routing. */
export interface AnyMethods extends MethodMap {
  readonly requests: Record<string, { params: unknown; result: unknown }>;
  readonly notifications: Record<string, unknown>;
}
