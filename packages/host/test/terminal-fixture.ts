import type { TerminalClaim, TerminalInfo, TerminalState } from '@agenthost/protocol';
import { expect } from 'vitest';
import { type HostFixture, ROOT, SESSION } from './host-fixture.ts';
import type { RawClient } from './raw-client.ts';

export const TERMINAL = 'ahp-terminal:/t';

/** The claim of a client for itself. */
export const ownClaim = ({ clientId }: RawClient): TerminalClaim => ({ kind: 'client', clientId });

/** The claim of the fixture's session, in the background. */
export const inSession = {
  kind: 'session',
  session: SESSION,
  chat: 'ahp-chat:/id-1',
} as const satisfies TerminalClaim;

/** A terminal of `client`, which is subscribed to it. */
export async function openTerminal(
  fixture: HostFixture,
  client: RawClient,
  params: object = {},
): Promise<void> {
  const id = client.ask('createTerminal', { channel: TERMINAL, claim: ownClaim(client), ...params });
  // Shell integration writes files, which takes real time.
  await expect
    .poll(async () => {
      await fixture.run();
      return client.answerTo(id)?.result;
    })
    .toBe(null);
  await client.subscribe(TERMINAL);
  await fixture.run();
}

/** The state of a terminal for a new subscriber. */
export async function terminalState(client: RawClient, uri = TERMINAL): Promise<TerminalState> {
  const { state } = await client.subscribe(uri);
  if (!('content' in state)) throw new Error(`${uri} is no terminal`);
  return state;
}

/** All output of a terminal. */
export const outputOf = ({ content }: Pick<TerminalState, 'content'>): string =>
  content.map((part) => (part.type === 'command' ? part.output : part.value)).join('');

/** The catalogue of terminals. */
export async function terminalList(client: RawClient): Promise<TerminalInfo[]> {
  const { state } = await client.subscribe(ROOT);
  return 'terminals' in state ? (state.terminals ?? []) : [];
}

/** The code of a rejection, the first word of its reason; `undefined` for an accepted dispatch. */
export async function rejection(
  client: RawClient,
  action: object,
  uri = TERMINAL,
): Promise<string | undefined> {
  const envelope = await client.act(uri, action);
  if (envelope === undefined) throw new Error('there was no echo');
  return envelope.rejectionReason?.split(':')[0];
}

/** The exit code of a terminal; `undefined` while it runs. */
export const exitCodeOf = ({ lifecycle }: Pick<TerminalInfo, 'lifecycle'>): number | undefined =>
  lifecycle.status === 'exited' ? lifecycle.exitCode : undefined;
