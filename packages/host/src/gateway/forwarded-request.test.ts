import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { forwardedHeaders, forwardedPath } from './forwarded-request.ts';

const headers = {
  Host: 'agents.example.org',
  Origin: 'https://agents.example.org',
  Connection: 'Upgrade, X-Hop',
  Upgrade: 'websocket',
  'X-Hop': '1',
  'X-Forwarded-For': '6.6.6.6',
  'X-Forwarded-Prefix': '/forged',
  Authorization: 'Bearer given',
  'X-Agenthost-Public-Host': 'forged.example',
  Cookie:
    'a=1; agenthost_gateway=secret; agenthost_gateway_4710=x; __Host-agenthost_gateway_1=y; my_agenthost_gateway=3; b=2',
  'Sec-WebSocket-Key': 'key',
};
// oxlint-disable-next-line typescript/consistent-type-assertions -- only these members are read
const request = {
  url: '/h/team/ahp?token=given&x=%2F&tkn=given#f',
  rawHeaders: Object.entries(headers).flat(),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
} as IncomingMessage;

const sent = (token: string | undefined): Record<string, string> => {
  const raw = forwardedHeaders(request, {
    authority: 'machine:4711',
    prefix: '/h/team',
    view: {
      path: '/h/team/ahp',
      base: '',
      host: 'agents.example.org',
      publicHost: 'agents.example.org',
      isSecure: true,
      address: '10.0.0.7',
      isHostForwarded: false,
      isDirect: true,
    },
    token,
  });
  return Object.fromEntries(raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : [])));
};

const own = {
  Host: 'machine:4711',
  'Sec-WebSocket-Key': 'key',
  'X-Forwarded-For': '10.0.0.7',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Prefix': '/h/team',
  'x-agenthost-public-host': 'agents.example.org',
};

test('[AUTH-1] a host gets the token of the gateway in place of all credentials, or those of the client without the cookies of gateways', () => {
  expect(sent('host token')).toEqual({ ...own, Authorization: 'Bearer host token' });
  expect(forwardedPath(request, '/ahp', 'host token')).toBe('/ahp?x=%2F');
  expect(sent(undefined)).toEqual({
    ...own,
    Authorization: 'Bearer given',
    Cookie: 'a=1; my_agenthost_gateway=3; b=2',
  });
  expect(forwardedPath(request, '/ahp', undefined)).toBe('/ahp?token=given&x=%2F&tkn=given');
});
