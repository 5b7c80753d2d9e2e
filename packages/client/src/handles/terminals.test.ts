import type { StateAction } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { describe, expect, test } from 'vitest';
import { ROOT_URI, rootState, terminalState } from '../../test/fake-host.ts';
import { failureOf, Harness, microtasks } from '../../test/harness.ts';
import { TERMINAL_MIRROR_LIMIT } from '../mirror/scrollback.ts';
import type { TerminalHandle } from './terminal-handle.ts';

const URI = 'ahp-terminal:/t';
const data = (text: string): StateAction => ({ type: 'terminal/data', data: text });

async function harness(options: ConstructorParameters<typeof Harness>[0] = {}): Promise<Harness> {
  const it = new Harness(options);
  it.host.states.set(ROOT_URI, rootState());
  it.host.states.set(URI, terminalState({ kind: 'client', clientId: 'c1' }));
  return it.online();
}

const opened = async (it: Harness): Promise<TerminalHandle> => it.run(it.client.terminal(URI));

/** The text that a screen received; resets are in brackets. */
function screen(terminal: TerminalHandle): string[] {
  const log: string[] = [];
  terminal.attach({
    onReset: (content) => log.push(`[${content}]`),
    onOutput: (text) => log.push(text),
  });
  return log;
}

async function emit(it: Harness, ...actions: StateAction[]): Promise<void> {
  for (const action of actions) it.host.emit(URI, action);
  await it.settle();
}

describe('terminals', () => {
  test('[TERM-1] create creates a terminal claimed by this client with the given options, and opens it', async () => {
    const it = await harness();
    const terminal = await it.run(
      it.client.createTerminal({
        name: 'build',
        cwd: 'file:///w',
        command: ['make', '-j2'],
        env: { CI: '1' },
        cols: 100,
        rows: 30,
      }),
    );
    expect(it.host.requests.find(({ method }) => method === 'createTerminal')?.params).toEqual({
      channel: terminal.uri,
      claim: { kind: 'client', clientId: 'c1' },
      name: 'build',
      cwd: 'file:///w',
      'x-command': ['make', '-j2'],
      'x-env': { CI: '1' },
      cols: 100,
      rows: 30,
    });
    expect(terminal.uri).toMatch(/^ahp-terminal:\/id/);
    expect(terminal.state).toMatchObject({ title: 'build', cols: 100, rows: 30 });
    expect(terminal.holder).toEqual({ kind: 'me' });
    terminal.close();
    terminal.close();
    await it.settle();
    expect(it.host.connectionOf('c1').subscriptions.size).toBe(0);
  });

  test('maxLatencyMs and a claim for a session are passed on', async () => {
    const it = await harness();
    const uri = 'ahp-terminal:/mine';
    await it.run(
      it.client.createTerminal({ uri, claim: { session: 'demo:/1', chat: 'ahp-chat:/1' }, maxLatencyMs: 40 }),
    );
    const params = (method: string) => it.host.requests.findLast((r) => r.method === method)?.params;
    expect(params('createTerminal')).toEqual({
      channel: uri,
      claim: { kind: 'session', session: 'demo:/1', chat: 'ahp-chat:/1' },
    });
    expect(params('subscribe')).toEqual({ channel: uri, delivery: { maxLatencyMs: 40 } });
  });

  test('the catalogue follows created and disposed terminals', async () => {
    const it = await harness();
    const catalogue = await it.run(it.client.terminals());
    const seen: string[][] = [];
    catalogue.onChange((items) => seen.push(items.map(({ title }) => title)));
    expect(catalogue.items).toEqual([]);
    const terminal = await it.run(it.client.createTerminal({ name: 'one' }));
    it.host.emit(ROOT_URI, { type: 'root/activeSessionsChanged', activeSessions: 3 });
    await it.settle();
    await it.run(terminal.dispose());
    expect(seen).toEqual([['sh', 'one'], ['sh']]);
    catalogue.dispose();
    await it.settle();
    expect(it.host.connectionOf('c1').subscriptions.size).toBe(0);
  });

  test('opening an unknown terminal rejects and leaves no subscription', async () => {
    const it = await harness();
    await expect(it.run(it.client.terminal('ahp-terminal:/none'))).rejects.toMatchObject({ code: -32008 });
    expect(it.host.connectionOf('c1').subscriptions.size).toBe(0);
  });

  test('signals and disposal are requests, and a refusal rejects', async () => {
    const it = await harness();
    const terminal = await opened(it);
    await it.run(terminal.signal('INT'));
    expect(it.host.requests.at(-1)).toEqual({
      method: 'x-signalTerminal',
      params: { channel: URI, signal: 'INT' },
    });
    it.host.refuse = () => new RpcError(-32008, 'gone');
    await expect(it.run(terminal.dispose())).rejects.toMatchObject({ code: -32008 });
    expect(terminal.mirror.isDisposed).toBe(false);
  });

  test('a terminal that another client disposes ends, and no other terminal', async () => {
    const it = await harness();
    const list = (...uris: string[]): void => {
      const terminals = uris.map((resource) => ({
        resource,
        title: 'sh',
        claim: { kind: 'client', clientId: 'c1' } as const,
        lifecycle: { status: 'running' } as const,
      }));
      it.host.emit(ROOT_URI, { type: 'root/terminalsChanged', terminals });
    };
    const terminal = await opened(it);
    const ended = failureOf(terminal.exited);
    // A host that lists the terminal late.
    list();
    await it.settle();
    expect(terminal.mirror.isLost).toBe(false);
    list(URI, 'ahp-terminal:/u');
    list(URI);
    await it.settle();
    expect(terminal.mirror.isLost).toBe(false);
    list();
    await it.settle();
    expect(terminal.mirror.isLost).toBe(true);
    await expect(ended).resolves.toMatchObject({ code: 'channel-lost' });
  });
});

