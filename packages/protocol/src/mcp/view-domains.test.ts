import { expect, test } from 'vitest';
import { viewDomains } from './view-domains.ts';

test('[MCP-2] a view reaches encrypted origins with public names, and nothing else that it names', () => {
  expect(
    viewDomains({
      connectDomains: ['https://API.example.org/', 'wss://live.example.org:8443', 'https://api.example.org'],
      resourceDomains: ['https://*.example.org', 'wss://live.example.org'],
      frameDomains: ['https://frames.example.org'],
    }),
  ).toEqual({
    connect: ['https://api.example.org', 'wss://live.example.org:8443'],
    resource: ['https://*.example.org'],
  });
  const hostile = [
    ...[
      'http://example.org',
      'ws://example.org',
      'example.org',
      'https:',
      'https://',
      '*',
      'https://*',
      "'self'",
    ],
    ...['https://*.org', 'https://a.*.org', 'https://**.example.org', 'data:', 'blob:', 'https://example'],
    ...['https://127.0.0.1', 'https://[::1]', 'https://2130706433', 'https://0x7f.1', 'https://localhost:1'],
    ...['https://printer.local', 'https://a.localhost', 'https://vault.internal', 'https://router.home.arpa'],
    ...[
      'https://user@example.org',
      'https://example.org/path',
      'https://example.org?x',
      'https://example.org#x',
    ],
    ...[
      'https://example.org; script-src *',
      'https://example.org *',
      'https://example.org\n',
      ' https://example.org',
    ],
    ...['https://example.org:0', 'https://example.org:65536', 'https://example.org:', 'https://-a.org'],
    ...['https://exämple.org', `https://${'a.'.repeat(200)}org`, 1, null, {}, ['https://example.org']],
  ];
  expect(viewDomains({ connectDomains: hostile, resourceDomains: hostile })).toEqual({
    connect: [],
    resource: [],
  });
  for (const csp of [undefined, null, 'https://example.org', [], { connectDomains: 'https://example.org' }])
    expect(viewDomains(csp)).toEqual({ connect: [], resource: [] });
  const many = Array.from({ length: 40 }, (_, index) => `https://n${index}.example.org`);
  expect(viewDomains({ connectDomains: many }).connect).toEqual(many.slice(0, 16));
});
