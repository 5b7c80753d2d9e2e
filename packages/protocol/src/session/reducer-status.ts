import { ACTIVITY_MASK, SessionStatus } from './status.ts';

// A status is any non-negative integer. Unknown bits are kept, including those beyond the 32 of JavaScript's
// bitwise operators: `&` reads the low bits exactly, and changes use arithmetic.

/** Bits 0–4 of a status [SESS-4]. */
export function activityOf(status: SessionStatus): number {
  return status & ACTIVITY_MASK;
}

/** The status with other activity bits; all other bits stay [SESS-4]. */
export function withActivity(status: SessionStatus, activity: number): SessionStatus {
  return status - activityOf(status) + activity;
}

/** The status with one bit set or cleared; all other bits stay [SESS-4]. */
export function withFlag(status: SessionStatus, flag: number, isSet: boolean): SessionStatus {
  const wasSet = (status & flag) !== 0;
  if (wasSet === isSet) return status;
  return isSet ? status + flag : status - flag;
}

/** Whether the activity bits say that a person has to answer. */
export function isInputNeeded(status: SessionStatus): boolean {
  return (status & SessionStatus.InputNeeded) === SessionStatus.InputNeeded;
}

/** Whether the activity bits say that a turn runs. */
export function isInProgress(status: SessionStatus): boolean {
  return (status & SessionStatus.InProgress) !== 0;
}

/** Whether the activity bits say that the last turn failed. */
export function isError(status: SessionStatus): boolean {
  return (status & SessionStatus.Error) !== 0;
}

const INPUT_BIT = SessionStatus.InputNeeded - SessionStatus.InProgress;

/** The status with InputNeeded replaced by InProgress; any other activity stays. */
export function withoutInputBit(status: SessionStatus): SessionStatus {
  return withFlag(status, INPUT_BIT, false);
}