describe('output', () => {
  test('the existing content comes first, then each piece of output once', async () => {
    const it = await harness();
    it.host.emit(URI, data('$ '));
    it.host.emit(URI, { type: 'terminal/commandExecuted', commandId: 'c', commandLine: 'ls', timestamp: 1 });
    it.host.emit(URI, data('a\r\n'));
    const terminal = await opened(it);
    const log = screen(terminal);
    await emit(it, data('b\r\n'), { type: 'terminal/commandFinished', commandId: 'c' }, data('$ '));
    expect(log).toEqual(['[$ a\r\n]', 'b\r\n', '$ ']);
  });

  test('a screen attached during the events of a frame gets each output once', async () => {
    const it = await harness();
    const terminal = await opened(it);
    await it.cut();
    it.host.emit(URI, data('one '));
    it.host.emit(URI, data('two'));
    let late: string[] = [];
    const stop = terminal.mirror.onAction(() => {
      stop();
      late = screen(terminal);
    });
    await it.comeBack();
    expect(late).toEqual(['[one two]']);
    await emit(it, data('!'));
    expect(late).toEqual(['[one two]', '!']);
  });

  test('[CONN-5] a replay continues the output, and a snapshot resets it', async () => {
    const it = await harness();
    const terminal = await opened(it);
    const log = screen(terminal);
    const stream: string[] = [];
    terminal.onOutput((text) => stream.push(text));
    await emit(it, data('one '));
    it.host.emit(URI, data('two '));
    await it.cut();
    it.host.emit(URI, data('three '));
    await it.comeBack();
    expect(log).toEqual(['[]', 'one ', 'two ', 'three ']);
    await it.cut();
    it.host.emit(URI, data('four'));
    it.host.isSnapshotOnly = true;
    await it.comeBack();
    await emit(it, data('!'));
    expect(log.slice(4)).toEqual(['[one two three four]', '!']);
    expect(stream.slice(3)).toEqual(['\u001bcone two three four', '!']);
  });

  test('[TERM-2] clearing empties screens, and later output in the same frame shows once', async () => {
    const it = await harness();
    it.host.emit(URI, data('old'));
    const terminal = await opened(it);
    const log = screen(terminal);
    await emit(it, { type: 'terminal/cleared' });
    await it.cut();
    for (const action of [data('x'), { type: 'terminal/cleared' } as const, data('new')])
      it.host.emit(URI, action);
    await it.comeBack();
    expect(log).toEqual(['[old]', '[]', 'x', '[new]']);
  });

  test('[TERM-4] a screen gets the position of its content in the whole output', async () => {
    const it = await harness();
    const state = terminalState({ kind: 'client', clientId: 'c1' });
    const content = ['screen', 'rest'].map((value) => ({ type: 'unclassified', value }) as const);
    it.host.states.set(URI, { ...state, content, 'x-trimmed': { units: 5_000, isFolded: true } });
    const terminal = await opened(it);
    const places: unknown[] = [];
    terminal.attach({
      onReset: (text, place) => places.push([text, place]),
      onOutput: (text) => places.push(text),
    });
    await emit(it, data('!'), { type: 'terminal/cleared' }, data('?'));
    terminal.attach({ onReset: (text, place) => places.push([text, place]), onOutput: () => undefined });
    expect(places).toEqual([
      ['screenrest', { start: 5_000, screenLength: 6 }],
      '!',
      ['', { start: 5_005, screenLength: 0 }],
      '?',
      ['?', { start: 5_005, screenLength: 0 }],
    ]);
  });

  test('a stopped listener gets no output', async () => {
    const it = await harness();
    const terminal = await opened(it);
    const log: string[] = [];
    const stop = terminal.onOutput((text) => log.push(text));
    await emit(it, data('a'));
    stop();
    await emit(it, data('b'));
    expect(log).toEqual(['a']);
  });

  test('[TERM-6] exited resolves after all output, or at once for a terminal that has exited', async () => {
    const it = await harness();
    const terminal = await opened(it);
    const log = screen(terminal);
    void terminal.exited.then((code) => log.push(`exit ${code}`));
    await emit(it, data('bye'), { type: 'terminal/exited', exitCode: 130 });
    await microtasks();
    expect(log).toEqual(['[]', 'bye', 'exit 130']);
    await expect((await opened(it)).exited).resolves.toBe(130);
    expect(terminal.mayType).toBe(false);
  });

  test('[TERM-4] a mirror is bounded, screens get every piece, and a later mirror gets the state of the host', async () => {
    const it = await harness();
    const terminal = await opened(it);
    const log = screen(terminal);
    let length = 0;
    const piece = `${'x'.repeat(1_023)}\n`.repeat(512);
    for (let count = 0; count < 6; count += 1) await emit(it, data(piece));
    for (const text of log.slice(1)) length += text.length;
    expect(length).toBe(6 * piece.length);
    const kept = terminal.state.content.map((part) => (part.type === 'command' ? '' : part.value)).join('');
    expect(kept.length).toBeLessThanOrEqual(TERMINAL_MIRROR_LIMIT);
    expect(kept).toMatch(/^x{1023}\n/);
    const other = await opened(it);
    expect(other.mirror.confirmed).toBe(terminal.mirror.confirmed);
    expect(other.state).toEqual(it.host.states.get(URI));
    expect(log).toHaveLength(8);
  });
});

