import type { PushPayload } from '@agenthost/protocol';

/** A push of the host, read: show a notification, or close one whose question was answered elsewhere. */
export type ReadPush =
  | {
      readonly type: 'show';
      readonly kind: PushPayload['kind'];
      readonly title: string;
      readonly body: string;
      readonly tag: string;
      /** Path of the page below its base. */
      readonly url: string;
      readonly actions: readonly { readonly action: 'allow' | 'deny'; readonly title: string }[];
      readonly ticket: string | undefined;
    }
  | { readonly type: 'close'; readonly tag: string };

/** Reads the payload of a push; `undefined` for one that this version does not know. */
export function readPush(payload: unknown): ReadPush | undefined {
  if (!isRecord(payload)) return undefined;
  const { kind, tag, url, ticket } = payload;
  if (typeof tag !== 'string') return undefined;
  if (kind === 'close') return { type: 'close', tag };
  if (kind !== 'inputNeeded' && kind !== 'turnEnded' && kind !== 'test') return undefined;
  return {
    type: 'show',
    kind,
    title: titleOf(payload),
    body: textOf(payload['body']),
    tag,
    url: typeof url === 'string' ? url : '/',
    actions: typeof ticket === 'string' ? actionsOf(payload['actions']) : [],
    ticket: typeof ticket === 'string' ? ticket : undefined,
  };
}

/** A notification's stored `data`, which survives the end of the worker. */
export interface NotificationData {
  readonly url: string;
  readonly ticket?: string | undefined;
}

/** Reads the `data` of a notification. */
export function readData(data: unknown): NotificationData {
  if (!isRecord(data)) return { url: '/' };
  const { url, ticket } = data;
  return {
    url: typeof url === 'string' ? url : '/',
    ticket: typeof ticket === 'string' ? ticket : undefined,
  };
}

function titleOf({ title, host }: Readonly<Record<string, unknown>>): string {
  const [session, machine] = [textOf(title), textOf(host)];
  return [session, machine].filter((part) => part !== '').join(' · ');
}

function actionsOf(actions: unknown): { action: 'allow' | 'deny'; title: string }[] {
  if (!Array.isArray(actions)) return [];
  const given: readonly unknown[] = actions;
  return given.flatMap((each) => {
    if (!isRecord(each)) return [];
    const { action, title } = each;
    return (action === 'allow' || action === 'deny') && typeof title === 'string' ? [{ action, title }] : [];
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
