import { afterEach, expect, test, vi } from 'vitest';
import { forgetHost, OF_OWN_HOST } from './forget-host.ts';

/** A `Storage` whose own properties are its items, as in browsers. */
function storageOf(...keys: readonly string[]): Storage {
  const items: Record<string, string> = Object.fromEntries(keys.map((key) => [key, '1']));
  const methods = { removeItem: { value: (key: string) => void delete items[key] } };
  return Object.defineProperties(items, methods) as unknown as Storage;
}

afterEach(() => vi.unstubAllGlobals());

test('a browser that signs out keeps no text that was written, of this host only', () => {
  vi.stubGlobal('document', { baseURI: 'https://example.org/' });
  const others = [
    'agenthost.theme',
    'agenthost.draft.other ahp-chat:/1',
    'agenthost.life.0.other',
    'agenthost./agents/.draft.own ahp-chat:/1',
  ];
  const own = [
    'agenthost.draft.own ahp-chat:/1',
    'agenthost.life.0.own',
    'agenthost.life.15.own',
    'agenthost.newSession.message',
  ];
  const storage = storageOf(...own, ...others);
  forgetHost(storage, 'own', OF_OWN_HOST);
  expect(Object.keys(storage)).toEqual(others);
});

test('hosts below several base paths of one origin keep their data apart', () => {
  vi.stubGlobal('document', { baseURI: 'https://example.org/agents/' });
  const storage = storageOf('agenthost.life.0.own', 'agenthost./agents/.life.0.own');
  forgetHost(storage, 'own', OF_OWN_HOST);
  expect(Object.keys(storage)).toEqual(['agenthost.life.0.own']);
});
