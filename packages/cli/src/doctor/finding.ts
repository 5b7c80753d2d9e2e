/** The result of one check. `fault`: something does not work; `warning`: something may fail or is missing. */
export interface Finding {
  /** Name of the checked thing, in one word, such as `disk`. */
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'fault';
  /** The state of the thing, for a person. */
  readonly detail: string;
  /** What to do. Absent: nothing. */
  readonly hint?: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail });

export const warning = (check: string, detail: string, hint: string): Finding => ({
  check,
  state: 'warning',
  detail,
  hint,
});

export const fault = (check: string, detail: string, hint: string): Finding => ({
  check,
  state: 'fault',
  detail,
  hint,
});
