// A question in a window that is too low for it. The program runs without its window, against a host that the test plays.
import { ROOT_URI } from '@agenthost/protocol';
import { expect, test } from 'vitest';
import { ChatApp } from '../../packages/cli/src/chat/app/chat-app.ts';
import { chatState, rootState, sessionState, turnOf } from '../../packages/client/test/fake-host.ts';
import { Harness } from '../../packages/client/test/harness.ts';

const SESSION = 'ahp-session:/one';
const CHAT = 'ahp-chat:/one-main';

/** A chat with a command that waits for approval. */
async function asked(command: string) {
  const it = await new Harness().online();
  const toolCall = {
    toolCallId: 'c',
    toolName: 'run',
    displayName: 'Run',
    invocationMessage: 'Run a command',
    status: 'pending-confirmation',
    confirmationTitle: 'Run a command?',
    toolInput: JSON.stringify({ command }),
  } as const;
  const activeTurn = {
    ...turnOf('t'),
    startedAt: '2026-01-01T00:00:00.000Z',
    responseParts: [{ kind: 'toolCall', toolCall } as const],
  };
  it.host.states.set(SESSION, sessionState(CHAT));
  it.host.states.set(CHAT, chatState(CHAT, { activeTurn }));
  it.host.states.set(ROOT_URI, rootState());
  const app = new ChatApp({
    client: it.client,
    root: await it.run(it.client.subscribe(ROOT_URI, { kind: 'root' })),
    marks: { done: '+', failed: 'x', refused: '-', running: '>', asks: '?', dot: '-' },
    home: '/home',
    folder: undefined,
    model: undefined,
    address: 'here',
    leave: () => undefined,
    copy: () => undefined,
    showTerminal: () => Promise.resolve(),
  });
  await it.run(app.open(SESSION));
  const screen = (columns: number, rows: number): string =>
    app
      .frame({ columns, rows })
      .lines.map((spans) => spans.map(({ text }) => text).join(''))
      .join('\n');
  const answers = async (): Promise<readonly unknown[]> => {
    await it.settle();
    return it.host.dispatched
      .map(({ action }) => action)
      .filter(({ type }) => type === 'chat/toolCallConfirmed');
  };
  return { app, screen, answers, settle: () => it.settle() };
}

test('a question stays above its answers in a low window', async () => {
  const { app, screen, answers } = await asked('make');
  const shown = screen(30, 9);
  expect(shown).toContain('? Run a command?');
  expect(shown).toContain('"command": "make"');
  expect(shown).toContain('▸ yes');
  app.key({ key: 'enter' });
  expect(await answers()).toMatchObject([{ approved: true }]);
  app.dispose();
});

test('without room for the question a call can be denied but not approved', async () => {
  const { app, screen, answers } = await asked(`rm -rf ${'deep/'.repeat(40)}`);
  const shown = screen(30, 8);
  expect(shown).toContain('too small to answer here');
  expect(shown).not.toContain('▸ yes');
  app.key({ key: 'enter' });
  app.key({ text: 'y' });
  expect(await answers()).toEqual([]);
  expect(screen(100, 24)).toContain('"command": "rm -rf');
  screen(30, 8);
  app.key({ text: 'n' });
  expect(await answers()).toMatchObject([{ approved: false }]);
  app.dispose();
});
