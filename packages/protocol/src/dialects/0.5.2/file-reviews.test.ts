import { expect, it } from 'vitest';
import type { StateAction } from '../../wire/envelope.ts';
import { dialectOf } from '../chain.ts';

it('[CS-22] reviews of files have an older name at 0.5.2, and none before it', () => {
  const action: StateAction = { type: 'changeset/filesReviewChanged', files: ['a'], reviewed: true };
  expect(dialectOf('0.6.0').actionDown(action, {})).toEqual([action]);
  const older = { type: 'changeset/filesReviewedChanged', fileIds: ['a'], reviewed: true };
  expect(dialectOf('0.5.2').actionDown(action, {})).toEqual([older]);
  expect(dialectOf('0.5.1').actionDown(action, {})).toEqual([]);
  expect(dialectOf('0.5.2').actionUp(older, {})).toEqual(action);
});

it('[CS-22] catalogues do not say at 0.5.2 that files can be reviewed', () => {
  const entry = { label: 'Changes', uriTemplate: 'ahp-changeset:/c', changeKind: 'session' };
  const action = {
    type: 'session/changesetsChanged',
    changesets: [{ ...entry, capabilities: { review: {} } }],
  };
  expect(dialectOf('0.6.0').actionDown(action, {})).toEqual([action]);
  expect(dialectOf('0.5.2').actionDown(action, {})).toEqual([{ ...action, changesets: [entry] }]);
});
