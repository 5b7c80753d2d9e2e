import { describe, expect, test } from 'vitest';
import { pathOfFileUrl } from './control-strings.ts';

describe('the path of a file URL', () => {
  test.each(['', 'localhost', 'LOCALHOST', 'build-7', 'Build-7', 'build-7.lan', 'build-7.example.org'])(
    'is taken from host %j on the machine build-7',
    (host) => {
      expect(pathOfFileUrl(`file://${host}/tmp`, 'build-7')).toBe('/tmp');
      expect(pathOfFileUrl(`file://${host}/tmp`, 'build-7.example.org')).toBe('/tmp');
    },
  );

  test.each(['build-70', 'build', 'localhost.example.org', 'other'])('is not taken from host %j', (host) => {
    expect(pathOfFileUrl(`file://${host}/tmp`, 'build-7')).toBeUndefined();
  });
});
