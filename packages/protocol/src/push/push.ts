import type { ConnectionParams, Count, URI } from '../wire/basics.ts';

/** `x-pushKey` (extension): the key that a browser subscribes to Web Push with. */
export interface PushKeyParams extends ConnectionParams {}

/** The public half of the host's VAPID key. */
export interface PushKeyResult {
  /** An uncompressed P-256 point in base64url: the `applicationServerKey` of `pushManager.subscribe`. */
  publicKey: string;
}

/** A subscription as `PushSubscription.toJSON()` returns it. */
export interface PushSubscriptionInfo {
  /** URL of the push service. The host sends to `https:` URLs outside of private networks. */
  endpoint: string;
  keys: PushSubscriptionKeys;
}

/** The keys that payloads are encrypted with, in base64url. */
export interface PushSubscriptionKeys {
  p256dh: string;
  auth: string;
}

/**
 * `x-subscribePush` (extension): registers a browser for Web Push. The same endpoint again replaces the subscription and keeps id, mutes and
 * events. The device belongs to the caller's token and ends with it. At most 16 devices of one token and 64 of one host.
 */
export interface SubscribePushParams extends ConnectionParams {
  subscription: PushSubscriptionInfo;
  /** Name for people, such as `Chrome on Android`, at most 100 characters. */
  device: string;
  /** BCP 47, for the texts of the host. Absent: English. */
  locale?: string;
  /** Absent: as before, at first none. */
  quietHours?: QuietHours;
}

/** The registered device. */
export interface SubscribePushResult {
  id: string;
}

/** A time of each day in which a device gets no push. `from` after `to` spans midnight; equal times span the whole day. */
export interface QuietHours {
  /** `HH:MM`, 00:00 to 23:59. */
  from: string;
  /** `HH:MM`, not included. */
  to: string;
  /** IANA name, such as `Europe/Berlin`. */
  timeZone: string;
}

/** The occasions that a device gets pushes for. */
export interface PushEvents {
  inputNeeded: boolean;
  turnEnded: boolean;
}

/** `x-listPush` (extension): the devices of the caller's token, and all devices for admins; oldest first. */
export interface ListPushParams extends ConnectionParams {}

/** Registered devices. */
export interface ListPushResult {
  items: PushDevice[];
}

/** A device that gets pushes. */
export interface PushDevice {
  id: string;
  device: string;
  /** ISO 8601. */
  createdAt: string;
  /** Whether it belongs to the caller's token. */
  isMine: boolean;
  /** Absent: none. */
  quietHours?: QuietHours;
  mutedSessions: URI[];
  events: PushEvents;
  /** ISO 8601: the last push that the push service accepted. Absent: none. */
  lastSentAt?: string;
  /** The last push, if it failed. Absent: it was accepted, or there was none. */
  lastFailure?: PushFailure;
}

/** Why a push was not delivered. */
export interface PushFailure {
  /** ISO 8601. */
  at: string;
  /** HTTP status of the push service. Absent: it did not answer. */
  status?: Count;
  /** For people. */
  reason: string;
}

/** `x-updatePush` (extension): changes settings of a device. Absent members stay as they are. */
export interface UpdatePushParams extends ConnectionParams {
  /** `id` of the device. */
  id: string;
  /** `null` removes them. */
  quietHours?: QuietHours | null;
  /** Sessions that send this device nothing, at most 1,000. Replaces the list. */
  mutedSessions?: URI[];
  events?: PushEvents;
}

/** `x-revokePush` (extension): removes a device. */
export interface RevokePushParams extends ConnectionParams {
  /** `id` of the device. */
  id: string;
}

/**
 * `x-testPush` (extension): sends a push now, whatever quiet hours and visible clients say. `-32011`: the push service did not accept it; the
 * message says why.
 */
export interface TestPushParams extends ConnectionParams {
  /** `id` of the device. */
  id: string;
}

/** The answer of the push service. */
export interface TestPushResult {
  /** HTTP status, 200 to 299. */
  status: Count;
}

/** The decrypted JSON of a push, for the service worker. Less than 3 kB. */
export interface PushPayload {
  kind: 'inputNeeded' | 'turnEnded' | 'test';
  /** Name of the machine. */
  host?: string;
  /** `''` in a test. */
  session: URI;
  /** `''` in a test. */
  chat: URI;
  /** Title of the session. */
  title: string;
  /** The question, or the first line of the answer or of the error; at most 200 characters. */
  body: string;
  /** Same for all pushes of a session: a later notification replaces the earlier one. */
  tag: string;
  /** Path of the page below its base, such as `/s/ahp-session%3A%2Fx?chat=…&ask=…`. */
  url: string;
  /** Answers that need no page. Absent: open the page. */
  actions?: PushAction[];
  /** For `POST /push-answer`, with `actions`. */
  ticket?: string;
}

/** A button of a notification. */
export interface PushAction {
  action: 'allow' | 'deny';
  /** For people, in the language of the device. */
  title: string;
}
