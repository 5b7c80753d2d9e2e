import type { ActionEnvelope } from '@agenthost/protocol';

/** Envelopes for one client only, which are not journaled [ACT-7]. */
export const isPrivate = ({ action, origin, rejectionReason }: ActionEnvelope): boolean =>
  rejectionReason !== undefined ||
  action.type === 'chat/turnsLoaded' ||
  action.type === 'terminal/input' ||
  (action.type === 'chat/truncated' && origin === undefined);

/** Whether `merged` is `last` with the text of earlier appends merged into it [SUB-4]. */
export function isMergeOf(merged: ActionEnvelope, last: ActionEnvelope): boolean {
  const [a, b] = [appended(merged), appended(last)];
  return (
    merged.channel === last.channel &&
    a !== undefined &&
    b !== undefined &&
    a.target === b.target &&
    a.text.endsWith(b.text)
  );
}

function appended({ action }: ActionEnvelope): { target: string; text: string } | undefined {
  switch (action.type) {
    case 'chat/delta':
    case 'chat/reasoning':
      return { target: `${action.type} ${action.turnId} ${action.partId}`, text: action.content };
    case 'chat/toolCallDelta':
      return { target: `${action.type} ${action.turnId} ${action.toolCallId}`, text: action.content ?? '' };
    case 'terminal/data':
      return { target: action.type, text: action.data };
    default:
      return undefined;
  }
}
