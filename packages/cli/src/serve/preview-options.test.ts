import { expect, test } from 'vitest';
import { previewsOf } from './preview-options.ts';

const HERE = '127.0.0.1';

test.each([
  [{ host: HERE }, undefined],
  [{ host: HERE, previewPort: 'off' }, false],
  [{ host: HERE, previewPort: '4720' }, { port: 4720 }],
  [{ host: HERE, previewPort: '0' }, { port: 0 }],
  [
    { host: '0.0.0.0', previewPort: '4720-4739' },
    { port: 4720, lastPort: 4739 },
  ],
  [
    { host: HERE, previewHost: '*.p.example' },
    { port: 0, host: '*.p.example' },
  ],
])('%j', (typed, options) => {
  expect(previewsOf(typed)).toEqual(options);
});

test.each([
  [
    { host: HERE, previewPort: 'x' },
    '--preview-port: expected off, a port, or a range such as 4720-4739, got x',
  ],
  [{ host: '0.0.0.0', previewPort: '9-3' }, '--preview-port: expected off, a port, or a range'],
  [{ host: '0.0.0.0', previewPort: '70000' }, '--preview-port: expected off, a port, or a range'],
  [{ host: '0.0.0.0', previewPort: '0' }, 'other than 0'],
  [{ host: HERE, previewPort: '1-2' }, 'share one port'],
  [{ host: HERE, previewPort: '1-2', previewHost: '*.a' }, 'share one port'],
  [{ host: HERE, previewPort: 'off', previewHost: '*.a' }, '--preview-host: there are no previews'],
  [{ host: HERE, previewHost: 'p.example' }, '--preview-host: expected a pattern'],
])('%j is refused', (typed, message) => {
  expect(() => previewsOf(typed)).toThrow(message);
});
