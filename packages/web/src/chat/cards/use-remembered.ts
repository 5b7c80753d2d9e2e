import { useState } from 'react';
import { useChatScope } from '../chat-scope.tsx';

/** Which cards are open, by chat: rows lose their state when they scroll out of view. */
const remembered = new WeakMap<object, Map<string, boolean>>();

/** Whether something is open: as a person chose, else `byDefault`. */
export function useRemembered(
  key: string,
  byDefault: boolean,
): readonly [boolean, (isOpen: boolean) => void] {
  const { chat } = useChatScope();
  const choices = remembered.get(chat) ?? new Map<string, boolean>();
  if (!remembered.has(chat)) remembered.set(chat, choices);
  const [choice, setChoice] = useState(choices.get(key));
  return [
    choice ?? byDefault,
    (isOpen) => {
      choices.set(key, isOpen);
      setChoice(isOpen);
    },
  ];
}
