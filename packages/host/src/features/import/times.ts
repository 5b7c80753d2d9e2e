import { type ExportedChatHead, type ExportedSession, invalidParam } from '@agenthost/protocol';

const ISO_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Throws `-32602` for a time in an exported session that is none of ISO 8601. */
export function checkTimes(session: ExportedSession, chats: readonly ExportedChatHead[]): void {
  const times: readonly (readonly [name: string, time: string | undefined])[] = [
    ['session.createdAt', session.createdAt],
    ['session.modifiedAt', session.modifiedAt],
    ...chats.map(({ modifiedAt }, index) => [`chats[${index}].modifiedAt`, modifiedAt] as const),
  ];
  for (const [name, time] of times) {
    if (time === undefined || (ISO_TIME.test(time) && !Number.isNaN(Date.parse(time)))) continue;
    throw invalidParam(name, `${JSON.stringify(time.slice(0, 100))} is not a time as 2026-05-31T14:00:00Z`);
  }
}
