import { useSyncExternalStore } from 'react';
import { storageName } from './storage-name.ts';

/** A value that this browser keeps. */
export interface Setting<T> {
  readonly value: T;
  set(value: T): void;
  /** Calls `listener` after a change, also by another tab. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/**
 * Creates a setting in `localStorage`. `read` checks a stored JSON value. Without storage (a private window) the value lasts as long as the page.
 */
export function createSetting<T>(name: string, fallback: T, read: (stored: unknown) => T): Setting<T> {
  const key = storageName(name);
  const listeners = new Set<() => void>();
  let value = load(key, fallback, read);
  const emit = (): void => {
    for (const listener of Array.from(listeners)) listener();
  };
  window.addEventListener('storage', (event) => {
    if (event.key !== key) return;
    value = load(key, fallback, read);
    emit();
  });
  return {
    get value() {
      return value;
    },
    set: (next) => {
      value = next;
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Without storage, the value lasts as long as the page.
      }
      emit();
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The present value of a setting, and a function that changes it. */
export function useSetting<T>(setting: Setting<T>): readonly [T, (value: T) => void] {
  const value = useSyncExternalStore(setting.onChange, () => setting.value);
  return [value, setting.set];
}

function load<T>(key: string, fallback: T, read: (stored: unknown) => T): T {
  try {
    const stored = localStorage.getItem(key);
    return stored === null ? fallback : read(JSON.parse(stored));
  } catch {
    return fallback;
  }
}
