import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { Screen } from '../render/screen.ts';
import { listAllSessions, listHosts } from './gateway.ts';

test('lists of a gateway have the names of their columns on a terminal', async () => {
  const gateway = createServer((request, response) => {
    const summary = { resource: 'ahp-session:/1', provider: 'demo', status: 0, title: 'fix', modifiedAt: '' };
    const host = { host: 'team-a', state: 'held', runningTurns: 1, labels: ['gpu'], holder: 'm1' };
    response.end(JSON.stringify({ items: [request.url === '/hosts' ? host : { host: 'team-a', summary }] }));
  });
  await once(gateway.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void gateway.close());
  const address = gateway.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const context = new FakeContext({ isTerminal: true });
  expect(await listHosts(context, new Screen(context), { url })).toBe(0);
  expect(await listAllSessions(context, new Screen(context), { url, limit: 9 })).toBe(0);
  expect(context.out).toMatch(
    /^HOST +STATE +TURNS +LABELS, HOLDER\nteam-a .*\nHOST +ID +STATUS +AGENT +AGE +TITLE, FOLDER\nteam-a /,
  );
});
