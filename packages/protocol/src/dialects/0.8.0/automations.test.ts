import { expect, it } from 'vitest';
import type { StateAction } from '../../wire/envelope.ts';
import { dialectOf } from '../chain.ts';
import { StateNeeded } from '../reshape.ts';

const [v09, old] = [dialectOf('0.9.0'), dialectOf('0.8.0')];

it('[AUTO-1] there are no automations before 0.9', () => {
  const removed: StateAction = { type: 'automation/removed', resource: 'ahp-automation:/a' };
  expect([v09, old].map((one) => one.actionDown(removed, {}).length)).toEqual([1, 0]);
  expect([v09, old].map((one) => one.hasCommand('runAutomation'))).toEqual([true, false]);
  expect([v09, old].map((one) => one.hasChannel('automationRun'))).toEqual([true, false]);
  const result = { protocolVersion: '0.8.0', serverSeq: 0, snapshots: [], automations: {} };
  expect(old.resultDown('initialize', result, {})).not.toHaveProperty('automations');
});

it('[RUN-4] sessions of automations have no origin, and their messages are notices before 0.9', () => {
  const origin = { kind: 'automation', automation: 'ahp-automation:/a', run: 'ahp-automation-run:/r' };
  const summary = { resource: 'ahp-session:/s', title: '', origin };
  const added = { channel: 'ahp-root://', summary };
  expect(old.notificationDown('root/sessionAdded', added, {})?.summary).toEqual({
    resource: 'ahp-session:/s',
    title: '',
  });
  const started = {
    type: 'chat/turnStarted',
    turnId: 't',
    message: { text: 'Go', origin: { kind: 'automation' } },
  };
  expect(v09.actionDown(started, {})).toEqual([started]);
  expect(old.actionDown(started, {})).toMatchObject([
    { message: { origin: { kind: 'systemNotification' } } },
  ]);
});

it('[CS-21] new content carries the error that stays before 0.9', () => {
  const content: StateAction = { type: 'changeset/contentChanged', files: [] };
  const error = { errorType: 'x', message: 'x' };
  expect(old.actionDown(content, { after: { status: 'error', files: [], error } })).toEqual([
    { ...content, error },
  ]);
  expect(old.actionDown(content, { after: { status: 'ready', files: [] } })).toEqual([content]);
  expect(() => old.actionDown(content, {})).toThrow(StateNeeded);
});
