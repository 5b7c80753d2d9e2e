import { expect, test } from 'vitest';
import { offeredOptions } from './offered-options.ts';
import type { ConfirmationOption } from './tool-call.ts';

const once: ConfirmationOption = { id: 'once', label: 'Yes', kind: 'approve' };
const always: ConfirmationOption = { id: 'always', label: 'Always', kind: 'approve', 'x-lasting': true };
const deny: ConfirmationOption = { id: 'no', label: 'No', kind: 'deny' };
const never: ConfirmationOption = { id: 'never', label: 'Never', kind: 'deny', 'x-lasting': true };

test.each([
  [[once, always, deny, never], { options: [once, deny], canApprove: true }],
  [[always, deny, never], { options: [deny], canApprove: false }],
  [[always], { options: [], canApprove: false }],
  [[deny], { options: [deny], canApprove: true }],
  [undefined, { options: undefined, canApprove: true }],
])('[AUTH-1] without a scope on the host, no answer covers later calls: %#', (options, offered) => {
  expect(offeredOptions(options, 'none')).toEqual(offered);
  expect(offeredOptions(options, 'interact')).toEqual({ options, canApprove: true });
});
