/**
 * Bits of a session's or chat's `status`. Bits 0–4 are the present activity and exclusive. Higher bits are
 * independent, and unknown bits are kept [SESS-4].
 */
export const SessionStatus = {
  Idle: 1,
  Error: 2,
  InProgress: 8,
  /** Includes `InProgress`: a turn waits for a person. */
  InputNeeded: 24,
  IsRead: 32,
  IsArchived: 64,
} as const;

/**
 * A sum of the bits in the constant of the same name, and of bits that a newer peer may know.
 * @asType integer
 * @minimum 0
 */
export type SessionStatus = number;

/** Mask of the present activity: bits 0–4 of a status [SESS-4]. */
export const ACTIVITY_MASK = 31;
