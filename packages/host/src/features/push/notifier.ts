import { hostname } from 'node:os';
import { findById, isWithinScope, type TokenScope } from '@agenthost/protocol';
import type { Cancel, Clock, Timers } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { PresentClients } from '../../presence/present-clients.ts';
import type { Channel } from '../../sync/channel.ts';
import type { Sync } from '../../sync/sync.ts';
import type { PushMessage } from './delivery.ts';
import type { StoredDevice } from './devices.ts';
import { type AskedQuestion, type EndedTurn, isQuestion } from './occasions.ts';
import { type Notice, payloadOf, type Question, questionText, tagOf, turnText } from './payload.ts';
import { isQuiet } from './quiet-hours.ts';
import type { PushSender } from './sender.ts';
import { pushTexts } from './texts.ts';
import type { Tickets } from './tickets.ts';

/** The push service keeps the message for an unreachable device for this time. */
const TTL_SECONDS = 86_400;
const TEST_TTL_SECONDS = 60;
/** A lost connection is found within 30 s. Until then a lost client counts as in the foreground. */
const LOST_AFTER_MS = 45_000;
/** Most occasions that wait for the loss of a connection. */
const MAX_WATCHED = 256;

interface Parts {
  readonly sync: Sync;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
  readonly presentClients: PresentClients;
  readonly sender: PushSender;
  readonly tickets: Tickets;
  /** The devices whose tokens are valid. */
  devices(): readonly StoredDevice[];
  find(id: string): StoredDevice | undefined;
  /** The right of a device in a session: the scope of its token, or the role of its person if that is greater. */
  rightIn(device: StoredDevice, session: string): TokenScope;
}