describe('input', () => {
  test('[REC-2] is not predicted, and settles with its echo', async () => {
    const it = await harness();
    const terminal = await opened(it);
    const before = terminal.state;
    const typed = terminal.input('ls\r');
    expect(terminal.state).toBe(before);
    await expect(it.run(typed)).resolves.toMatchObject({ outcome: 'accepted' });
    expect(terminal.state).toBe(before);
    await expect(it.run(terminal.input(''))).resolves.toEqual({ outcome: 'ignored' });
  });

  test('long input is sent in pieces, in order with later input, without cutting a character', async () => {
    const it = await harness();
    const terminal = await opened(it);
    const text = `x${'😀'.repeat(70_000)}`;
    const [first, second] = [terminal.input(text), terminal.input('\r')];
    await it.run(Promise.all([first, second]));
    const typed = it.host.dispatched.map(({ action }) =>
      action.type === 'terminal/input' ? action.data : '',
    );
    expect(typed.join('')).toBe(`${text}\r`);
    expect(typed.length).toBe(4);
    for (const piece of typed) {
      expect(piece.length).toBeLessThanOrEqual(65_536);
      expect(piece).not.toMatch(/\p{Surrogate}/u);
    }
  });

  test('refused input reports the reason', async () => {
    const it = await harness();
    const terminal = await opened(it);
    it.host.judge = () => ({ reject: 'notHolder: another client holds it' });
    await expect(it.run(terminal.input('x'))).resolves.toEqual({
      outcome: 'rejected',
      code: 'notHolder',
      reason: 'another client holds it',
    });
  });

  test('[ACT-5] after a drop input is typed exactly once', async () => {
    const it = await harness();
    const terminal = await opened(it);
    const arrived: string[] = [];
    it.host.judge = ({ action }) => {
      if (action.type === 'terminal/input') arrived.push(action.data);
      return undefined;
    };
    const first = terminal.input('a');
    await microtasks();
    // The action reaches the host and its echo is lost.
    it.pair.aToB.deliver();
    await microtasks();
    await it.cut();
    const second = terminal.input('b');
    await it.comeBack();
    expect(arrived).toEqual(['a', 'b']);
    await expect(first).resolves.toMatchObject({ outcome: 'rejected', code: 'outcomeExpired' });
    await expect(second).resolves.toMatchObject({ outcome: 'accepted' });
  });
});

