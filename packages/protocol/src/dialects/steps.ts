import { step040 } from './0.4.0/step.ts';
import { step050 } from './0.5.0/step.ts';
import { step051 } from './0.5.1/step.ts';
import { step052 } from './0.5.2/step.ts';
import { step060 } from './0.6.0/step.ts';
import { step070 } from './0.7.0/step.ts';
import { step080 } from './0.8.0/step.ts';
import { step090 } from './0.9.0/step.ts';
import type { Step } from './step.ts';

/** The chain from version 1.0 down: each step leads to the next older version. */
export const STEPS: readonly Step[] = [
  step090,
  step080,
  step070,
  step060,
  step052,
  step051,
  step050,
  step040,
];
