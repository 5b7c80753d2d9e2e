import { RpcError } from '@agenthost/client';
import { ErrorCodes, readRefusal } from '@agenthost/protocol';
import { messageOf } from '../../live/host-link.ts';
import { text } from '../../text/text.ts';

/** Why a session was not created, and the field that caused it. */
export interface StartFault {
  readonly field: 'agent' | 'folder' | 'option' | 'form';
  /** Name of the option, for `option`. */
  readonly option?: string;
  readonly message: string;
  /** Whether the folder is missing, and nothing else is wrong with it. */
  readonly canMakeFolder?: boolean;
  /** Whether the agent needs a sign-in first. */
  readonly needsSignIn?: boolean;
}

/** Finds the field that an error of `createSession` or `resolveSessionConfig` is about. */
export function startFault(error: unknown): StartFault {
  const message = messageOf(error);
  if (!(error instanceof RpcError)) return { field: 'form', message };
  const { code, data } = error;
  const given: unknown =
    typeof data === 'object' && data !== null && 'x-refusal' in data ? data['x-refusal'] : undefined;
  const refusal = readRefusal(given);
  if (refusal?.kind === 'parameter') {
    const option = /^config\.(.+)$/.exec(refusal.parameter)?.[1];
    if (option !== undefined) return { field: 'option', option, message: refusal.problem };
    if (refusal.parameter.startsWith('workingDirector')) return { field: 'folder', message: refusal.problem };
    if (refusal.parameter === 'provider') return { field: 'agent', message: refusal.problem };
  }
  if (refusal?.kind === 'folder')
    return {
      field: 'folder',
      message: refusal.reason === 'missing' ? text.newSession.folderMissing : message,
      canMakeFolder: refusal.reason === 'missing',
    };
  if (code === ErrorCodes.AuthRequired) return { field: 'form', message, needsSignIn: true };
  if (code === ErrorCodes.ProviderNotFound) return { field: 'agent', message };
  if (code === ErrorCodes.NotFound || code === ErrorCodes.PermissionDenied)
    return { field: 'folder', message };
  return { field: 'form', message };
}
