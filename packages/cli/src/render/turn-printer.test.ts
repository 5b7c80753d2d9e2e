import { expect, test } from 'vitest';
import { errorText } from './turn-printer.ts';

test.each([
  [undefined, 'the turn failed'],
  [{ errorType: 'hostRestarted', message: 'The host was restarted' }, 'The host was restarted'],
  [{ errorType: 'agentExited', message: '' }, 'the turn failed (agentExited)'],
  [{ errorType: 'demoFailed', message: 'on\npurpose' }, 'on purpose (demoFailed)'],
])('the error %j is printed as %j', (error, text) => {
  expect(errorText(error)).toBe(text);
});
