import { describe, expect, it } from 'vitest';
import { inviteLink, isLoopbackUrl, pageAddress } from './invite-link.ts';

describe('links for another device', () => {
  it.each(['http://127.0.0.1:4711/', 'http://localhost:4711/', 'http://[::1]:4711/', 'http://127.8.0.1/'])(
    'finds that %s is not reachable from elsewhere',
    (url) => expect(isLoopbackUrl(url)).toBe(true),
  );

  it.each([
    'https://192.168.1.7:4711/',
    'https://build.example/',
    'http://[fd00::1]/',
    'http://127.example/',
  ])('takes %s as reachable', (url) => expect(isLoopbackUrl(url)).toBe(false));

  it('reads a typed address', () => {
    const own = 'https://build.example/';
    expect(pageAddress(' build.example:4711 ', own)).toBe('https://build.example:4711/');
    expect(pageAddress('http://192.168.1.7:4711/agents?x=1', own)).toBe('http://192.168.1.7:4711/agents/');
    expect(pageAddress('ftp://x', own)).toBeUndefined();
    expect(pageAddress('javascript://x', own)).toBeUndefined();
    expect(pageAddress('', own)).toBeUndefined();
  });

  it.each([
    ['192.168.1.20', 'http://192.168.1.20:4755/'],
    ['192.168.1.20:80', 'http://192.168.1.20/'],
    ['[fd00::1]', 'http://[fd00::1]:4755/'],
    ['build.example/agents', 'http://build.example:4755/agents/'],
    ['https://build.example', 'https://build.example/'],
  ])('completes %s with the scheme and port of the page', (typed, address) => {
    expect(pageAddress(typed, 'http://127.0.0.1:4755/')).toBe(address);
  });

  it('adds the token, keeping the base path', () => {
    expect(inviteLink('https://build.example/agents/', 'aht_a')).toBe(
      'https://build.example/agents/?token=aht_a',
    );
  });
});
