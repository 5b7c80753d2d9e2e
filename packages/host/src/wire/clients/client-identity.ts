import { type ClientIdentityParams, invalidParam, TEXT_LIMITS } from '@agenthost/protocol';

const MAX_LENGTH = TEXT_LIMITS.client.max;

/**
 * Checks what a client calls itself and its life: both are written down, and that for clients that may only look, too. Throws `-32602`.
 */
export function checkClientIdentity({ clientId, 'x-epoch': epoch }: ClientIdentityParams): void {
  // Half a character would be another one in the journal, and so another client's.
  if (clientId.length === 0 || clientId.length > MAX_LENGTH || /[\p{Surrogate}\0]/u.test(clientId)) {
    throw invalidParam(
      'clientId',
      `expected 1 to ${MAX_LENGTH} characters, NUL and halves of characters aside`,
    );
  }
  if (epoch !== undefined && (epoch.length > MAX_LENGTH || /[\p{Surrogate}\0]/u.test(epoch))) {
    throw invalidParam(
      'x-epoch',
      `expected at most ${MAX_LENGTH} characters, NUL and halves of characters aside`,
    );
  }
}
