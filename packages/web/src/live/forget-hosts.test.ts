import { afterEach, expect, test, vi } from 'vitest';
import { forgetAllHosts, forgetHosts } from './forget-hosts.ts';

/** A `Storage` whose own properties are its items, as in browsers. */
function storageOf(...keys: readonly string[]): Storage {
  const items: Record<string, string> = Object.fromEntries(keys.map((key) => [key, '1']));
  const methods = { removeItem: { value: (key: string) => void delete items[key] } };
  return Object.defineProperties(items, methods) as unknown as Storage;
}

afterEach(() => vi.unstubAllGlobals());

test('a browser that signs out keeps no text that was written, no host and no token', () => {
  vi.stubGlobal('document', { baseURI: 'https://example.org/' });
  const others = ['agenthost.theme', 'agenthost./agents/.draft.own ahp-chat:/1', 'agenthost./agents/.hosts'];
  const own = [
    'agenthost.draft.own ahp-chat:/1',
    'agenthost.draft.other ahp-chat:/1',
    'agenthost.life.0.own',
    'agenthost.life.15.other',
    'agenthost.life.tab.own',
    'agenthost.newSession.message',
    'agenthost.hosts',
  ];
  const storage = storageOf(...own, ...others);
  forgetAllHosts(storage);
  expect(Object.keys(storage)).toEqual(others);
});

test('a host that is removed leaves no draft and no unanswered action; the other hosts keep theirs', () => {
  vi.stubGlobal('document', { baseURI: 'https://example.org/' });
  const kept = ['agenthost.draft.own ahp-chat:/1', 'agenthost.life.0.b2', 'agenthost.hosts'];
  const storage = storageOf('agenthost.draft.a1 ahp-chat:/1', 'agenthost.life.0.a1', ...kept);
  forgetHosts(storage, ['own', 'b2']);
  expect(Object.keys(storage)).toEqual(kept);
});

test('hosts below several base paths of one origin keep their data apart', () => {
  vi.stubGlobal('document', { baseURI: 'https://example.org/agents/' });
  const storage = storageOf('agenthost.life.0.own', 'agenthost./agents/.life.0.own');
  forgetAllHosts(storage);
  expect(Object.keys(storage)).toEqual(['agenthost.life.0.own']);
});
