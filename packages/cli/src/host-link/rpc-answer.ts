/** The numeric code of an error that the host answered; `undefined` for any other error. */
export function wireCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || error.name !== 'RpcError' || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
