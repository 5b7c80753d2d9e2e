import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { PushSubscriptionInfo } from '@agenthost/protocol';
import type { RequestDetails } from 'web-push';
import type { Timers } from '../../lib/clock.ts';
import { requestShortly, type ShortAnswer } from '../../lib/short-request.ts';
import { type EndpointPolicy, endpointProblem, isAllowedAddress } from './endpoint.ts';
import type { VapidKeys } from './vapid-keys.ts';

/** Time limit of one delivery. */
const LIMIT_MS = 20_000;

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
  async send(message: PushMessage, signal: AbortSignal): Promise<ShortAnswer> {
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
): Promise<ShortAnswer> {
  const url = new URL(endpoint);
  return requestShortly(
    url,
    { method, headers: { ...headers, host: url.host }, lookup: publicLookup(policy), body },
    { who: 'the push service', limitMs: LIMIT_MS, timers, signal },
  );
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
