import { isAtLeast } from '../kit/bench.ts';
import { check } from '../kit/check.ts';
import { Violation } from '../kit/verdict.ts';
import type { RawClient } from '../link/raw-client.ts';
import { isObject, type Message, shown } from '../recording/entry.ts';

/** Whether a terminal's program runs, at every version. */
const isRunning = (state: Message, version: string): boolean =>
  isAtLeast(version, '0.9.0')
    ? isObject(state['lifecycle']) && state['lifecycle']['status'] === 'running'
    : state['exitCode'] === undefined;

/** Subscribes, and waits for the prompt: a shell that still starts may drop what is typed. */
async function prompted(client: RawClient, terminal: string): Promise<void> {
  const { state, fromSeq } = await client.subscribe(terminal);
  if (Array.isArray(state['content']) && state['content'].length > 0) return;
  await client.action(terminal, 'terminal/data', fromSeq);
}

/** Terminals. */
export const terminalChecks = [
  check(
    'TERM-1 TERM-20',
    'a terminal is created with a claim, runs, and is gone when it is disposed of',
    async (bench) => {
      const client = await bench.connect();
      const terminal = await bench.terminal(client);
      const { state, frame } = await client.subscribe(terminal);
      if (!isRunning(state, bench.version)) throw new Violation('the new terminal does not run', [frame]);
      const claim = { kind: 'client', clientId: client.clientId };
      await client.refused('createTerminal', { channel: terminal, claim }, -32010);
      await client.call('disposeTerminal', { channel: terminal });
      await client.refused('subscribe', { channel: terminal }, -32008);
      await client.refused('disposeTerminal', { channel: terminal }, -32008);
    },
  ),
  check('TERM-2', 'typed input is echoed to its sender alone, and its output to all', async (bench) => {
    const [writer, reader] = [await bench.connect(), await bench.connect()];
    const terminal = await bench.terminal(writer);
    await prompted(writer, terminal);
    await reader.subscribe(terminal);
    await writer.accepted(terminal, { type: 'terminal/input', data: 'echo kit-$((40+2))\r' });
    await reader.until(() => {
      const text = reader.envelopes
        .filter(({ channel, action }) => channel === terminal && action['type'] === 'terminal/data')
        .map(({ action }) => action['data'])
        .join('');
      return text.includes('kit-42') ? true : undefined;
    }, 'the output kit-42');
    const leaked = reader.envelopes.find(({ action }) => action['type'] === 'terminal/input');
    if (leaked !== undefined) throw new Violation('typed input reached another client', [leaked.frame]);
  }),
  check(
    'TERM-5',
    'only the holder may type, and nobody takes a claim from a connected client',
    async (bench) => {
      const [holder, other] = [await bench.connect(), await bench.connect()];
      const terminal = await bench.terminal(holder);
      await holder.subscribe(terminal);
      await other.subscribe(terminal);
      await other.rejected(terminal, { type: 'terminal/input', data: 'x' });
      const claim = { kind: 'client', clientId: other.clientId };
      await other.rejected(terminal, { type: 'terminal/claimed', claim });
      await holder.accepted(terminal, { type: 'terminal/claimed', claim });
      await holder.rejected(terminal, { type: 'terminal/input', data: 'x' });
    },
  ),
  check('TERM-6 TERM-20', 'a terminal whose program ends says so, with its code', async (bench) => {
    const client = await bench.connect();
    const terminal = await bench.terminal(client);
    await prompted(client, terminal);
    await client.accepted(terminal, { type: 'terminal/input', data: 'exit 7\r' });
    const exited = await client.action(terminal, 'terminal/exited');
    if (exited.action['exitCode'] !== 7)
      throw new Violation(`expected exitCode 7, got ${shown(exited.action['exitCode'])}`, [exited.frame]);
    const { state, frame } = await client.subscribe(terminal);
    if (isRunning(state, bench.version))
      throw new Violation('the exited terminal is shown as running', [frame]);
    await client.rejected(terminal, { type: 'terminal/input', data: 'x' });
  }),
];
