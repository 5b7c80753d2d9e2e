import { type AhpClient, connect } from '@agenthost/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonLines, Machine } from './cli-process.ts';

const machine = new Machine();
let client: AhpClient;
beforeAll(async () => {
  const { line } = await machine.serve();
  client = await connect(line.wsUrl, { token: line.token });
});
afterAll(async () => {
  client.close();
  await machine.dispose();
});

/** Runs a turn of the demo agent that asks, and chooses this option. */
async function allow(prompt: string, optionId: string): Promise<string> {
  const session = await client.sessions.create({ provider: 'demo' });
  const turn = session.chat.prompt(prompt);
  for await (const event of turn) {
    if (event.type === 'confirmation') await event.approve({ optionId });
  }
  return session.uri;
}

describe('agenthost approvals', () => {
  test('lists remembered approvals with their scope and place, and revokes them', async () => {
    expect(await machine.run(['approvals'])).toMatchObject({
      code: 0,
      out: '',
      err: 'no approvals are remembered\n',
    });
    const session = await allow('ask', 'always-session');
    await allow('ask', 'always-folder');
    await allow('ask always', 'allow-always');
    const { out } = await machine.run(['approvals']);
    const id = session.slice('ahp-session:/'.length, 'ahp-session:/'.length + 8);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^\\S{8} +\\d+ s  session ${id}  demo ponder: every use$`)),
      expect.stringMatching(/^\S{8} +\d+ s {2}folder ~ {2}demo ponder: every use$/),
      '',
    ]);
    const items = jsonLines((await machine.run(['approvals', '--json'])).out);
    expect(items).toMatchObject([
      {
        provider: 'demo',
        toolName: 'ponder',
        kind: 'think',
        covers: { kind: 'tool' },
        scope: { kind: 'session', session },
      },
      { scope: { kind: 'folder' } },
    ]);
    expect(await client.approvals(session)).toHaveLength(2);
    const [first] = await client.approvals();
    const revoked = await machine.run(['approvals', 'revoke', first?.id ?? '']);
    expect(revoked.out).toMatch(/^revoked \S{8} .* demo ponder: every use\n$/);
    const all = await machine.run(['approvals', 'revoke', '--all', '--json']);
    expect(jsonLines(all.out)).toEqual([{ revoked: expect.any(String) }]);
    expect(await client.approvals()).toEqual([]);
    await expect(client.revokeApproval('gone')).rejects.toMatchObject({ code: -32008 });
  });

  test('reports invalid arguments', async () => {
    expect(await machine.run(['approvals', 'revoke'])).toMatchObject({
      code: 2,
      err: 'agenthost: expected ids of approvals, or --all\n',
    });
    expect(await machine.run(['approvals', 'revoke', 'x'])).toMatchObject({
      code: 1,
      err: 'agenthost: no approval is called x; `agenthost approvals` lists them\n',
    });
  });

  test('a session that allows everything writes without asking, and one that denies everything reports that', async () => {
    const written = await machine.run(['run', '--config', 'approvals=all', 'write a.txt Yes']);
    expect(written).toMatchObject({ code: 0, err: expect.stringContaining('Wrote `a.txt`') });
    const edited = await machine.run(['run', '--config', 'approvals=edits', 'write b.txt Yes']);
    expect(edited).toMatchObject({ code: 0, err: expect.stringContaining('Wrote `b.txt`') });
    const refused = await machine.run(['run', '--config', 'approvals=none', 'write c.txt No']);
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('This session denies all calls that need permission');
  });
});
