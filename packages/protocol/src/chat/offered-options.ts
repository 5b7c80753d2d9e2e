import { isWithinScope } from '../auth/scope.ts';
import type { TokenScope } from '../auth/token.ts';
import type { ConfirmationOption } from './tool-call.ts';

/** The answers to an approval that the host accepts from a client. A plain denial is always one of them. */
export interface OfferedOptions {
  /** Absent or empty: plain yes and no. */
  readonly options?: ConfirmationOption[] | undefined;
  /** False: the host refuses every approval of the client, also a plain yes. */
  readonly canApprove: boolean;
}

/**
 * The options of an approval that a client with this scope on the host may choose. Options that cover later calls need the scope `interact`,
 * whatever the role of the person in the session. Default of `scope`: `admin`.
 */
export function offeredOptions(
  options: ConfirmationOption[] | undefined,
  scope: TokenScope = 'admin',
): OfferedOptions {
  if (options === undefined || isWithinScope(scope, 'interact')) return { options, canApprove: true };
  const once = options.filter((option) => option['x-lasting'] !== true);
  const isApproval = ({ kind }: ConfirmationOption): boolean => kind === 'approve';
  return { options: once, canApprove: once.some(isApproval) || !options.some(isApproval) };
}
