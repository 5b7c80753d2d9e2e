import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolCallState } from '@agenthost/protocol';
import { approved, denied } from '@agenthost/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ToolCallAnswer, ToolCallQuestion, ToolCallStart } from '../src/agents/tool-call.ts';
import { chatOf } from './in-turn.ts';
import { WorktreeFixture } from './worktree-fixture.ts';

const SESSION = 'ahp-session:/one';

class TurnInWorktree {
  readonly fixture: WorktreeFixture;
  readonly chat: string;
  #turns = 0;
  #calls = 0;

  constructor(fixture: WorktreeFixture) {
    this.fixture = fixture;
    // A host that stops waits for its agents.
    onTestFinished(() => {
      for (const turn of fixture.base.host.agent.turns) turn.complete();
    });
    this.chat = fixture.state().defaultChat ?? '';
  }

  static async start(
    config: Record<string, unknown> = {},
    prepare: (fixture: WorktreeFixture) => void = () => undefined,
  ): Promise<TurnInWorktree> {
    const fixture = await WorktreeFixture.start();
    prepare(fixture);
    await fixture.session({ config });
    const turn = new TurnInWorktree(fixture);
    await fixture.client.subscribe(turn.chat);
    return turn;
  }

  get turnId(): string {
    return `turn-${this.#turns}`;
  }

  /** Starts a turn. */
  async begin(): Promise<void> {
    this.#turns += 1;
    this.fixture.client.dispatch(this.chat, {
      type: 'chat/turnStarted',
      turnId: this.turnId,
      startedAt: new Date(0).toISOString(),
      message: { text: 'go', origin: { kind: 'user' } },
    });
    await this.fixture.base.host.run();
  }

  /** Number of turns that the agent was given. */
  get given(): number {
    return this.fixture.base.host.agent.turns.length;
  }

  async calls(): Promise<ToolCallState[]> {
    const { activeTurn } = await chatOf(this.fixture.client, this.chat);
    return (activeTurn?.responseParts ?? []).flatMap((part) =>
      part.kind === 'toolCall' ? [part.toolCall] : [],
    );
  }

  /** The setup call, as soon as it waits for a person or runs. */
  async setup(): Promise<ToolCallState> {
    for (;;) {
      const [call] = await this.calls();
      if (call !== undefined && call.status !== 'streaming') return call;
      await this.fixture.base.host.run();
    }
  }

  async choose({ toolCallId }: ToolCallState, selectedOptionId: string): Promise<void> {
    const action =
      selectedOptionId === 'skip'
        ? denied(this.turnId, toolCallId, { selectedOptionId })
        : approved(this.turnId, toolCallId, { selectedOptionId });
    await this.fixture.client.act(this.chat, action);
    await this.fixture.base.host.run();
  }

  /** Lets the agent ask about a call. */
  async ask(
    start: Partial<ToolCallStart>,
    question: Partial<ToolCallQuestion>,
  ): Promise<{ id: string; answer(): ToolCallAnswer | undefined; state: ToolCallState | undefined }> {
    this.#calls += 1;
    const toolCallId = `call-${this.#calls}`;
    const call = this.fixture.base.host.agent.turn.output.toolCall({
      toolCallId,
      toolName: 'tool',
      displayName: 'Tool',
      ...start,
    });
    let answer: ToolCallAnswer | undefined;
    void call.confirm({ invocationMessage: 'Do it', ...question }).then((given) => {
      answer = given;
    });
    await this.fixture.base.host.run();
    const state = (await this.calls()).find((each) => each.toolCallId === toolCallId);
    return { id: toolCallId, answer: () => answer, state };
  }
}

const withSetup = (fixture: WorktreeFixture): void =>
  fixture.commit(fixture.tree, '.agenthost/worktree.json', JSON.stringify({ setup: 'npm ci' }));