describe('claims, size and title', () => {
  test('[TERM-5] claims for this client, a session and another client; narrowing keeps the session', async () => {
    const it = await harness();
    const terminal = await opened(it);
    const session = { session: 'demo:/1', chat: 'ahp-chat:/1', turnId: 't', toolCallId: 'c' };
    await it.run(terminal.claim(session));
    expect(terminal.holder).toEqual({ kind: 'session', ...session });
    expect(terminal.mayType).toBe(true);
    await it.run(terminal.narrow());
    expect(terminal.holder).toEqual({ kind: 'session', session: 'demo:/1', chat: 'ahp-chat:/1' });
    await expect(it.run(terminal.narrow())).resolves.toEqual({ outcome: 'ignored' });
    await it.run(terminal.claim('me'));
    expect(terminal.holder).toEqual({ kind: 'me' });
    await it.run(terminal.claim({ client: 'c2' }));
    expect(terminal.holder).toEqual({ kind: 'client', clientId: 'c2' });
    expect(terminal.mayType).toBe(false);
    expect(it.host.states.get(URI)).toMatchObject({ claim: { kind: 'client', clientId: 'c2' } });
  });

  test('[TERM-5] a client may type once the host has accepted its claim, and not after it has handed the terminal over', async () => {
    const it = await harness();
    const terminal = await opened(it);
    await it.run(terminal.claim({ client: 'c2' }));
    it.host.judge = () => ({ reject: 'alreadyClaimed: another client holds it' });
    const refused = terminal.claim('me');
    expect(terminal.holder).toEqual({ kind: 'me' });
    expect(terminal.mayType).toBe(false);
    await expect(it.run(refused)).resolves.toMatchObject({ outcome: 'rejected' });
    it.host.judge = () => undefined;
    const taken = terminal.claim('me');
    expect(terminal.mayType).toBe(false);
    await it.run(taken);
    expect(terminal.mayType).toBe(true);
    const handedOver = terminal.claim({ client: 'c2' });
    expect(terminal.mayType).toBe(false);
    await it.run(handedOver);
    expect(terminal.mayType).toBe(false);
  });

  test('[TERM-5] a client may type during its claim of a terminal that a session holds', async () => {
    const it = await harness();
    const terminal = await opened(it);
    await it.run(terminal.claim({ session: 'demo:/1', chat: 'ahp-chat:/1' }));
    const taken = terminal.claim('me');
    expect(terminal.mayType).toBe(true);
    await it.run(taken);
    expect(terminal.mayType).toBe(true);
  });

  test('size, title and clearing are actions', async () => {
    const it = await harness();
    const terminal = await opened(it);
    await emit(it, data('x'));
    await it.run(Promise.all([terminal.resize(100, 40), terminal.rename('top'), terminal.clear()]));
    expect(it.host.states.get(URI)).toMatchObject({ cols: 100, rows: 40, title: 'top', content: [] });
  });
});
