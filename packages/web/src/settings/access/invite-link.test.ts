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
    expect(pageAddress(' build.example:4711 ')).toBe('https://build.example:4711/');
    expect(pageAddress('http://192.168.1.7:4711/agents?x=1')).toBe('http://192.168.1.7:4711/agents/');
    expect(pageAddress('ftp://x')).toBeUndefined();
    expect(pageAddress('javascript://x')).toBeUndefined();
    expect(pageAddress('')).toBeUndefined();
  });

  it('adds the token, keeping the base path', () => {
    expect(inviteLink('https://build.example/agents/', 'aht_a')).toBe(
      'https://build.example/agents/?token=aht_a',
    );
  });
});