describe('the setup command of a project', () => {
  it('runs before the first turn after a person allowed it, even if all calls are allowed, and shows its output', async () => {
    const turn = await TurnInWorktree.start({ approvals: 'all' }, withSetup);
    await turn.begin();
    const asked = await turn.setup();
    expect(asked).toMatchObject({ status: 'pending-confirmation', toolInput: 'npm ci' });
    expect(turn.given).toBe(0);
    expect(turn.fixture.base.host.ptys.ptys).toHaveLength(0);
    await turn.choose(asked, 'run');
    const { host } = turn.fixture.base;
    await turn.fixture.base.until(() => host.ptys.ptys.length === 1);
    expect(host.ptys.last.spec).toMatchObject({ cwd: turn.fixture.folder() });
    expect(host.ptys.last.spec.command.at(-1)).toBe('npm ci');
    expect(turn.given).toBe(0);
    host.ptys.last.output('added 3 packages\r\n');
    host.ptys.last.end(0);
    await turn.fixture.base.until(() => turn.given === 1);
    expect(await turn.calls()).toMatchObject([
      {
        status: 'completed',
        success: true,
        content: [{ type: 'terminal', result: { preview: expect.stringContaining('added 3') } }],
      },
    ]);
    host.agent.turn.complete();
    await host.run();
    await turn.begin();
    await turn.fixture.base.until(() => turn.given === 2);
  });

  it('does not run if a person skips it, and the turn goes on', async () => {
    const turn = await TurnInWorktree.start({}, withSetup);
    await turn.begin();
    await turn.choose(await turn.setup(), 'skip');
    await turn.fixture.base.until(() => turn.given === 1);
    expect(turn.fixture.base.host.ptys.ptys).toHaveLength(0);
  });

  it('is asked about again in the next turn if the turn was cancelled', async () => {
    const turn = await TurnInWorktree.start({}, withSetup);
    await turn.begin();
    await turn.setup();
    await turn.fixture.client.act(turn.chat, {
      type: 'chat/turnCancelled',
      turnId: turn.turnId,
      duration: 1,
    });
    await turn.begin();
    expect(await turn.setup()).toMatchObject({ status: 'pending-confirmation' });
    expect(turn.given).toBe(0);
  });

  it('is not asked about again for the same command of the same repository, also after a restart', async () => {
    const turn = await TurnInWorktree.start({}, withSetup);
    await turn.begin();
    await turn.choose(await turn.setup(), 'always');
    const { base } = turn.fixture;
    await base.until(() => base.host.ptys.ptys.length === 1);
    base.host.ptys.last.end(1);
    await base.until(() => turn.given === 1);
    const next = await turn.fixture.restarted();
    const other = { uri: 'ahp-session:/two' };
    await next.session(other);
    const chat = next.state(other.uri).defaultChat ?? '';
    await next.client.subscribe(chat);
    next.client.dispatch(chat, {
      type: 'chat/turnStarted',
      turnId: 'again',
      startedAt: new Date(0).toISOString(),
      message: { text: 'go', origin: { kind: 'user' } },
    });
    await base.until(() => base.host.ptys.ptys.length === 1);
    base.host.ptys.last.end(0);
    // A changed command is asked about.
    next.commit(next.tree, '.agenthost/worktree.json', JSON.stringify({ setup: 'npm ci && x' }));
    const third = { uri: 'ahp-session:/three' };
    await next.session(third);
    const thirdChat = next.state(third.uri).defaultChat ?? '';
    await next.client.subscribe(thirdChat);
    next.client.dispatch(thirdChat, {
      type: 'chat/turnStarted',
      turnId: 'changed',
      startedAt: new Date(0).toISOString(),
      message: { text: 'go', origin: { kind: 'user' } },
    });
    await base.until(() => next.state(third.uri).inputNeeded?.length === 1);
    expect(base.host.ptys.ptys).toHaveLength(1);
  });
});

