/** Identities of the versions of a draft; see `draftKey`. */
export interface DraftVersions {
  /** What this field has. */
  readonly local: string;
  /** What this field and the host last had in common. */
  readonly base: string;
  /** What the host has; empty: no draft. */
  readonly remote: string;
  /** A person writes in this field now. */
  readonly isWriting: boolean;
  /** The host's draft went away because a message with the common text was sent. */
  readonly wasSent: boolean;
}

/**
 * What a field does with a change of the shared draft.
 * - `same`: both have the same.
 * - `keep`: the field has changes that the host will get.
 * - `adopt`: the field takes the host's draft.
 * - `offer`: two people write; the person here decides.
 */
export type DraftDecision = 'same' | 'keep' | 'adopt' | 'offer';

/** Decides about a change of the shared draft [CHAT-14]. Text that a person writes here is never replaced. */
export function mergeDraft({ local, base, remote, isWriting, wasSent }: DraftVersions): DraftDecision {
  if (remote === local) return 'same';
  if (remote === base) return 'keep';
  const isUntouched = local === base;
  if (remote === '') return isUntouched && (wasSent || !isWriting) ? 'adopt' : 'keep';
  if (isWriting) return 'offer';
  return isUntouched || local === '' ? 'adopt' : 'offer';
}
