import { describe, expect, it } from 'vitest';
import { lineOf, negotiateVersion, PROTOCOL_VERSION, SUPPORTED_RANGES, VERSION_LINES } from './versions.ts';

describe('negotiateVersion', () => {
  it.each([
    [['0.5.2'], '0.5.2'],
    [['0.4.0'], '0.4.0'],
    [['0.5.0', '0.5.2', '0.5.1'], '0.5.2'],
    [['0.9.0', '1.0.0'], '1.0.0'],
    [['1.2.0', '1.10.0', '1.9.9'], '1.10.0'],
    [['1.7.3'], '1.7.3'],
    [['2.0.0', '0.9.4', '0.8.0'], '0.9.4'],
    [['0.10.0', '0.9.0', '0.7.0'], '0.9.0'],
  ])('[NEG-1] [NEG-2] of %j it picks the highest in a range of the host, as offered', (offered, version) => {
    expect(negotiateVersion(offered)).toEqual({ ok: true, version });
  });

  it.each([
    [[null, 5, '', 'latest', '0.5', '0.5.2']],
    [['0.5.2', '0.5.2 ', '00.5.2', '0.5.2.1', '1.0.0-rc.1', '1.0.0+build']],
    [[{ version: '0.5.1' }, ['0.5.1'], '0.5.2']],
  ])('[NEG-4] it skips the malformed entries of %j', (offered) => {
    expect(negotiateVersion(offered)).toEqual({ ok: true, version: '0.5.2' });
  });

  it.each([[[]], [['latest']], [['0.5', 'v0.5.2', '0.5.2\n', 7, null]], [['1.0.0-beta']]])(
    '[NEG-4] it calls %j malformed as a whole',
    (offered) => {
      expect(negotiateVersion(offered)).toEqual({ ok: false, reason: 'malformed' });
    },
  );

  it.each([[['0.3.0']], [['0.10.0']], [['2.0.0', 'nonsense']], [['0.0.9']]])(
    '[NEG-5] it calls %j unsupported',
    (offered) => {
      expect(negotiateVersion(offered)).toEqual({ ok: false, reason: 'unsupported' });
    },
  );
});

describe('lineOf', () => {
  it.each([
    ['1.0.0', '1.0.0'],
    ['1.7.3', '1.0.0'],
    ['0.9.7', '0.9.0'],
    ['0.5.0', '0.5.0'],
    ['0.5.1', '0.5.1'],
    ['0.5.9', '0.5.2'],
    ['0.4.3', '0.4.0'],
    ['0.10.0', undefined],
    ['2.0.0', undefined],
    ['x', undefined],
  ])('[NEG-3] %s has the shapes of %s', (version, line) => {
    expect(lineOf(version)).toBe(line);
  });

  it('lists the version of the types first', () => {
    expect(VERSION_LINES[0]).toBe(PROTOCOL_VERSION);
    expect(SUPPORTED_RANGES.every((range) => lineOf(range.slice(1)) !== undefined)).toBe(true);
  });
});
