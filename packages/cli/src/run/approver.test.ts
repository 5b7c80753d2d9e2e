import type { TurnEvent } from '@agenthost/client';
import type { ConfirmationOption, ToolCallPendingConfirmationState } from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import { afterEach, describe, expect, test } from 'vitest';
import { FakeContext } from '../../test/fake-context.ts';
import { LineReader } from '../process/line-reader.ts';
import { Screen } from '../render/screen.ts';
import { type ApproveMode, Approver } from './approver.ts';

const always: ConfirmationOption = { id: 'always', label: 'Always', kind: 'approve' };
const once: ConfirmationOption = { id: 'once', label: 'Allow', kind: 'approve' };

interface Answers {
  readonly given: unknown[];
  readonly event: Extract<TurnEvent, { type: 'confirmation' }>;
}

function confirmation(toolCallId: string, options?: ConfirmationOption[]): Answers {
  const given: unknown[] = [];
  const toolCall: ToolCallPendingConfirmationState = {
    status: 'pending-confirmation',
    toolCallId,
    toolName: 'write',
    displayName: 'Write',
    invocationMessage: `Write ${toolCallId}`,
    ...defined({ options }),
  };
  const answer =
    (kind: string) =>
    async (how: object = {}) => {
      given.push({ kind, ...how });
      return { outcome: 'ignored' } as const;
    };
  return {
    given,
    event: { type: 'confirmation', toolCall, approve: answer('approve'), deny: answer('deny') },
  };
}

/** Lets typed lines and settled promises take effect. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const unasked = () => Promise.reject(new Error('no question was asked'));

describe('an approver', () => {
  let reader: LineReader | undefined;
  afterEach(() => reader?.close());

  const make = (mode: ApproveMode, hasPerson: boolean): { approver: Approver; context: FakeContext } => {
    const context = new FakeContext({ isTerminal: hasPerson });
    context.env = { NO_COLOR: '1' };
    reader = hasPerson ? new LineReader(context.stdin) : undefined;
    const screen = new Screen(context);
    const form = () => ({ request: undefined, submit: unasked, skip: unasked });
    const elsewhere = 'agenthost watch 1';
    return { context, approver: new Approver({ mode, screen, reader, elsewhere, form }) };
  };

  test('with all approves without an option, so that the approval holds once', () => {
    const { approver } = make('all', false);
    const { event, given } = confirmation('a', [always, once]);
    approver.handle(event);
    expect(given).toEqual([{ kind: 'approve' }]);
  });

  test('with all denies a call whose approvals are all permanent', () => {
    const { approver } = make('all', false);
    const { event, given } = confirmation('a', [always]);
    approver.handle(event);
    expect(given).toEqual([{ kind: 'deny', reasonMessage: 'It could not be allowed once only' }]);
  });

  test('with none denies', () => {
    const { approver } = make('none', true);
    const { event, given } = confirmation('a');
    approver.handle(event);
    expect(given).toMatchObject([{ kind: 'deny' }]);
  });

  test('with ask and without a person answers nothing and prints the command to answer', async () => {
    const { approver, context } = make('ask', false);
    const { event, given } = confirmation('a');
    approver.handle(event);
    await settle();
    expect(given).toEqual([]);
    expect(context.err).toContain('? Write a?');
    expect(context.err).toContain('waiting for another client to answer: agenthost watch 1');
  });

  test('without a person goes on without MCP servers and hooks that nobody has allowed, and says so', async () => {
    const { approver, context } = make('ask', false);
    const { event, given } = confirmation('a', [once]);
    const toolInput = 'docs: npx docs\nfiles: npx files';
    approver.handle({ ...event, toolCall: { ...event.toolCall, toolName: 'mcp_servers', toolInput } });
    await settle();
    expect(given).toEqual([{ kind: 'deny', reasonMessage: 'Nobody is there to allow them' }]);
    expect(context.err).toContain('continuing without the MCP servers of the project (docs, files)');
    const hooks = confirmation('b', [once]);
    approver.handle({ ...hooks.event, toolCall: { ...hooks.event.toolCall, toolName: 'hooks' } });
    await settle();
    expect(hooks.given).toEqual(given);
    expect(context.err).toContain('continuing without the hooks: no user can allow them here');
  });

  test('with ask asks one question after another, and takes the typed option', async () => {
    const { approver, context } = make('ask', true);
    const [first, second] = [confirmation('a', [always, once]), confirmation('b')];
    approver.handle(first.event);
    approver.handle(second.event);
    await settle();
    expect(context.err).not.toContain('Write b?');
    context.stdin.write('1\n');
    await settle();
    expect(first.given).toEqual([{ kind: 'approve', optionId: 'once' }]);
    context.stdin.write('n\n');
    await settle();
    expect(second.given).toEqual([{ kind: 'deny' }]);
  });

  test('prints the command to answer when input ends at a question, and for later questions', async () => {
    const { approver, context } = make('ask', true);
    const [first, second] = [confirmation('a'), confirmation('b')];
    approver.handle(first.event);
    approver.handle(second.event);
    await settle();
    context.stdin.end();
    await settle();
    expect(context.err.split('waiting for another client to answer: agenthost watch 1')).toHaveLength(3);
    expect(context.err).toContain('? Write b?');
    expect([...first.given, ...second.given]).toEqual([]);
  });

  test('removes a question that another client has answered', async () => {
    const { approver, context } = make('ask', true);
    const { event, given } = confirmation('a');
    approver.handle(event);
    await settle();
    const running = { ...event.toolCall, status: 'running', confirmed: 'user-action' } as const;
    approver.handle({ type: 'toolCall', toolCall: running, change: 'running' });
    await settle();
    expect(context.err).toContain('answered by another client');
    context.stdin.write('1\n');
    await settle();
    expect(given).toEqual([]);
  });
});
