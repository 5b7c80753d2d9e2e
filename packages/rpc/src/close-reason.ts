/** Cuts a close reason to what a close frame holds: 123 bytes of UTF-8. At 3 bytes a code unit, 41 always fit. */
export function closeReason(reason: string): string {
  return reason.length <= 41 ? reason : reason.replace(/[^\x20-\x7e]/g, '?').slice(0, 123);
}
