import { dropping } from '../reshape.ts';
import type { Reshaping } from '../step.ts';

/** A terminal did not say whether its program has a pty. */
export const ptys: Reshaping = { down: { shapes: { TerminalState: dropping('isPty') } } };
