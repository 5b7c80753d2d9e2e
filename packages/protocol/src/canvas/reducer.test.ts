import { expect, it } from 'vitest';
import { canvasReducer } from './reducer.ts';

it('[CANVAS-1] the state of a canvas is replaced as a whole', () => {
  const before = { instanceId: 'i', extensionId: 'e', canvasId: 'c', url: 'https://example.org' };
  const canvas = { instanceId: 'i', extensionId: 'e', canvasId: 'c', title: 'Board' };
  expect(canvasReducer(before, { type: 'canvas/stateChanged', canvas })).toStrictEqual(canvas);
  expect(canvasReducer(before, { type: 'canvas/stateChanged', canvas: { ...before } })).toBe(before);
});
