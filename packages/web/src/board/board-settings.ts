import { createSetting } from '../live/setting.ts';
import type { Grouping } from './group-sessions.ts';

/** How lists of sessions are grouped, kept in this browser. */
export const groupingSetting = createSetting<Grouping>('grouping', 'need', (stored) =>
  stored === 'project' ? 'project' : 'need',
);

/** Ids of the groups that are closed, kept in this browser. */
export const closedGroupsSetting = createSetting<readonly string[]>('closedGroups', [], (stored) =>
  Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : [],
);

/** Most groups that are remembered as closed. */
const MAX_CLOSED = 200;

/** Switches to the other grouping. */
export function switchGrouping(): void {
  groupingSetting.set(groupingSetting.value === 'need' ? 'project' : 'need');
}

/** Opens or closes a group. */
export function toggleGroup(id: string): void {
  const closed = closedGroupsSetting.value;
  closedGroupsSetting.set(
    closed.includes(id) ? closed.filter((each) => each !== id) : [...closed, id].slice(-MAX_CLOSED),
  );
}
