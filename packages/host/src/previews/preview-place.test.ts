import { expect, test } from 'vitest';
import { isPreviewHost, previewPlace } from './preview-place.ts';

test.each([
  ['127.0.0.1', undefined, { kind: 'names', port: 0, suffix: '.localhost' }],
  ['::1', { port: 4720 }, { kind: 'names', port: 4720, suffix: '.localhost' }],
  ['0.0.0.0', undefined, undefined],
  ['127.0.0.1', false, undefined],
  ['0.0.0.0', { port: 4720, lastPort: 4739 }, { kind: 'ports', from: 4720, to: 4739 }],
  ['10.0.0.1', { port: 4720 }, { kind: 'ports', from: 4720, to: 4720 }],
  ['0.0.0.0', { port: 1, host: '*.P.example' }, { kind: 'names', port: 1, suffix: '.p.example' }],
  [
    '127.0.0.1',
    { port: 1, host: 'https://*.p.example' },
    { kind: 'names', port: 1, suffix: '.p.example', scheme: 'https', publicPort: '' },
  ],
  [
    '127.0.0.1',
    { port: 1, host: '*.p.example:8443' },
    { kind: 'names', port: 1, suffix: '.p.example', publicPort: '8443' },
  ],
] as const)('a host on %s with previews %j', (host, options, place) => {
  expect(previewPlace(host, options)).toEqual(place);
});

test.each([
  ['0.0.0.0', {}, 'listen.previews.port: expected a port'],
  ['0.0.0.0', { port: 5, lastPort: 4 }, 'expected ports from 0 to 65535'],
  ['127.0.0.1', { port: 70_000 }, 'expected ports from 0 to 65535'],
  ['127.0.0.1', { port: 1, lastPort: 2 }, 'share one port'],
  ['127.0.0.1', { host: 'p.example' }, 'expected a pattern'],
])('options that are invalid: %s %j', (host, options, message) => {
  expect(() => previewPlace(host, options)).toThrow(message);
});

test.each(['*', 'a.*.b', '*.a/b', 'ftp://*.a', '*.a:x', '**.a', '*.', ''])('%j is no pattern', (text) => {
  expect(isPreviewHost(text)).toBe(false);
});
