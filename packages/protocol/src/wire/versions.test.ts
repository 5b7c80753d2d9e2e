import { describe, expect, it } from 'vitest';
import { ACTION_CHANNEL, isActionType } from './channels.ts';
import {
  isActionKnownAt,
  isResponsePartKnownAt,
  negotiateVersion,
  PROTOCOL_VERSION,
  SUPPORTED_VERSIONS,
} from './versions.ts';

const newerThan = (version: (typeof SUPPORTED_VERSIONS)[number]) =>
  Object.keys(ACTION_CHANNEL).filter((type) => isActionType(type) && !isActionKnownAt(type, version));

describe('negotiateVersion', () => {
  it.each([
    [['0.5.2'], '0.5.2'],
    [['0.5.0'], '0.5.0'],
    [['0.5.0', '0.5.2', '0.5.1'], '0.5.2'],
    [['1.0.0', '0.5.1', '0.6.0', '0.4.0'], '0.5.1'],
  ])('[CONN-1] of %j it picks the highest that the host speaks', (offered, version) => {
    expect(negotiateVersion(offered)).toEqual({ ok: true, version });
  });

  it.each([
    [[null, 5, '', 'latest', '0.5', '0.5.2']],
    [['0.5.2', '0.5.2 ', '00.5.2', '0.5.2.1']],
    [[{ version: '0.5.1' }, ['0.5.1'], '0.5.2']],
  ])('[CONN-1] it skips the malformed entries of %j', (offered) => {
    expect(negotiateVersion(offered)).toEqual({ ok: true, version: '0.5.2' });
  });

  it.each([[[]], [['latest']], [['0.5', 'v0.5.2', '0.5.2\n', 7, null]]])(
    '[CONN-1] it calls %j malformed as a whole',
    (offered) => {
      expect(negotiateVersion(offered)).toEqual({ ok: false, reason: 'malformed' });
    },
  );

  it.each([[['0.4.0']], [['0.6.0', '1.0.0']], [['nonsense', '2.0.0-rc.1+build']], [['0.5.2-beta']]])(
    '[CONN-1] it calls %j unsupported',
    (offered) => {
      expect(negotiateVersion(offered)).toEqual({ ok: false, reason: 'unsupported' });
    },
  );

  it('lists the version of the types first', () => {
    expect(SUPPORTED_VERSIONS).toEqual(['0.5.2', '0.5.1', '0.5.0']);
    expect(PROTOCOL_VERSION).toBe(SUPPORTED_VERSIONS[0]);
  });
});

describe('actions and parts newer than a version', () => {
  it('[CONN-9] 0.5.2 knows every action', () => {
    expect(newerThan('0.5.2')).toEqual([]);
  });

  it('[CONN-9] 0.5.1 lacks MCP start and stop requests and reviewed files', () => {
    expect(newerThan('0.5.1').toSorted()).toEqual([
      'changeset/filesReviewedChanged',
      'session/mcpServerStartRequested',
      'session/mcpServerStopRequested',
    ]);
  });

  it('[CONN-9] 0.5.0 also lacks the input needed of a session, and loaded turns', () => {
    expect(newerThan('0.5.0').toSorted()).toEqual([
      'changeset/filesReviewedChanged',
      'chat/turnsLoaded',
      'session/inputNeededRemoved',
      'session/inputNeededSet',
      'session/mcpServerStartRequested',
      'session/mcpServerStopRequested',
    ]);
  });

  it('[CONN-9] input request parts are known from 0.5.2 on, other parts always', () => {
    expect(SUPPORTED_VERSIONS.map((version) => isResponsePartKnownAt('inputRequest', version))).toEqual([
      true,
      false,
      false,
    ]);
    expect(isResponsePartKnownAt('markdown', '0.5.0')).toBe(true);
  });
});
