import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { FrameEntry } from '../recording/entry.ts';
import { readRecording } from '../recording/read-recording.ts';
import { schemaOf } from './definitions.ts';
import { STANDING_RULES } from './standing-rules.ts';

const shared = fileURLToPath(new URL('../../../../../shared', import.meta.url));
const capture = `${shared}/vscode-captures/host-0.9.0.ndjson`;

/** The frames of each connection of a recording without numbers of connections: each begins with a handshake. */
function connectionsIn(file: string): FrameEntry[][] {
  const connections: FrameEntry[][] = [];
  for (const entry of readRecording(readFileSync(file, 'utf8'))) {
    if (!('direction' in entry)) continue;
    if (entry.direction === 'client-to-host' && entry.message?.['method'] === 'initialize')
      connections.push([]);
    connections.at(-1)?.push(entry);
  }
  return connections;
}

test.skipIf(!existsSync(capture))(
  '[CONN-9] the frames of the host of VS Code fit the rules and the schema of 0.9.0',
  () => {
    const schema = schemaOf('0.9.0', `${shared}/protocol`);
    expect(schema?.has('SubscribeResult')).toBe(true);
    const connections = connectionsIn(capture);
    expect(connections.length).toBeGreaterThan(5);
    for (const rule of STANDING_RULES)
      for (const frames of connections) expect(rule.broken(frames, schema)).toBeUndefined();
  },
);

test('[WIRE-22] [CONN-9] unknown members of unions pass, wrong types do not', () => {
  const schema = schemaOf('1.0.0');
  const envelope = (action: object) => ({ channel: 'ahp-session:/s', serverSeq: 1, action });
  const misfit = (action: object) => schema?.misfitOf('ActionEnvelope', envelope(action), 'params');
  expect(misfit({ type: 'session/titleChanged', title: 'a' })).toBeUndefined();
  expect(misfit({ type: 'session/kitFuture' })).toBeUndefined();
  expect(misfit({ type: 'session/titleChanged', title: 5 })).toEqual({
    path: 'params.action.title',
    problem: 'must be string, is a number',
  });
  expect(misfit({ type: 'session/titleChanged' })).toEqual({
    path: 'params.action.title',
    problem: 'is required',
  });
});
