import { expect, test } from 'vitest';
import { redactText } from './redact.ts';

const SECRET = 'hunter2-and-more';

test.each([
  ['a parameter of a URL', `GET https://host/x?a=1&access_token=${SECRET}&b=2`],
  ['another one', `ws://127.0.0.1:4711/?tkn=${SECRET}`],
  ['a password in a URL', `cloning https://ada:${SECRET}@example.com/a.git`],
  ['a token as the user of a URL', `cloning https://${SECRET}@example.com/a.git`],
  ['a bearer token', `authorization: Bearer ${SECRET}`],
  ['a basic header', `curl -H "Authorization: Basic ${SECRET}"`],
  ['a header with a key', `x-api-key: ${SECRET}`],
  ['a field of JSON', JSON.stringify({ password: SECRET })],
  ['a field of JSON inside of JSON', JSON.stringify({ input: JSON.stringify({ api_key: SECRET }) })],
  ['a variable', `export MODEL_API_KEY=${SECRET}`],
  ['a cookie', `cookie: session=${SECRET}`],
  ['the key of a model', `it is sk-${SECRET}-0123456789`],
  ['a token of a code host', `it is ghp_${SECRET}-0123456789`],
  [
    'a private key',
    `-----BEGIN RSA PRIVATE KEY-----\n${SECRET.replaceAll('-', '')}\n-----END RSA PRIVATE KEY-----`,
  ],
  ['a web token', `eyJhbGciOiJI.eyJzdWIiOiIx.${SECRET}`],
])('%s is replaced', (_, text) => {
  const shown = redactText(text);
  expect(shown).toContain('[redacted]');
  expect(shown).not.toContain(SECRET);
  expect(shown).not.toContain(SECRET.replaceAll('-', ''));
});

test.each([
  'used 12 tokens of 200, token count: see usage',
  'a turn of demo ended after 2.0 s: complete',
  'https://example.com/a?page=2#token',
  'the sky-blue-background-of-the-page is skewed',
  'tokenHash=abc mail ada@example.com',
])('%s stays as it is', (text) => {
  expect(redactText(text)).toBe(text);
});

test('the time grows with the length of the text, also for text that nearly matches everywhere', () => {
  for (const part of [
    'eyJ',
    'a://',
    'password',
    'sk-',
    '-----BEGIN PRIVATE KEY-----',
    '&token=',
    'bearer  ',
  ]) {
    const text = part.repeat(100_000);
    // A pattern that looks back at all earlier text would take minutes.
    expect(redactText(text).length).toBeGreaterThan(0);
  }
});
