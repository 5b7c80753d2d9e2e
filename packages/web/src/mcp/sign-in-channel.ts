/** The result of a sign-in that a tab gives to the tab that began it. */
interface SignInResult {
  readonly state: string;
  readonly code?: string;
  readonly iss?: string;
  /** Why there is no code. */
  readonly error?: string;
}

/** The path of the page where an authorization server sends the browser back to. */
export const SIGNED_IN_PATH = 'signed-in';

/** Connects the tabs of this page. Close it. */
export const signInChannel = (): BroadcastChannel => new BroadcastChannel('agenthost-mcp-sign-in');

/** Reads the parameters of a redirect; `undefined` without a state. */
export function readRedirect(parameters: URLSearchParams): SignInResult | undefined {
  const [state, code, iss] = ['state', 'code', 'iss'].map((key) => parameters.get(key) ?? '');
  if (state === undefined || state === '') return undefined;
  const error = parameters.get('error_description') ?? parameters.get('error');
  return {
    state,
    ...(code === undefined || code === '' ? {} : { code }),
    ...(iss === undefined || iss === '' ? {} : { iss }),
    ...(error === null ? {} : { error: error.slice(0, 500) }),
  };
}

/** A message of another tab as a result; `undefined` for any other message. */
export function readResult(data: unknown): SignInResult | undefined {
  if (typeof data !== 'object' || data === null || !('query' in data)) return undefined;
  return typeof data.query === 'string' ? readRedirect(new URLSearchParams(data.query)) : undefined;
}