/** Decides which devices get a push, and writes its message. */
export class Notifier {
  readonly #parts: Parts;
  readonly #host = hostname();
  readonly #watched = new Set<Cancel>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Pushes a waiting question. Does nothing if it was answered meanwhile, or a visible client shows it. */
  question(asked: AskedQuestion): void {
    this.#run(asked.session, async () => {
      const session = await this.#parts.sync.registry.openOf('session', asked.session);
      const question = questionOf(session, asked.id);
      if (session === undefined || question === undefined) return;
      if (this.#isShown(session, question.chat, () => this.question(asked))) return;
      this.#send('inputNeeded', session, (device) => {
        const present = questionOf(session, asked.id);
        return present && this.#questionNotice(device, session, present);
      });
    });
  }

  /** Pushes the end of a turn. Does nothing if the next turn runs, or a visible client shows the chat. */
  turnEnded(ended: EndedTurn): void {
    const { session: sessionUri, chat: chatUri, turnId } = ended;
    this.#run(sessionUri, async () => {
      const { registry } = this.#parts.sync;
      const session = await registry.openOf('session', sessionUri);
      const chat = await registry.openOf('chat', chatUri);
      if (session === undefined || chat === undefined) return;
      if (this.#isShown(session, chatUri, () => this.turnEnded(ended))) return;
      this.#send('turnEnded', session, (device) => {
        const turn = chat.state.turns.at(-1);
        if (!chat.isAlive || chat.state.activeTurn !== undefined || turn?.id !== turnId) return undefined;
        const body = turnText(turn, pushTexts(device.locale));
        return { ...this.#noticeIn(session, chatUri, body), kind: 'turnEnded' };
      });
    });
  }

  /** The message of a test. */
  testMessage(device: StoredDevice): PushMessage {
    const body = pushTexts(device.locale).test;
    const notice: Notice = {
      kind: 'test',
      host: this.#host,
      session: '',
      chat: '',
      title: device.device,
      body,
    };
    const json = payloadOf(notice);
    return { subscription: device.subscription, json, urgency: 'high', ttlSeconds: TEST_TTL_SECONDS };
  }

  /** Forgets the occasions that wait. */
  stop(): void {
    for (const cancel of this.#watched) cancel();
    this.#watched.clear();
  }

  /**
   * Whether a client in the foreground shows the chat or its session. `again` is called later if all of these clients turn out to be lost: a device
   * that falls asleep reports nothing.
   */
  #isShown(session: Channel<'session'>, chat: string, again: () => void): boolean {
    const { presentClients, timers } = this.#parts;
    const viewers = presentClients.viewersOf([session.uri, chat]);
    if (viewers.length === 0) return false;
    if (this.#watched.size < MAX_WATCHED) {
      const cancel = timers.after(LOST_AFTER_MS, () => {
        this.#watched.delete(cancel);
        if (!viewers.some((viewer) => presentClients.isConnected(viewer))) again();
      });
      this.#watched.add(cancel);
    }
    return true;
  }

  #send(
    kind: 'inputNeeded' | 'turnEnded',
    session: Channel<'session'>,
    noticeFor: (device: StoredDevice) => Notice | undefined,
  ): void {
    const { sender, clock } = this.#parts;
    if (session.hostData.importing !== undefined) return;
    const topic = tagOf(session.uri);
    // Asked again when the push service has time for the message: a role may end meanwhile.
    const noticeOf = (device: StoredDevice): Notice | undefined =>
      isWithinScope(this.#parts.rightIn(device, session.uri), 'observe') ? noticeFor(device) : undefined;
    for (const { id, events, quietHours, mutedSessions } of this.#parts.devices()) {
      if (!events[kind] || mutedSessions.includes(session.uri)) continue;
      if (quietHours !== undefined && isQuiet(quietHours, clock.now())) continue;
      const make = (): PushMessage | undefined => {
        const device = this.#parts.find(id);
        const notice = device && noticeOf(device);
        if (device === undefined || notice === undefined) return undefined;
        const urgency = kind === 'inputNeeded' ? 'high' : 'normal';
        const { subscription } = device;
        return { subscription, json: payloadOf(notice), topic, urgency, ttlSeconds: TTL_SECONDS };
      };
      // A message without content would only replace an earlier one.
      const device = this.#parts.find(id);
      if (device !== undefined && noticeOf(device) !== undefined) sender.send({ device: id, topic, make });
    }
  }

  #noticeIn(session: Channel<'session'>, chat: string, body: string): Omit<Notice, 'kind'> {
    const title = session.state.title.trim() === '' ? session.state.provider : session.state.title;
    return { host: this.#host, session: session.uri, chat, title, body };
  }

  #questionNotice(device: StoredDevice, session: Channel<'session'>, question: Question): Notice {
    const texts = pushTexts(device.locale);
    const notice: Notice = {
      ...this.#noticeIn(session, question.chat, questionText(question, texts)),
      kind: 'inputNeeded',
      ask: question.id,
    };
    if (question.kind !== 'toolConfirmation' || question.toolCall.status !== 'pending-confirmation')
      return notice;
    if (!isWithinScope(this.#parts.rightIn(device, session.uri), 'interact')) return notice;
    const { options, toolCallId } = question.toolCall;
    // With permanent options alone, a plain yes would be permanent too.
    const isOnce =
      options === undefined ||
      options.some((option) => option.kind === 'approve' && option['x-lasting'] !== true);
    const { turnId, chat } = question;
    return {
      ...notice,
      actions: [
        ...(isOnce ? [{ action: 'allow' as const, title: texts.allow }] : []),
        { action: 'deny', title: texts.deny },
      ],
      ticket: this.#parts.tickets.issue({ device: device.id, chat, turnId, toolCallId }),
    };
  }

  #run(session: string, work: () => Promise<void>): void {
    if (this.#parts.devices().length === 0) return;
    work().catch((error: unknown) => this.#parts.log.error({ error, session }, 'a push could not be made'));
  }
}

function questionOf(session: Channel<'session'> | undefined, id: string): Question | undefined {
  const found = session?.isAlive === true ? findById(session.state.inputNeeded, id) : undefined;
  return isQuestion(found) ? found : undefined;
}
