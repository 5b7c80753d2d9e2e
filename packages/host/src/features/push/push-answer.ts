import {
  type Author,
  type ChatAction,
  isWithinScope,
  type TokenScope,
  type ToolCallState,
} from '@agenthost/protocol';
import { defined } from '@agenthost/protocol/values';
import type { Caller, ChannelModules, Plan, Rejection } from '../../handler-port/channel-module.ts';
import type { HttpAnswer, HttpRoute } from '../../handler-port/http-route.ts';
import type { Channel } from '../../sync/channel.ts';
import { JournalUnavailable } from '../../sync/commit-path.ts';
import type { Sink } from '../../sync/subscription.ts';
import type { Sync } from '../../sync/sync.ts';
import { findToolCall } from '../../turns/tools/tool-call.ts';
import type { StoredDevice } from './devices.ts';
import type { TicketSubject, Tickets } from './tickets.ts';

interface Parts {
  readonly sync: Sync;
  readonly tickets: Tickets;
  /** Plans the actions of clients. Read when a request comes, since later features add to it. */
  modules(): ChannelModules;
  /** A device whose token is valid. */
  find(id: string): StoredDevice | undefined;
  /** The person of a token; `undefined`: it has none. */
  personOf(tokenHash: string): string | undefined;
  /** The right of a device in a session: the scope of its token, or the role of its person if that is greater. */
  rightIn(device: StoredDevice, session: string): TokenScope;
}

/** The caller gets only the HTTP answer. */
const NO_SINK: Sink = {
  envelope: () => undefined,
  frame: () => undefined,
  notification: () => undefined,
};

const INVALID = refusal(400, 'expected {"ticket": string, "action": "allow" | "deny"}');
const EXPIRED = refusal(410, 'this answer has expired: open the page');
const ANSWERED = refusal(409, 'the question was answered already');

/** Answers a tool call by the ticket of a push: allowed once, or denied. The service worker of a page has no token. */
export function pushAnswerRoute(parts: Parts): HttpRoute {
  const { sync, tickets } = parts;
  return async (body) => {
    const given = parseAnswer(body);
    if (given === undefined) return INVALID;
    const subject = tickets.use(given.ticket);
    if (subject === 'used') return ANSWERED;
    const device = subject === 'unknown' ? undefined : parts.find(subject.device);
    if (subject === 'unknown' || device === undefined) return EXPIRED;
    const chat = await sync.registry.openOf('chat', subject.chat);
    if (chat === undefined || !isWithinScope(parts.rightIn(device, chat.session ?? ''), 'interact'))
      return EXPIRED;
    try {
      return await answer(parts, { chat, subject, device }, given.action);
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) throw error;
      tickets.giveBack(given.ticket);
      return refusal(503, error.message);
    }
  };
}

async function answer(
  { sync, modules, personOf }: Parts,
  {
    chat,
    subject,
    device,
  }: {
    readonly chat: Channel<'chat'>;
    readonly subject: TicketSubject;
    readonly device: StoredDevice;
  },
  chosen: 'allow' | 'deny',
): Promise<HttpAnswer> {
  const call = findToolCall(chat.state, subject.toolCallId);
  if (chat.state.activeTurn?.id !== subject.turnId || call?.status !== 'pending-confirmation')
    return ANSWERED;
  const author = authorOf(device, personOf(device.tokenHash));
  const action = actionFor(call, subject, author, chosen);
  if (action === undefined) return refusal(409, 'this call can only be allowed permanently: open the page');
  const module = modules().chat;
  if (module === undefined) return EXPIRED;
  let planned = module.plan(chat, action, callerOf(device));
  while (planned instanceof Promise) {
    const next = await planned;
    planned = next();
  }
  if (isRejection(planned)) return ANSWERED;
  const plan = planned;
  await sync.commit('client', (tx) => {
    const final = typeof plan.action === 'function' ? plan.action(tx) : plan.action;
    plan.before?.(tx);
    tx.emit(chat, final);
    plan.after?.(tx);
  });
  return { status: 200, body: { ok: true } };
}

/** The answer to a call; `undefined`: it can only be allowed permanently. */
function actionFor(
  call: Extract<ToolCallState, { status: 'pending-confirmation' }>,
  { turnId, toolCallId }: TicketSubject,
  author: Author,
  chosen: 'allow' | 'deny',
): ChatAction | undefined {
  const base = { type: 'chat/toolCallConfirmed', turnId, toolCallId, 'x-by': author } as const;
  if (chosen === 'deny') return { ...base, approved: false, reason: 'denied' };
  if (call.options === undefined) return { ...base, approved: true, confirmed: 'user-action' };
  const once = call.options.find(
    ({ kind, 'x-lasting': isLasting }) => kind === 'approve' && isLasting !== true,
  );
  return once && { ...base, approved: true, confirmed: 'user-action', selectedOptionId: once.id };
}

const authorOf = (device: StoredDevice, person: string | undefined): Author => ({
  clientId: clientIdOf(device),
  name: device.device,
  device: device.device,
  ...defined({ person }),
});

const callerOf = (device: StoredDevice): Caller => ({
  clientId: clientIdOf(device),
  tokenHash: device.tokenHash,
  scope: device.scope,
  isAdmin: device.scope === 'admin',
  locale: device.locale ?? 'en',
  sink: NO_SINK,
});

const clientIdOf = ({ id }: StoredDevice): string => `push-${id}`;

const isRejection = (planned: Rejection | Plan<'chat'>): planned is Rejection => 'code' in planned;

function parseAnswer(body: string): { ticket: string; action: 'allow' | 'deny' } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const ticket = 'ticket' in value ? value.ticket : undefined;
  const action = 'action' in value ? value.action : undefined;
  if (typeof ticket !== 'string' || (action !== 'allow' && action !== 'deny')) return undefined;
  return { ticket, action };
}

function refusal(status: number, reason: string): HttpAnswer {
  return { status, body: { ok: false, reason } };
}
