import { expect, it } from 'vitest';
import { resourceWatchReducer } from './reducer.ts';
import type { ResourceWatchState } from './state.ts';

it('[WATCH-1] a batch of changes is an event and does not change the state', () => {
  const state: ResourceWatchState = { root: 'file:///w', recursive: true };
  const changes = { items: [{ uri: 'file:///w/a', type: 'added' as const }] };
  expect(resourceWatchReducer(state, { type: 'resourceWatch/changed', changes })).toBe(state);
});
