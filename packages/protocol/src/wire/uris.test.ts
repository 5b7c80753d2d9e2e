import { describe, expect, it } from 'vitest';
import {
  annotationsUri,
  CHANNEL_SCHEMES,
  channelUri,
  isAcceptableUri,
  isValidProviderId,
  kindOfScheme,
  MAX_URI_LENGTH,
  parseResourceUri,
  ROOT_URI,
  sessionOfAnnotations,
} from './uris.ts';

describe('isAcceptableUri', () => {
  it.each([
    ['ahp-session:/5f3c', 'session'],
    ['AHP-Session:/5f3c', 'session'],
    ['copilot:/1d0e-77', 'session'],
    ['https://example.org/s/1?x=y#z', 'session'],
    ['ahp-chat:/a', 'chat'],
    ['urn:uuid:1d0e', 'chat'],
    ['ahp-terminal:/a', 'terminal'],
    ['ahp-terminal:/annotations/a', 'terminal'],
    ['ahp-session:/\u{1f600}', 'session'],
  ] as const)('takes %s for a %s', (uri, kind) => {
    expect(isAcceptableUri(uri, kind)).toBe(true);
  });

  it.each([
    ['', 'session'],
    ['session-1', 'session'],
    ['/session/1', 'session'],
    ['1x:/a', 'session'],
    ['x:', 'session'],
    ['x:/a b', 'session'],
    ['x:/a\u0000', 'session'],
    ['x:/a\n', 'session'],
    ['ahp-chat:/a', 'session'],
    ['ahp-session:/a', 'chat'],
    ['ahp-session:/a', 'terminal'],
    ['AHP-CHAT:/a', 'terminal'],
    ['ahp-root://', 'session'],
    ['ahp-otlp:/a', 'session'],
    ['mcp://a', 'chat'],
    ['ahp-changeset:/a', 'terminal'],
    ['ahp-resource-watch:/a', 'terminal'],
    ['ahp-session:/a/annotations', 'session'],
    ['copilot:/a/annotations', 'session'],
    ['ahp-session:/a\ud800', 'session'],
    ['ahp-session:/\udc00b', 'session'],
    ['ahp-session:/a\ude00\ud83db', 'session'],
  ] as const)('refuses %j for a %s', (uri, kind) => {
    expect(isAcceptableUri(uri, kind)).toBe(false);
  });

  it('accepts a URI of 512 characters and refuses a longer one', () => {
    const longest = 'x:/'.padEnd(512, 'a');
    expect(MAX_URI_LENGTH).toBe(512);
    expect(isAcceptableUri(longest, 'chat')).toBe(true);
    expect(isAcceptableUri(`${longest}a`, 'chat')).toBe(false);
  });

  it.each(['session', 'chat', 'terminal'] as const)('accepts the result of channelUri for a %s', (kind) => {
    expect(isAcceptableUri(channelUri(kind, '1'), kind)).toBe(true);
  });
});

describe('kindOfScheme', () => {
  it('knows the scheme of every kind of channel', () => {
    const found = Object.values(CHANNEL_SCHEMES).map((scheme) => kindOfScheme(`${scheme}:/x`));
    expect(found).toEqual(Object.keys(CHANNEL_SCHEMES));
    expect(kindOfScheme(ROOT_URI)).toBe('root');
  });

  it('returns nothing for other schemes and invalid URIs', () => {
    expect(['copilot:/1', 'file:///a', 'nothing', ''].map(kindOfScheme)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('parseResourceUri', () => {
  it('splits at the first colon and keeps the rest unchanged', () => {
    expect(parseResourceUri('Urn:ISBN:0-395%20#x')).toEqual({ scheme: 'urn', rest: 'ISBN:0-395%20#x' });
  });
});

describe('annotations', () => {
  it('[ANN-1] have a URI below their session, from which the session follows', () => {
    expect(annotationsUri('ahp-session:/a')).toBe('ahp-session:/a/annotations');
    expect(sessionOfAnnotations('ahp-session:/a/annotations')).toBe('ahp-session:/a');
    expect(sessionOfAnnotations('ahp-session:/a')).toBeUndefined();
  });
});

describe('lone surrogates', () => {
  it.each(['ahp-session:/a\ud800', 'ahp-session:/\udc00', 'demo:/\ud800\ud800'])(
    'are refused in a URI, because two such URIs could collide on disk: %j',
    (uri) => {
      expect(isAcceptableUri(uri, 'session')).toBe(false);
    },
  );

  it('do not include the surrogates of a pair', () => {
    expect(isAcceptableUri('ahp-session:/\ud83d\ude00', 'session')).toBe(true);
  });
});

describe('isValidProviderId', () => {
  it.each(['demo', 'claude-code', 'a', 'x.y+z-1'])('accepts %s', (id) => {
    expect(isValidProviderId(id)).toBe(true);
  });

  it.each(['', 'Demo', '1a', '-a', 'a_b', 'a b', 'a\n', 'ahp-session', 'ahp-chat', 'mcp', 'ahp-otlp'])(
    'refuses %j',
    (id) => {
      expect(isValidProviderId(id)).toBe(false);
    },
  );
});
