import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PlainAnswer, plainRequest } from '../../../test/plain-request.ts';
import { cookieName } from '../../auth/cookie.ts';
import { Gate } from '../../auth/gate.ts';
import { GuessLimit } from '../../auth/guess-limit.ts';
import { servePage } from './pages.ts';
import { viewOf } from './request-view.ts';

const TOKEN = 'a-token-of-some-length-0123456789';
const OF_A_LINK = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
/** The headers of a URL that was typed, pasted, or opened from another program. */
const OPENED = { 'sec-fetch-site': 'none', 'sec-fetch-dest': 'document' };
const OF_THE_PAGE = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' };

let now: number;
let isRevoked: boolean;
let server: Server;
let port: number;

beforeEach(async () => {
  now = 0;
  isRevoked = false;
  const clock = { now: () => now };
  const gate = new Gate({
    ownerToken: TOKEN,
    clock,
    guesses: new GuessLimit(clock, () => undefined),
    tokens: {
      identify: (secret) => (secret === 'of-an-observer' ? { tokenHash: 'o', scope: 'observe' } : undefined),
      isValid: () => !isRevoked,
    },
  });
  server = createServer((asked, response) => {
    const view = viewOf(asked, { basePath: '', isSecure: false });
    const visit = { request: asked, response, view, gate, cookie: cookieName(view), version: '1' };
    if (!servePage({ ...visit, isOwnHost: () => false, page: undefined })) response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterEach(() => void server.close());

const ask = (path: string, headers?: Record<string, string>, method?: string): Promise<PlainAnswer> =>
  plainRequest(port, path, headers, method);

const cookiePair = ({ headers }: PlainAnswer): string => String(headers['set-cookie']).split(';')[0] ?? '';

/** The cookie of a browser that is signed in with a token. */
const cookieOf = async (token: string): Promise<string> => cookiePair(await ask(`/?token=${token}`, OPENED));

/** The target of the redirect for a link on another page with a token. */
async function ticketPath(token: string): Promise<string> {
  const { status, headers } = await ask(`/?token=${token}`, OF_A_LINK);
  expect([status, headers['set-cookie']]).toEqual([303, undefined]);
  expect(headers.location).toMatch(/^\/sign-in\?ticket=ahc_[\w-]{43}$/);
  return String(headers.location);
}

describe('a token in the address of /', () => {
  it.each([{}, OPENED, { 'sec-fetch-site': 'none' }, OF_THE_PAGE])(
    '[AUTH-1] signs in when a person or a program opens the address directly: %j',
    async (headers) => {
      const { status, headers: answered } = await ask(`/?token=${TOKEN}`, headers);
      expect(status).toBe(303);
      expect(String(answered['set-cookie'])).toContain('=ahs_');
    },
  );

  it.each(['image', 'iframe', 'empty', 'embed'])(
    '[AUTH-1] does not sign in as the %s of a page, not even of its own',
    async (dest) => {
      for (const site of ['cross-site', 'same-site', 'same-origin']) {
        const headers = { 'sec-fetch-site': site, 'sec-fetch-dest': dest };
        const { status, headers: answered, body } = await ask(`/?token=${TOKEN}`, headers);
        expect([status, answered['set-cookie'], body]).toEqual([
          403,
          undefined,
          expect.stringContaining('open the link in a window of its own'),
        ]);
      }
    },
  );

  it.each([{}, OPENED, OF_THE_PAGE])(
    '[AUTH-1] asks first in a browser that is signed in with another token, by any way to the address: %j',
    async (headers) => {
      const cookie = await cookieOf('of-an-observer');
      const asking = await ask(`/?token=${TOKEN}`, { ...headers, cookie });
      expect([asking.status, asking.headers['set-cookie']]).toEqual([303, undefined]);
      const path = String(asking.headers.location);
      expect((await ask(path, { ...headers, cookie })).body).toContain('signed in with another token');
      expect((await ask('/', { cookie })).body).toContain('look at everything.');
      const agreed = await ask(path, { ...OF_THE_PAGE, cookie }, 'POST');
      expect((await ask('/', { cookie: cookiePair(agreed) })).body).toContain('do everything');
    },
  );

  it('[AUTH-1] does not ask in a browser that is signed in with the same token, or with a token that has ended', async () => {
    const same = await ask(`/?token=${TOKEN}`, { ...OPENED, cookie: await cookieOf(TOKEN) });
    expect(String(same.headers['set-cookie'])).toContain('=ahs_');
    const cookie = await cookieOf('of-an-observer');
    isRevoked = true;
    const after = await ask(`/?token=${TOKEN}`, { ...OPENED, cookie });
    expect(String(after.headers['set-cookie'])).toContain('=ahs_');
  });

  it('[AUTH-1] that is wrong gets no ticket either', async () => {
    const { status, headers } = await ask('/?token=wrong', OF_A_LINK);
    expect([status, headers.location, headers['set-cookie']]).toEqual([401, undefined, undefined]);
  });

  it.each(['cross-site', 'same-site', 'anything'])(
    '[AUTH-1] asks first when a link of a foreign page (%s) leads there, and names the scope',
    async (site) => {
      const { status, headers } = await ask('/?token=of-an-observer', {
        ...OF_A_LINK,
        'sec-fetch-site': site,
      });
      expect([status, headers['set-cookie']]).toEqual([303, undefined]);
      const page = await ask(String(headers.location), OF_A_LINK);
      expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined]);
      expect(page.body).toContain('may then look at everything.');
      expect(page.body).toContain(`<form method="post" action="${headers.location}">`);
      expect(page.body).not.toContain('of-an-observer');
    },
  );
});

describe('the question whether to sign in', () => {
  it('[AUTH-1] is answered once, by the button of its own page', async () => {
    const path = await ticketPath(TOKEN);
    const agreed = await ask(path, OF_THE_PAGE, 'POST');
    expect([agreed.status, agreed.headers.location]).toEqual([303, '/']);
    expect((await ask('/', { cookie: cookiePair(agreed) })).body).toContain('do everything');
    expect(await ask(path, OF_THE_PAGE, 'POST')).toMatchObject({ status: 401 });
    expect((await ask(path)).body).toContain('follow the link with the token again');
  });

  it.each([
    OF_A_LINK,
    { ...OF_A_LINK, 'sec-fetch-site': 'same-site' },
    { ...OF_THE_PAGE, 'sec-fetch-dest': 'empty' },
  ])('[AUTH-1] is not answered by other sources of a POST: %j', async (headers) => {
    const path = await ticketPath(TOKEN);
    const answer = await ask(path, headers, 'POST');
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
    // The ticket is not used up either.
    expect(await ask(path, OF_THE_PAGE, 'POST')).toMatchObject({ status: 303 });
  });

  it('[AUTH-1] expires after ten minutes, and when its token is revoked', async () => {
    const late = await ticketPath(TOKEN);
    now += 599_999;
    expect(await ask(late)).toMatchObject({ status: 200 });
    now += 1;
    expect(await ask(late, OF_THE_PAGE, 'POST')).toMatchObject({ status: 401 });
    const revoked = await ticketPath('of-an-observer');
    isRevoked = true;
    expect(await ask(revoked, OF_THE_PAGE, 'POST')).toMatchObject({ status: 401 });
    expect(await ask('/sign-in')).toMatchObject({ status: 401 });
  });
});
