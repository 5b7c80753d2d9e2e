import { type Entry, isObject, type Message, shown } from '../recording/entry.ts';

/** Longest text of a frame in a line, in UTF-16 code units. */
const MAX_LENGTH = 160;

/**
 * Turns entries of a recording into lines for people: time, connection, direction and content. One
 * instance reads one recording, because the line of an answer names its request.
 */
export class EntryLines {
  /** Methods of requests without an answer so far, by connection, sender and id. */
  readonly #asked = new Map<string, string>();

  lineOf(entry: Entry): string {
    const time = new Date(entry.timeMs).toISOString().slice(11, 23);
    if ('droppedCount' in entry) return `${time}       ${entry.droppedCount} frames are missing`;
    const head = `${time} #${entry.connection}`;
    if ('closed' in entry) {
      const { code, reason } = entry.closed;
      return `${head} × closed with ${code}${reason === '' ? '' : `: ${reason}`}`;
    }
    const isOut = entry.direction === 'client-to-host';
    const text =
      entry.message === undefined
        ? '(unreadable)'
        : this.#textOf(entry.message, `${entry.connection}`, isOut);
    return `${head} ${isOut ? '→' : '←'} ${text}`;
  }

  #textOf(message: Message, connection: string, isOut: boolean): string {
    const { id, method, params, result, error } = message;
    if (typeof method === 'string') {
      if (id === undefined) return cut(notification(method, params));
      this.#asked.set(`${connection} ${isOut} ${shown(id)}`, method);
      return cut(`${method} (${shown(id)})${channelOf(params)}${detailsOf(method, params)}`);
    }
    const key = `${connection} ${!isOut} ${shown(id)}`;
    const asked = this.#asked.get(key) ?? 'an unknown request';
    this.#asked.delete(key);
    if (isObject(error))
      return cut(`${asked} (${shown(id)}) failed: ${shown(error['code'])} ${shown(error['message'])}`);
    return cut(`${asked} (${shown(id)}) answered: ${JSON.stringify(result) ?? 'nothing'}`);
  }
}

function notification(method: string, params: unknown): string {
  if (!isObject(params) || !isObject(params['action']))
    return `${method}${channelOf(params)}${detailsOf(method, params)}`;
  const { action, serverSeq, clientSeq, rejectionReason, origin } = params;
  const { type, ...rest } = action;
  const number = serverSeq === undefined ? `own ${shown(clientSeq)}` : `seq ${shown(serverSeq)}`;
  const by = isObject(origin) ? ` by ${shown(origin['clientId'])}/${shown(origin['clientSeq'])}` : '';
  const refused = rejectionReason === undefined ? '' : ` REJECTED ${shown(rejectionReason)}`;
  return `${method} ${shown(type)} ${number}${by}${channelOf(params)}${refused} ${JSON.stringify(rest)}`;
}

function detailsOf(_method: string, params: unknown): string {
  if (!isObject(params)) return '';
  const { channel: _channel, ...rest } = params;
  return Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
}

const channelOf = (params: unknown): string =>
  isObject(params) && typeof params['channel'] === 'string' ? ` ${params['channel']}` : '';

const cut = (text: string): string =>
  text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`;
