/**
 * Bits of a session's or chat's `status`. Bits 0–4 say what it does now and are exclusive; higher ones are
 * independent of that and of each other, and unknown ones are kept [SESS-4].
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

/** Masks what a session or chat does now, bits 0–4 of its status [SESS-4]. */
export const ACTIVITY_MASK = 31;
