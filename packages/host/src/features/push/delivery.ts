import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { PushSubscriptionInfo } from '@agenthost/protocol';
import { errorText } from '@agenthost/protocol/values';
import type { RequestDetails } from 'web-push';
import type { Cancel, Timers } from '../../lib/clock.ts';
import { type EndpointPolicy, endpointProblem, hostOf, isAllowedAddress } from './endpoint.ts';
import type { VapidKeys } from './vapid-keys.ts';

/** Time limit of one delivery. */
const LIMIT_MS = 20_000;
/** Bytes of an answer that are read, for its reason. */
const MAX_ANSWER_BYTES = 1_024;

/** One encrypted message for one device. */
export interface PushMessage {
  readonly subscription: PushSubscriptionInfo;
  readonly json: string;
  /** At most 32 characters of base64url: the push service keeps only the newest undelivered message of a topic. Absent: none. */
  readonly topic?: string;
  readonly urgency: 'normal' | 'high';
  /** Time for which the push service keeps the message for an unreachable device. */
  readonly ttlSeconds: number;
}

/** The answer of a push service. */
export interface PushAnswer {
  readonly status: number;
  /** The beginning of its body, for people. */
  readonly text: string;
  /** Its `Retry-After` in ms; `undefined`: absent. */
  readonly retryAfterMs: number | undefined;
}

/** Encrypts messages and sends them to push services. */
export class Delivery {
  readonly #parts: {
    readonly timers: Timers;
    readonly policy: EndpointPolicy;
    readonly contact: string;
    keys(): Promise<VapidKeys>;
  };

  /** `contact`: `mailto:` or `https:` URL for the operators of push services. */
  constructor(parts: {
    readonly timers: Timers;
    readonly policy: EndpointPolicy;
    readonly contact: string;
    keys(): Promise<VapidKeys>;
  }) {
    this.#parts = parts;
  }

  /** Sends a message once. Resolves with any answer of the push service; rejects if there is none, and when `signal` aborts. */
  async send(message: PushMessage, signal: AbortSignal): Promise<PushAnswer> {
    const { policy, contact, timers } = this.#parts;
    const problem = endpointProblem(message.subscription.endpoint, policy);
    if (problem !== undefined) throw new Error(problem);
    const keys = await this.#parts.keys();
    // Most hosts send no push, and the module takes 3 MB.
    const { default: webPush } = await import('web-push');
    const { subscription, json, topic, urgency, ttlSeconds } = message;
    const details = webPush.generateRequestDetails(subscription, json, {
      vapidDetails: { subject: contact, ...keys },
      TTL: ttlSeconds,
      urgency,
      ...(topic === undefined ? {} : { topic }),
    });
    return post(details, { policy, timers, signal });
  }
}

function post(
  { endpoint, method, headers, body }: RequestDetails,
  {
    policy,
    timers,
    signal,
  }: { readonly policy: EndpointPolicy; readonly timers: Timers; readonly signal: AbortSignal },
): Promise<PushAnswer> {
  const url = new URL(endpoint);
  // An `import` would read all exports of the module, see `plain-http.ts`.
  const { request } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https');
  return new Promise((resolve, reject) => {
    const options = {
      host: hostOf(url),
      port: url.port === '' ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...headers, host: url.host },
      // A connection of its own, which ends with the answer.
      agent: false,
      lookup: publicLookup(policy),
      signal,
    };
    const sending = request(options, (response) => {
      let text = '';
      const settle = (): void => {
        const { statusCode: status = 0 } = response;
        resolve({ status, text, retryAfterMs: retryAfterMs(response.headers['retry-after']) });
        response.destroy();
      };
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text = `${text}${chunk}`.slice(0, MAX_ANSWER_BYTES);
        if (text.length === MAX_ANSWER_BYTES) settle();
      });
      response.on('end', settle);
      response.on('error', settle);
    });
    const cancel: Cancel = timers.after(LIMIT_MS, () =>
      sending.destroy(new Error(`no answer within ${LIMIT_MS / 1_000} s`)),
    );
    sending.on('error', (error) => reject(new Error(errorText(error), { cause: error })));
    sending.on('close', () => {
      cancel();
      reject(new Error('the push service closed the connection'));
    });
    sending.end(body);
  });
}

/** Resolves a name to its public addresses only. The check is here and not before: a name may have other addresses a moment later. */
const publicLookup =
  (policy: EndpointPolicy): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      const allowed = addresses.filter(({ address }) => isAllowedAddress(address, policy));
      const [first] = allowed;
      if (first === undefined)
        return callback(new Error(`${hostname} has no address on the public internet`), '', 0);
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };

const retryAfterMs = (header: string | undefined): number | undefined =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
