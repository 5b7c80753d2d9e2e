/** The message of anything that was thrown. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The string code of an error, such as Node's `ENOENT`; `undefined` when it has none. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}

/** Whether an error carries one of these string codes. */
export function hasCode(thrown: unknown, ...codes: readonly string[]): boolean {
  const code = errorCode(thrown);
  return code !== undefined && codes.includes(code);
}