describe('a call of an agent in a worktree', () => {
  const version = (path: string) => ({
    uri: pathToFileURL(path).href,
    content: { uri: 'agenthost-content:/x' },
  });

  it('is asked about if it names a path outside, even if all calls are allowed', async () => {
    const turn = await TurnInWorktree.start({ approvals: 'all' });
    const { tree } = turn.fixture;
    const folder = turn.fixture.folder();
    mkdirSync(join(folder, 'src'));
    symlinkSync(tree, join(folder, 'out'));
    await turn.begin();
    await turn.fixture.base.until(() => turn.given === 1);
    const inside: [Partial<ToolCallStart>, Partial<ToolCallQuestion>][] = [
      [
        { kind: 'execute' },
        { toolInput: JSON.stringify({ command: `cat ${folder}/a.txt > /dev/null; /usr/bin/env ls src` }) },
      ],
      [
        { kind: 'execute' },
        {
          toolInput: JSON.stringify({
            command: 'curl https://example.org/etc/hosts | grep /no-such-folder/x',
          }),
        },
      ],
      [{ kind: 'edit' }, { edits: [{ after: version(join(folder, 'src', 'new.ts')) }] }],
      [{ kind: 'read' }, { toolInput: JSON.stringify({ file_path: join(folder, 'a.txt') }) }],
      [{ kind: 'read' }, { toolInput: JSON.stringify({ uri: pathToFileURL(join(folder, 'a.txt')).href }) }],
    ];
    for (const [start, question] of inside)
      expect((await turn.ask(start, question)).state, question.toolInput).toMatchObject({
        status: 'running',
      });
    const outside: [Partial<ToolCallStart>, Partial<ToolCallQuestion>][] = [
      [
        { kind: 'edit' },
        { edits: [{ before: version(join(tree, 'a.txt')), after: version(join(tree, 'a.txt')) }] },
      ],
      [{ kind: 'edit' }, { edits: [{ after: version(join(folder, 'out', 'new.ts')) }] }],
      [{ kind: 'read' }, { toolInput: JSON.stringify({ file_path: join(tree, 'a.txt') }) }],
      [{ kind: 'read' }, { toolInput: JSON.stringify({ uri: pathToFileURL(join(tree, 'a.txt')).href }) }],
      [{ kind: 'read' }, { meta: { locations: [{ uri: pathToFileURL(join(tree, 'a.txt')).href }] } }],
      [{ kind: 'execute' }, { toolInput: JSON.stringify({ command: `cd ${tree} && git reset --hard` }) }],
      [{ kind: 'execute' }, { toolInput: JSON.stringify({ command: 'cat "../../../owner-token"' }) }],
      [{ kind: 'execute' }, { toolInput: JSON.stringify({ command: 'rm -rf ~/x' }) }],
      [{ kind: 'execute' }, { toolInput: JSON.stringify({ command: 'cp a.txt out/a.txt' }) }],
    ];
    for (const [start, question] of outside) {
      const { state } = await turn.ask(start, question);
      expect(state, JSON.stringify(question)).toMatchObject({
        status: 'pending-confirmation',
        confirmationTitle: expect.stringContaining('Outside of the worktree: '),
      });
    }
  });

  it('runs again without a question once a person has allowed exactly it for the session', async () => {
    const turn = await TurnInWorktree.start({ approvals: 'ask' });
    await turn.begin();
    await turn.fixture.base.until(() => turn.given === 1);
    const toolInput = JSON.stringify({ command: `ls ${turn.fixture.tree}` });
    const asked = await turn.ask({ kind: 'execute' }, { toolInput });
    if (asked.state === undefined) throw new Error('no call');
    await turn.choose(asked.state, 'always-session');
    expect((await turn.ask({ kind: 'execute' }, { toolInput })).state).toMatchObject({ status: 'running' });
    const other = JSON.stringify({ command: `ls -a ${turn.fixture.tree}` });
    expect((await turn.ask({ kind: 'execute' }, { toolInput: other })).state).toMatchObject({
      status: 'pending-confirmation',
    });
  });

  it('stays isolated if a link takes the place of the worktree', async () => {
    const turn = await TurnInWorktree.start({ approvals: 'all' });
    await turn.begin();
    await turn.fixture.base.until(() => turn.given === 1);
    const folder = turn.fixture.folder();
    const { renameSync } = await import('node:fs');
    renameSync(folder, `${folder}-moved`);
    symlinkSync(turn.fixture.tree, folder);
    const { state } = await turn.ask(
      { kind: 'edit' },
      { edits: [{ after: version(join(folder, 'new.ts')) }] },
    );
    expect(state).toMatchObject({ status: 'pending-confirmation' });
  });

  it('is not asked about in a session without a worktree', async () => {
    const fixture = await WorktreeFixture.start();
    await fixture.base.ask(fixture.client, 'createSession', {
      channel: SESSION,
      workingDirectories: [pathToFileURL(fixture.tree).href],
      config: { approvals: 'all' },
    });
    await fixture.client.subscribe(SESSION);
    await fixture.base.until(() => fixture.state().lifecycle === 'ready');
    const turn = new TurnInWorktree(fixture);
    await fixture.client.subscribe(turn.chat);
    await turn.begin();
    await fixture.base.until(() => turn.given === 1);
    const toolInput = JSON.stringify({ command: 'cat /etc/hosts' });
    expect((await turn.ask({ kind: 'execute' }, { toolInput })).state).toMatchObject({ status: 'running' });
  });
});
