import { useState } from 'react';
import { useChatScope } from './chat-scope.tsx';

/**
 * Makes a hook for values of a chat by key: rows lose their state when they scroll out of view. The hook gives the value that was set, else
 * `byDefault`; `undefined` forgets it.
 */
export function remembering<T>() {
  const remembered = new WeakMap<object, Map<string, T>>();
  return function useRemembered<D extends T | undefined>(
    key: string,
    byDefault: D,
  ): readonly [T | D, (value: T | undefined) => void] {
    const { chat } = useChatScope();
    const values = remembered.get(chat) ?? new Map<string, T>();
    if (!remembered.has(chat)) remembered.set(chat, values);
    const [value, setValue] = useState(() => values.get(key));
    return [
      value ?? byDefault,
      (next) => {
        if (next === undefined) values.delete(key);
        else values.set(key, next);
        setValue(() => next);
      },
    ];
  };
}

/** Whether a card is open: as a person chose, else by default. */
export const useRemembered = remembering<boolean>();
