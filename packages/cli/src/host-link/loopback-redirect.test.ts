import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { LoopbackRedirect } from './loopback-redirect.ts';

/** The status of a request, whose path is sent as it is. */
function statusOf(redirect: LoopbackRedirect, path: string): Promise<number | undefined> {
  const { hostname, port } = new URL(redirect.uri);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

test('a redirect is taken once, and other requests are refused', async () => {
  const redirect = await LoopbackRedirect.open();
  onTestFinished(() => redirect.close());
  const returned = redirect.returned('s', 60_000);
  for (const path of ['//', '/back', '/back?state=other&code=c', '/elsewhere?state=s&code=c'])
    expect(await statusOf(redirect, path)).toBe(404);
  expect(await statusOf(redirect, '/back?state=s&code=c&iss=i')).toBe(200);
  expect(await returned).toEqual({ code: 'c', iss: 'i' });
  expect(await statusOf(redirect, '/back?state=s&code=c')).toBe(404);
});

test('a connection without a request does not hold the end', async () => {
  const redirect = await LoopbackRedirect.open();
  const unused = connect(Number(new URL(redirect.uri).port), '127.0.0.1');
  unused.on('error', () => undefined);
  await once(unused, 'connect');
  // The server has accepted the first connection before it answers on the second one.
  await statusOf(redirect, '/');
  const ended = once(unused, 'close');
  await redirect.close();
  await ended;
  expect(unused.closed).toBe(true);
});
