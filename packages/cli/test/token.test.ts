import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine, type RunningCli } from './cli-process.ts';

const machine = new Machine();
let url: string;
beforeAll(async () => {
  ({ url } = (await machine.serve()).line);
});
afterAll(() => machine.dispose());

/** Runs a command with this token. */
const as = (secret: string, ...args: string[]): RunningCli['ended'] =>
  machine.run([...args, '--url', url], { AGENTHOST_TOKEN: secret });

async function create(...args: string[]): Promise<{ id: string; secret: string }> {
  const [made] = jsonLines((await machine.run(['token', 'create', '--json', ...args])).out);
  return { id: String(made?.['id']), secret: String(made?.['secret']) };
}

describe('agenthost token', () => {
  test('[AUTH-1] creates a token, shows its secret once, lists it and revokes it', async () => {
    expect(await machine.run(['token', 'list'])).toMatchObject({
      code: 0,
      err: "no tokens besides the owner's\n",
    });
    const made = await machine.run(['token', 'create', '--name', 'phone', '--expires', '30d']);
    expect(made.out).toMatch(/^aht_[\w-]{43}\n$/);
    expect(made.err).toContain('It can read all sessions, chats and terminals, and change nothing.\n');
    expect(made.err).toContain(
      `AGENTHOST_URL=${url.replace(/\/$/, '')} AGENTHOST_TOKEN=… agenthost sessions\n`,
    );
    expect(made.err).not.toContain(made.out.trim());
    const secret = made.out.trim();
    expect((await as(secret, 'sessions')).code).toBe(0);
    const listed = await machine.run(['token', 'list']);
    expect(listed.out).toMatch(
      /^[0-9a-f]{8} {2}observe {3}phone {2}created \d+ s ago, used \d+ s ago, expires \d{4}-\d\d-\d\d \d\d:\d\d UTC\n$/,
    );
    expect(`${listed.out}${(await machine.run(['token', 'list', '--json'])).out}`).not.toContain(secret);
    expect(await machine.run(['token', 'revoke', 'phone'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^revoked [0-9a-f]{8} {2}observe {3}phone /),
    });
    expect(await as(secret, 'sessions')).toMatchObject({
      code: 4,
      err: expect.stringContaining('refused the connection'),
    });
  });

  test('[AUTH-1] an observer may read, learns its scope, and is refused every change with a message', async () => {
    const { secret } = await create('--scope', 'observe');
    const ran = await machine.run(['run', '--json', 'hello']);
    const session = String(jsonLines(ran.out).find(({ type }) => type === 'session')?.['session']);
    const exported = await as(secret, 'export', session.slice('ahp-session:/'.length));
    expect(exported).toMatchObject({ code: 0, out: expect.stringContaining('hello') });
    const refused = await as(secret, 'run', 'hello');
    expect(refused).toMatchObject({
      code: 1,
      err: "agenthost: starting a session requires a token of scope interact, and this one has scope observe; create one on the host's machine with `agenthost token create --scope interact`\n",
    });
    expect(await as(secret, 'config', 'set', 'approvals', 'all')).toMatchObject({
      code: 1,
      err: expect.stringContaining('requires a token of scope admin'),
    });
    expect((await as(secret, 'token', 'list')).err).toContain('requires a token of scope admin');
  });

  test('[AUTH-1] watch with a token prints its refusals, and ends when the token is revoked', async () => {
    const { id, secret } = await create('--scope', 'observe');
    await machine.run(['run', 'hello']);
    const [first] = jsonLines((await machine.run(['sessions', '--json'])).out);
    const resource = String(first?.['resource']).slice('ahp-session:/'.length);
    const watching = machine.start(['watch', resource, '--url', url], { AGENTHOST_TOKEN: secret });
    await watching.until('read-only');
    watching.type('say more\n');
    await watching.until(
      'not sent: queueing a message or steering a turn requires a token of scope interact, and this one has scope observe; ',
    );
    await machine.run(['token', 'revoke', id.slice(0, 8)]);
    expect(await watching.ended).toMatchObject({
      code: 4,
      err: expect.stringContaining('token was revoked'),
    });
  });

  test('[AUTH-1] a person without rights on the host works in a session that is shared, and nowhere else', async () => {
    const { secret } = await create('--scope', 'none', '--person', 'Ada Lovelace');
    const ran = await machine.run(['run', '--json', 'hello']);
    const session = String(jsonLines(ran.out).find(({ type }) => type === 'session')?.['session']);
    const id = session.slice('ahp-session:/'.length);
    expect(await as(secret, 'sessions')).toMatchObject({ code: 0, out: '' });
    const shared = await machine.run(['share', id, '--person', 'Ada Lovelace', '--role', 'interact']);
    expect(shared).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ interact {2}Ada Lovelace\n$/),
      err: '',
    });
    expect((await as(secret, 'sessions', '--json')).out).toContain(session);
    expect(await as(secret, 'run', '--session', id, 'and more')).toMatchObject({ code: 0 });
    const turns = await machine.run(['sessions', 'turns', id]);
    expect(turns.out).toMatch(/complete .* {2}Ada Lovelace {2}and more/);
    expect((await as(secret, 'export', id, '--format', 'markdown')).out).toContain('From Ada Lovelace');
    expect((await as(secret, 'run', 'hello')).err).toContain('requires a token of scope interact');
    const onlyRoles = 'for the whole host, and this one has only roles in sessions; create one';
    expect((await as(secret, 'sessions', 'rm', '--yes', id)).err).toContain(
      `removing a session requires a token of scope interact ${onlyRoles}`,
    );
    expect((await as(secret, 'config', 'set', 'approvals', 'all')).err).toContain(
      `changing settings of the host requires a token of scope admin ${onlyRoles}`,
    );
    expect((await as(secret, 'automations')).err).toContain(`scope observe ${onlyRoles}`);
    expect(await as(secret, 'share', id, '--person', 'Grace')).toMatchObject({ code: 1 });
    expect(await machine.run(['unshare', id, '--person', 'Ada Lovelace'])).toMatchObject({ code: 0 });
    expect(await as(secret, 'run', '--session', id, 'again')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no session'),
    });
    expect((await machine.run(['share'])).err).toContain('nothing is shared');
  });

  test('[AUTH-1] a token can revoke itself, with a message', async () => {
    const { id, secret } = await create('--scope', 'admin', '--name', 'own');
    expect(await as(secret, 'token', 'revoke', id)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^revoked [0-9a-f]{8} {2}admin {5}own /),
      err: '',
    });
    expect((await as(secret, 'token', 'list')).code).toBe(4);
  });

  test('an id has precedence: a token whose name is the id of another is not revoked instead', async () => {
    const meant = await create('--name', 'meant');
    const other = await create('--name', meant.id);
    const again = await create('--name', meant.id.slice(0, 8));
    await machine.run(['token', 'revoke', meant.id]);
    const left = jsonLines((await machine.run(['token', 'list', '--json'])).out).map(({ id }) => id);
    expect(left).not.toContain(meant.id);
    expect(left).toEqual(expect.arrayContaining([other.id, again.id]));
    await machine.run(['token', 'revoke', other.id, again.id]);
  });

  test('a unique prefix of a name or an id is enough', async () => {
    const first = await create('--name', 'obs-hall');
    const second = await create('--name', 'obs-yard');
    const many = await machine.run(['token', 'revoke', 'obs']);
    expect(many).toMatchObject({ code: 2, out: '' });
    expect(many.err).toBe(
      `agenthost: 2 tokens begin with obs: ${first.id.slice(0, 8)} obs-hall, ${second.id.slice(0, 8)} obs-yard\n`,
    );
    expect((await machine.run(['token', 'revoke', 'obs-y'])).out).toContain('obs-yard');
    expect((await machine.run(['token', 'revoke', first.id.slice(0, 12)])).out).toContain('obs-hall');
  });

  test('reports invalid arguments', async () => {
    expect(await machine.run(['token', 'create', '--expires', 'soon'])).toMatchObject({
      code: 2,
      err: 'agenthost: --expires: expected a time such as 90m, 12h, 30d or 2w, got soon\n',
    });
    expect((await machine.run(['token', 'create', '--scope', 'root'])).code).toBe(2);
    expect(await machine.run(['token', 'revoke', 'nobody'])).toMatchObject({
      code: 1,
      err: 'agenthost: no token is called nobody; `agenthost token list` lists them\n',
    });
  });
});
